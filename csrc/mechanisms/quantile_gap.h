/* SPDX-License-Identifier: MIT
 *
 * The choice of a gap between sorted units. docs/mechanisms/quantile.md. */
#ifndef CYDP_MECHANISMS_QUANTILE_GAP_H
#define CYDP_MECHANISMS_QUANTILE_GAP_H

#include "cydp.h"
#include "mechanisms/quantile_factors.h"

/* The sorted units of one group, x_1 to x_n, and the grid. x_0 stands for lowest, x_(n+1) for
 * highest. */
typedef struct cydp_sorted_units {
  const void *units; /* from x_(before + 1) on */
  bool narrow;       /* int32_t, else int64_t */
  uint64_t n, before;
  int64_t lowest, highest;
} cydp_sorted_units;

/* Grid points that are equally likely: the first one, and how many there are. */
typedef struct cydp_gap {
  int64_t first;
  uint64_t width;
} cydp_gap;

/* Sets *before and *last so that a choice looks at x_(*before + 1) to x_(*last) alone. */
void cydp_units_near(const cydp_quantile *quantile, const cydp_quantile_factors *factors,
                     uint64_t n, uint64_t *before, uint64_t *last);

/* Chooses the gap in which U falls, and returns whether the limbs u of U, as many as the
 * factors have, make that certain. U is in [u, u + ulp). */
bool cydp_choose_gap(const cydp_quantile *quantile, const cydp_quantile_factors *factors,
                     const cydp_sorted_units *x, const uint64_t *u, cydp_gap *gap);

#endif
