/* SPDX-License-Identifier: MIT
 *
 * The map from a number to its integer on the grid, which the grid kernels share.
 * docs/exact/grid_sum.md proves that every kernel gives the same integers. */
#ifndef CYDP_EXACT_GRID_H
#define CYDP_EXACT_GRID_H

#include "cydp.h"

#include <string.h>

/* Adding this to |t| <= 2^51 rounds t to an integer, which is then in the low bits. */
#define CYDP_GRID_MAGIC 0x1.8p52
#define CYDP_GRID_MAGIC_BITS INT64_C(0x4338000000000000)
#define CYDP_GRID_MOST (INT64_C(1) << 51)

/* How an int64 is put on the grid. If the step is below 1, it is clamped to what cannot
 * overflow, which the clamp on the grid hides, and shifted to the left. If the step is
 * larger, it is shifted to the right, and raised by one where the rest, or to break a tie
 * the rest plus the lowest bit, is more than half a step. */
typedef struct cydp_grid_shift {
  int64_t least, most; /* x is clamped to these first */
  int64_t rest, half;  /* mask of the bits shifted out; half a step, or 1 if none are */
  int left, right;
} cydp_grid_shift;

static inline cydp_grid_shift cydp_grid_shift_of(const cydp_grid *grid,
                                                 cydp_dtype dtype) {
  int exponent = dtype == CYDP_I64 ? grid->exponent : 0; /* other types take no shift */
  if (exponent < 0) {
    int left = exponent < -51 ? 51 : -exponent;
    int64_t most = CYDP_GRID_MOST >> left;
    return (cydp_grid_shift){-most, most, 0, 1, left, 0};
  }
  int64_t step = INT64_C(1) << exponent;
  return (cydp_grid_shift){INT64_MIN, INT64_MAX, step - 1, exponent ? step / 2 : 1,
                           0,         exponent};
}

/* Returns 2^-exponent, a normal number; from its bits, which is fast for short blocks. */
static inline double cydp_grid_scale(const cydp_grid *grid) {
  uint64_t bits = (uint64_t)(1023 - grid->exponent) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

#endif
