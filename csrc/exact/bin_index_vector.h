/* SPDX-License-Identifier: MIT
 *
 * The kernels of bin_index for vectors, from what each instruction set defines before it
 * includes this: LANES, even(), find_buckets() and find_cells() for multiples of LANES
 * rows. The portable kernels do the rest. */
#ifndef CYDP_EXACT_BIN_INDEX_VECTOR_H
#define CYDP_EXACT_BIN_INDEX_VECTOR_H

#include "cydp.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

static inline void even_of(const cydp_buckets *buckets, cydp_dtype dtype, const void *x,
                           size_t n, uint32_t *indices) {
  if (buckets->single)
    even(buckets, dtype, true, x, n, indices);
  else
    even(buckets, dtype, false, x, n, indices);
}

void CYDP_KERNEL(even)(const cydp_buckets *buckets, cydp_dtype dtype, const void *x,
                       size_t n, uint32_t *indices) {
  size_t n_vector = n / LANES * LANES;
  CYDP_WITH_DTYPE(dtype, type, even_of(buckets, type, x, n_vector, indices))
  cydp_even_portable(buckets, dtype, cydp_row(dtype, x, n_vector), n - n_vector,
                     indices + n_vector);
}

void CYDP_KERNEL(buckets)(const cydp_buckets *buckets, cydp_dtype dtype, const void *x,
                          size_t n, uint32_t *bucket, uint64_t *keys) {
  size_t n_vector = n / LANES * LANES;
  if (dtype == CYDP_I64 && buckets->integers)
    find_buckets(buckets, CYDP_I64, true, x, n_vector, bucket, keys);
  else
    CYDP_WITH_DTYPE(dtype, type,
                    find_buckets(buckets, type, false, x, n_vector, bucket, keys))
  cydp_buckets_portable(buckets, dtype, cydp_row(dtype, x, n_vector), n - n_vector,
                        bucket + n_vector, keys + n_vector);
}

static inline void cells_of(const cydp_cells *cells, cydp_dtype dtype, const void *x,
                            size_t n, uint32_t *cell) {
  if (cells->bits)
    find_cells(cells, dtype, true, x, n, cell);
  else
    find_cells(cells, dtype, false, x, n, cell);
}

void CYDP_KERNEL(cells)(const cydp_cells *cells, cydp_dtype dtype, const void *x,
                        size_t n, uint32_t *cell) {
  size_t n_vector = n / LANES * LANES;
  CYDP_WITH_DTYPE(dtype, type, cells_of(cells, type, x, n_vector, cell))
  cydp_cells_portable(cells, dtype, cydp_row(dtype, x, n_vector), n - n_vector,
                      cell + n_vector);
}

#endif
