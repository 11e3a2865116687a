/* SPDX-License-Identifier: MIT
 *
 * What the grid kernels share: the map from a number to its integer on the grid, and the
 * entries behind the public ones, in which a test can choose when sums are folded. Why
 * every kernel gives the same integers is proved in docs/exact.md. */
#ifndef CYDP_EXACT_GRID_H
#define CYDP_EXACT_GRID_H

#include "cydp.h"

#include <string.h>

/* Adding it to |t| <= 2^51 rounds t to an integer, which then stands in the low bits. */
#define CYDP_GRID_MAGIC 0x1.8p52
#define CYDP_GRID_MAGIC_BITS INT64_C(0x4338000000000000)
#define CYDP_GRID_MOST (INT64_C(1) << 51)

/* How an int64 reaches the grid. Below a step of 1: clamped to what cannot overflow,
 * which the clamp on the grid hides, and shifted to the left. Above: shifted to the
 * right, and one more where the rest, or to break a tie the rest plus the lowest bit, is
 * over half. */
typedef struct cydp_grid_shift {
  int64_t least, most; /* first of all, x is clamped to these */
  int64_t rest, half;  /* bits shifted out; half a step, or 1 if there are none */
  int left, right;
} cydp_grid_shift;

static inline cydp_grid_shift cydp_grid_shift_of(const cydp_grid *grid,
                                                 cydp_dtype dtype) {
  int exponent = dtype == CYDP_I64 ? grid->exponent : 0; /* others take no shift */
  if (exponent < 0) {
    int left = exponent < -51 ? 51 : -exponent;
    int64_t most = CYDP_GRID_MOST >> left;
    return (cydp_grid_shift){-most, most, 0, 1, left, 0};
  }
  int64_t step = INT64_C(1) << exponent;
  return (cydp_grid_shift){INT64_MIN, INT64_MAX, step - 1, exponent ? step / 2 : 1,
                           0,         exponent};
}

/* 2^-exponent, a normal number; of its bits, since blocks of rows are short. */
static inline double cydp_grid_scale(const cydp_grid *grid) {
  uint64_t bits = (uint64_t)(1023 - grid->exponent) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

#endif
