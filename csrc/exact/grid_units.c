/* SPDX-License-Identifier: MIT
 * Numbers on a grid, one by one: as the sums on a grid round them, but without NaN.
 * docs/mechanisms/quantile.md. */
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/grid_sum.h"
#include "exact/kernels.h"

#include <fenv.h>
#include <string.h>

enum { BLOCK_ROWS = 1 << 9 };

/* A block of rows: a copy, so that what is rounded is what is asked for NaN, whatever
 * another thread writes. */
typedef struct block {
  size_t n;
  _Alignas(64) char x[BLOCK_ROWS * sizeof(double)];
  _Alignas(64) int64_t q[BLOCK_ROWS];
} block;

/* Moves the integers of numbers to the front, and returns how many they are. */
static size_t keep_numbers(cydp_dtype dtype, block *rows) {
  size_t kept = 0, missing = 0;
  if (dtype != CYDP_F64 && dtype != CYDP_F32)
    return rows->n;
  const double *wide = (const double *)(const void *)rows->x;
  const float *narrow = (const float *)(const void *)rows->x;
  for (size_t i = 0; i < rows->n; i++)
    missing += dtype == CYDP_F64 ? wide[i] != wide[i] : narrow[i] != narrow[i];
  if (missing == 0)
    return rows->n;
  for (size_t i = 0; i < rows->n; i++) {
    rows->q[kept] = rows->q[i];
    kept += dtype == CYDP_F64 ? wide[i] == wide[i] : narrow[i] == narrow[i];
  }
  return kept;
}

cydp_status cydp_grid_units(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                            size_t n, cydp_dtype units_dtype, void *units, size_t *kept) {
  const bool narrow = units_dtype == CYDP_I32;
  if (!cydp_grid_valid(grid, dtype) || (!narrow && units_dtype != CYDP_I64) ||
      (narrow && (grid->lowest < INT32_MIN || grid->highest > INT32_MAX)))
    return CYDP_ERROR_DOMAIN;
  const cydp_exact_table *kernels = cydp_exact_kernels();
  block rows;
  *kept = 0;
  /* Ties go to even in any rounding mode of the caller. */
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  for (size_t first = 0; first < n; first += rows.n) {
    rows.n = n - first < BLOCK_ROWS ? n - first : BLOCK_ROWS;
    memcpy(rows.x, cydp_row(dtype, x, first), rows.n * cydp_dtype_bytes(dtype));
    kernels->grid_round(grid, dtype, rows.x, rows.n, rows.q);
    size_t numbers = keep_numbers(dtype, &rows);
    if (narrow)
      for (size_t i = 0; i < numbers; i++)
        ((int32_t *)units)[*kept + i] = (int32_t)rows.q[i];
    else
      memcpy((int64_t *)units + *kept, rows.q, numbers * sizeof(int64_t));
    *kept += numbers;
  }
  fesetround(mode);
  return CYDP_OK;
}
