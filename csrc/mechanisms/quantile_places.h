/* SPDX-License-Identifier: MIT
 *
 * Sorted units, of which those that are equal have places of their own on a finer grid.
 * docs/mechanisms/quantile_lists.md, "Ties". */
#ifndef CYDP_MECHANISMS_QUANTILE_PLACES_H
#define CYDP_MECHANISMS_QUANTILE_PLACES_H

#include "cydp.h"

/* The sorted units of one group, fewer than 2^32. A unit has 2^bits places, bits <= 31; those
 * of `base` begin with 0. */
typedef struct cydp_tied_units {
  const void *units;
  bool narrow; /* int32_t, else int64_t */
  uint64_t n;
  int64_t base;
  unsigned bits;
} cydp_tied_units;

static inline __attribute__((always_inline)) int64_t
cydp_unit_at(const void *units, bool narrow, uint64_t i) {
  return narrow ? ((const int32_t *)units)[i] : ((const int64_t *)units)[i];
}

/* Sets places to those of the units from number `first` to before `last`, counted from 0; the
 * work depends on how many they are and on n alone. */
void cydp_places(const cydp_tied_units *x, uint64_t first, uint64_t last,
                 int64_t *places);

/* Returns how many places of all units are at most `point`; the work depends on n alone. */
uint64_t cydp_places_up_to(const cydp_tied_units *x, int64_t point);

#endif
