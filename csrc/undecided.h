/* SPDX-License-Identifier: MIT
 * The list of undecided lanes, for kernels that learn of them by a bit mask. */
#ifndef CYDP_UNDECIDED_H
#define CYDP_UNDECIDED_H

#include <stddef.h>
#include <stdint.h>

/* Appends first + j for every bit j of `open`; returns the new count. That any is set is
 * rare, so a loop costs less than a compressing store. */
static inline size_t list_undecided(uint16_t *undecided, size_t count, size_t first,
                                    unsigned open) {
  for (; open; open &= open - 1)
    undecided[count++] = (uint16_t)(first + (unsigned)__builtin_ctz(open));
  return count;
}

#endif
