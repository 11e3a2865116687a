/* SPDX-License-Identifier: MIT
 * Buckets, keys and bin indices, the version to read. Two numbers at a time, by masks:
 * from scalars, compilers make branches, however they are written. docs/exact/bins.md. */
#include "cydp.h"
#include "exact/bins.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

typedef double pair __attribute__((vector_size(16)));
typedef float float_pair __attribute__((vector_size(8)));
typedef int64_t mask __attribute__((vector_size(16)));

static inline double load(cydp_dtype dtype, const void *x, size_t i) {
  switch (dtype) {
  case CYDP_F64:
    return ((const double *)x)[i];
  case CYDP_F32:
    return (double)((const float *)x)[i];
  case CYDP_I64:
    return (double)((const int64_t *)x)[i];
  default:
    return ((const int32_t *)x)[i];
  }
}

static inline pair load_pair(cydp_dtype dtype, const void *x, size_t i, size_t n) {
  double first = load(dtype, x, i);
  return (pair){first, i + 1 < n ? load(dtype, x, i + 1) : first};
}

/* Returns what cydp_bucket returns, as doubles. */
static inline pair buckets_of(const cydp_buckets *buckets, pair x) {
  const pair last = {buckets->last, buckets->last};
  pair t = (x - buckets->origin) * buckets->scale;
  t = (pair)((mask)t & (mask)(t > 0.0)); /* NaN too becomes 0 */
  mask inner = (mask)(t < last);
  return (pair)(((mask)t & inner) | ((mask)last & ~inner));
}

static inline void even(const cydp_buckets *given, cydp_dtype dtype, const void *x,
                        size_t n, uint32_t *indices) {
  const cydp_buckets buckets = *given;
  const pair last = {buckets.last, buckets.last};
  for (size_t i = 0; i < n; i += 2) {
    pair value = load_pair(dtype, x, i, n), t = buckets_of(&buckets, value);
    int32_t j[2] = {(int32_t)t[0], (int32_t)t[1]};
    pair real = {j[0], j[1]};
    pair edge = real * buckets.step + buckets.lo;
    if (buckets.single) /* with scalars, gcc 12 with -fsanitize=address leaves this out */
      edge = __builtin_convertvector(__builtin_convertvector(edge, float_pair), pair);
    /* Only hi, and what is above it, is in the last bucket. */
    mask above =
        ((mask)(value >= edge) & (mask)(real < last)) | (mask)(value > buckets.hi);
    indices[i] = (uint32_t)(j[0] - (int32_t)above[0]);
    if (i + 1 < n)
      indices[i + 1] = (uint32_t)(j[1] - (int32_t)above[1]);
  }
}

void cydp_even_portable(const cydp_buckets *buckets, cydp_dtype dtype, const void *x,
                        size_t n, uint32_t *indices) {
  CYDP_WITH_DTYPE(dtype, type, even(buckets, type, x, n, indices))
}

static inline void find_buckets(const cydp_buckets *given, cydp_dtype dtype,
                                const void *x, size_t n, uint32_t *bucket,
                                uint64_t *keys) {
  const cydp_buckets buckets = *given;
  for (size_t i = 0; i < n; i += 2) {
    pair value = load_pair(dtype, x, i, n), t = buckets_of(&buckets, value);
    for (size_t k = 0; k < 2 && i + k < n; k++) {
      bucket[i + k] = (uint32_t)(int32_t)t[k];
      keys[i + k] = cydp_key_f64(value[k]);
    }
  }
}

static void find_integer_buckets(const cydp_buckets *buckets, const int64_t *x, size_t n,
                                 uint32_t *bucket, uint64_t *keys) {
  for (size_t i = 0; i < n; i++) {
    bucket[i] = cydp_bucket(buckets, (double)x[i]);
    keys[i] = cydp_key_i64(x[i]);
  }
}

void cydp_buckets_portable(const cydp_buckets *buckets, cydp_dtype dtype, const void *x,
                           size_t n, uint32_t *bucket, uint64_t *keys) {
  if (dtype == CYDP_I64 && buckets->integers)
    find_integer_buckets(buckets, x, n, bucket, keys);
  else
    CYDP_WITH_DTYPE(dtype, type, find_buckets(buckets, type, x, n, bucket, keys))
}

static inline void find_cells(const cydp_cells *given, cydp_dtype dtype, const void *x,
                              size_t n, uint32_t *cell) {
  const cydp_cells cells = *given;
  for (size_t i = 0; i < n; i += 2) {
    pair value = load_pair(dtype, x, i, n), t = buckets_of(&cells.width, value);
    for (size_t k = 0; k < 2 && i + k < n; k++)
      cell[i + k] = (uint32_t)(int32_t)t[k];
  }
}

static inline void find_cells_by_bits(const cydp_cells *given, cydp_dtype dtype,
                                      const void *x, size_t n, uint32_t *cell) {
  const cydp_cells cells = *given;
  for (size_t i = 0; i < n; i++)
    cell[i] = cydp_cell_by_bits(&cells, load(dtype, x, i));
}

void cydp_cells_portable(const cydp_cells *cells, cydp_dtype dtype, const void *x,
                         size_t n, uint32_t *cell) {
  if (cells->bits)
    CYDP_WITH_DTYPE(dtype, type, find_cells_by_bits(cells, type, x, n, cell))
  else
    CYDP_WITH_DTYPE(dtype, type, find_cells(cells, type, x, n, cell))
}
