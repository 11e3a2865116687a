/* SPDX-License-Identifier: MIT
 *
 * The grid kernels for vectors, from what each instruction set defines before it includes
 * this: prepare(), sum_most() and round_most(), which return how many rows they took. The
 * portable kernels do the rest. */
#ifndef CYDP_EXACT_GRID_VECTOR_H
#define CYDP_EXACT_GRID_VECTOR_H

#include "cydp.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

int64_t CYDP_KERNEL(grid_sum)(const cydp_grid *given, cydp_dtype dtype, const void *x,
                              size_t n) {
  const grid g = prepare(given, dtype);
  int64_t sum;
  size_t done;
  if (dtype == CYDP_I64 && given->exponent == 0)
    done = sum_most(&g, CYDP_I64, true, x, n, &sum);
  else
    CYDP_WITH_DTYPE(dtype, type, done = sum_most(&g, type, false, x, n, &sum))
  if (done < n)
    sum += cydp_grid_sum_portable(given, dtype, cydp_row(dtype, x, done), n - done);
  return sum;
}

void CYDP_KERNEL(grid_round)(const cydp_grid *given, cydp_dtype dtype, const void *x,
                             size_t n, int64_t *q) {
  const grid g = prepare(given, dtype);
  size_t done;
  if (dtype == CYDP_I64 && given->exponent == 0)
    done = round_most(&g, CYDP_I64, true, x, n, q);
  else
    CYDP_WITH_DTYPE(dtype, type, done = round_most(&g, type, false, x, n, q))
  if (done < n)
    cydp_grid_round_portable(given, dtype, cydp_row(dtype, x, done), n - done, q + done);
}

#endif
