/* SPDX-License-Identifier: MIT
 * Numbers to a grid, the version to read. Two at a time, by masks: from scalars, gcc
 * makes branches, however they are written. docs/exact/grid_sum.md. */
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/grid.h"
#include "exact/kernels.h"

#include <math.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));

/* One load: a second one could see what another thread has written meanwhile. */
static inline double load(cydp_dtype dtype, const void *x, size_t i) {
  if (dtype == CYDP_F64)
    return ((const volatile double *)x)[i];
  if (dtype == CYDP_F32)
    return (double)((const volatile float *)x)[i];
  return (double)((const volatile int32_t *)x)[i];
}

static inline pair either(mask which, pair yes, pair no) {
  return (pair)(((mask)yes & which) | ((mask)no & ~which));
}

/* The bounds are integers, so clamping to them before rounding gives the same as after.
 * NaN is masked out and becomes 0. */
static inline mask round_doubles(const cydp_grid *grid, double scale, pair x) {
  const pair lowest = {(double)grid->lowest, (double)grid->lowest};
  const pair highest = {(double)grid->highest, (double)grid->highest};
  pair t = x * scale;
  mask present = (mask)(t == t);
  t = either((mask)(t > lowest), t, lowest);
  t = either((mask)(t < highest), t, highest);
  t = (pair)((mask)t & present);
  return (mask)(t + CYDP_GRID_MAGIC) - CYDP_GRID_MAGIC_BITS;
}

static inline int64_t clamp(int64_t x, int64_t least, int64_t most) {
  int64_t raised = x > least ? x : least;
  return raised < most ? raised : most;
}

static inline int64_t round_integer(const cydp_grid *grid, const cydp_grid_shift *by,
                                    int64_t x) {
  x = clamp(x, by->least, by->most) * (INT64_C(1) << by->left);
  int64_t q = x >> by->right;
  q += (x & by->rest) + (q & 1) > by->half;
  return clamp(q, grid->lowest, grid->highest);
}

/* Rounds the numbers i and i + 1, or only i. */
static inline mask round_pair(const cydp_grid *grid, const cydp_grid_shift *by,
                              double scale, cydp_dtype dtype, const void *x, size_t i,
                              bool both) {
  if (dtype == CYDP_I64) {
    const volatile int64_t *at = (const volatile int64_t *)x + i;
    int64_t first = round_integer(grid, by, at[0]);
    return (mask){first, both ? round_integer(grid, by, at[1]) : 0};
  }
  pair at = {load(dtype, x, i), both ? load(dtype, x, i + 1) : NAN};
  return round_doubles(grid, scale, at);
}

/* Returns the sum of q, and stores q unless it is NULL. */
static inline int64_t round_each(const cydp_grid *given, cydp_dtype dtype, const void *x,
                                 size_t n, int64_t *q) {
  const cydp_grid grid = *given;
  const cydp_grid_shift by = cydp_grid_shift_of(given, dtype);
  const double scale = cydp_grid_scale(&grid);
  mask sum = {0, 0};
  size_t i = 0;
  for (; n - i >= 2; i += 2) {
    mask at = round_pair(&grid, &by, scale, dtype, x, i, true);
    if (q)
      memcpy(q + i, &at, sizeof at);
    sum += at;
  }
  if (i < n) {
    mask at = round_pair(&grid, &by, scale, dtype, x, i, false);
    if (q)
      q[i] = at[0];
    sum += at;
  }
  return sum[0] + sum[1];
}

static inline int64_t round_all(const cydp_grid *grid, cydp_dtype dtype, const void *x,
                                size_t n, int64_t *q) {
  int64_t sum;
  CYDP_WITH_DTYPE(dtype, type, sum = round_each(grid, type, x, n, q))
  return sum;
}

int64_t cydp_grid_sum_portable(const cydp_grid *grid, cydp_dtype dtype, const void *x,
                               size_t n) {
  return round_all(grid, dtype, x, n, NULL);
}

void cydp_grid_round_portable(const cydp_grid *grid, cydp_dtype dtype, const void *x,
                              size_t n, int64_t *q) {
  (void)round_all(grid, dtype, x, n, q);
}
