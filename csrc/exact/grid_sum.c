/* SPDX-License-Identifier: MIT
 * Sums on a grid: each chunk is summed in int64, and the chunks in 128 bits.
 * docs/exact/grid_sum.md. */
#include "exact/grid_sum.h"
#include "base/mutex.h"
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/grid.h"
#include "exact/kernels.h"

#include <fenv.h>

enum {
  CHUNK_ROWS = 1 << 16,
  BLOCK_ROWS = 1 << 10, /* rounded at a time, so that they stay in the L1 cache */
};

__extension__ typedef __int128 int128;

typedef struct shared_sum {
  const cydp_grid *grid;
  cydp_dtype dtype;
  const void *x;
  size_t n, chunk_rows;
  bool squared;
  cydp_mutex adding;
  int128 sum, squares;
} shared_sum;

bool cydp_grid_valid(const cydp_grid *grid, cydp_dtype dtype) {
  return dtype <= CYDP_I32 && grid->lowest <= grid->highest &&
         grid->lowest >= -CYDP_GRID_MOST && grid->highest <= CYDP_GRID_MOST &&
         grid->exponent >= -1021 && grid->exponent <= (dtype == CYDP_I64 ? 62 : 1022);
}

static int64_t largest_of(const cydp_grid *grid) {
  return grid->highest > -grid->lowest ? grid->highest : -grid->lowest;
}

size_t cydp_grid_fold_rows(const cydp_grid *grid) {
  int64_t most = largest_of(grid);
  uint64_t rows = most ? (uint64_t)(INT64_MAX / most) : UINT64_MAX;
  return rows < SIZE_MAX ? (size_t)rows : SIZE_MAX;
}

static void add_squares(const cydp_exact_table *kernels, const shared_sum *call,
                        const char *x, size_t n, int128 *sum, int128 *squares) {
  int64_t q[BLOCK_ROWS];
  for (size_t i = 0; i < n; i += BLOCK_ROWS) {
    size_t rows = n - i < BLOCK_ROWS ? n - i : BLOCK_ROWS;
    kernels->grid_round(call->grid, call->dtype, x + i * cydp_dtype_bytes(call->dtype),
                        rows, q);
    int64_t block = 0;
    uint64_t low = 0, high = 0; /* squares are 2^62 at most: add their halves */
    for (size_t j = 0; j < rows; j++) {
      uint64_t square = (uint64_t)(q[j] * q[j]);
      block += q[j];
      low += square & UINT32_MAX;
      high += square >> 32;
    }
    *sum += block;
    *squares += ((int128)high << 32) + low;
  }
}

static cydp_status add_chunk(void *self, size_t i) {
  shared_sum *call = self;
  const cydp_exact_table *kernels = cydp_exact_kernels();
  size_t first = i * call->chunk_rows;
  size_t rows = cydp_task_rows(call->n, call->chunk_rows, i);
  const char *x = (const char *)call->x + first * cydp_dtype_bytes(call->dtype);
  int128 sum = 0, squares = 0;
  /* Ties go to even in any rounding mode of the caller. */
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  if (call->squared)
    add_squares(kernels, call, x, rows, &sum, &squares);
  else
    sum = kernels->grid_sum(call->grid, call->dtype, x, rows);
  fesetround(mode);
  cydp_mutex_lock(&call->adding);
  call->sum += sum;
  call->squares += squares;
  cydp_mutex_unlock(&call->adding);
  return CYDP_OK;
}

static cydp_int128 halves(int128 sum) {
  return (cydp_int128){(uint64_t)sum, (int64_t)(sum >> 64)};
}

cydp_status cydp_grid_sum_chunked(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                                  size_t n, size_t chunk_rows, unsigned threads,
                                  cydp_int128 *sum, cydp_int128 *squares) {
  if (!cydp_grid_valid(grid, dtype) || (squares && largest_of(grid) > INT64_C(1) << 31))
    return CYDP_ERROR_DOMAIN;
  size_t most = cydp_grid_fold_rows(grid);
  shared_sum call = {.grid = grid,
                     .dtype = dtype,
                     .x = x,
                     .n = n,
                     .chunk_rows = chunk_rows < most ? chunk_rows : most,
                     .squared = squares != NULL,
                     .adding = CYDP_MUTEX_INITIALIZER};
  size_t chunks = cydp_task_count(n, call.chunk_rows);
  cydp_status status = cydp_parallel_for(add_chunk, &call, chunks, threads);
  *sum = halves(call.sum);
  if (squares)
    *squares = halves(call.squares);
  return status;
}

cydp_status cydp_grid_sum(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                          size_t n, unsigned threads, cydp_int128 *sum,
                          cydp_int128 *squares) {
  return cydp_grid_sum_chunked(grid, x, dtype, n, CHUNK_ROWS, threads, sum, squares);
}
