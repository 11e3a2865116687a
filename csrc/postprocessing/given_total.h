/* SPDX-License-Identifier: MIT
 *
 * Totals that callers give. */
#ifndef CYDP_POSTPROCESSING_GIVEN_TOTAL_H
#define CYDP_POSTPROCESSING_GIVEN_TOTAL_H

#include "postprocessing/table_sum.h"

/* Reads a total of a table of some cells. Returns whether there can be such a table: it is
 * within 2^126, as sums of int64_t are, and 0 if there are no cells. */
static inline bool cydp_read_total(const cydp_int128 *given, size_t cells,
                                   cydp_wide *total) {
  const cydp_wide limit = (cydp_wide)1 << 126;
  *total = (cydp_wide)given->high * ((cydp_wide)1 << 64) + given->low;
  return *total >= -limit && *total <= limit && (cells > 0 || *total == 0);
}

#endif
