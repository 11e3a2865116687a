/* SPDX-License-Identifier: MIT
 *
 * Spreads a remainder evenly over cells by their positions, as Bresenham's line does.
 * docs/releases/postprocessing.md. */
#ifndef CYDP_POSTPROCESSING_SPREAD_H
#define CYDP_POSTPROCESSING_SPREAD_H

#include "cydp.h"

typedef struct cydp_spread {
  uint64_t remainder, cells; /* remainder < cells <= 2^63 */
  uint64_t error;            /* of the cells so far, times remainder, modulo cells */
} cydp_spread;

/* Returns whether the next cell takes one of the remainder. The j-th does if a multiple
 * of `cells` is in (j remainder, (j + 1) remainder], so all of them together take it all. */
static inline bool cydp_spread_next(cydp_spread *spread) {
  uint64_t error = spread->error + spread->remainder;
  bool takes = error >= spread->cells;
  spread->error = takes ? error - spread->cells : error;
  return takes;
}

#endif
