/* SPDX-License-Identifier: MIT
 * Counts rows in the cells of their columns' bins. docs/exact/bins.md. */
#include "exact/histogram.h"
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/bin_index.h"
#include "exact/bins.h"
#include "exact/cell_table.h"
#include "exact/count_table.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <stdlib.h>

typedef struct job {
  const cydp_axis *axes;
  size_t n_axes;
  size_t n, rows; /* in all, and in a task */
  const cydp_cell_table *cells; /* of one axis, or NULL */
  cydp_counts to;
} job;

/* Sets the cells' indices from the columns' bins: 0 if any of these is outside. Every
 * product of bin counts fits, since that of all does; an index outside may wrap, and is
 * not used. */
static void combine_indices(const job *call, size_t first, size_t n, uint32_t *indices) {
  uint32_t inside[CYDP_INDEX_BATCH], index[CYDP_INDEX_BATCH];
  for (size_t i = 0; i < n; i++) {
    indices[i] = 0;
    inside[i] = UINT32_MAX;
  }
  for (size_t c = 0; c < call->n_axes; c++) {
    const cydp_axis *axis = &call->axes[c];
    const uint32_t count = (uint32_t)axis->bins->count;
    cydp_bin_indices(axis->bins, axis->dtype, cydp_row(axis->dtype, axis->x, first), n,
                     index);
    for (size_t i = 0; i < n; i++) {
      uint32_t bin = index[i] - 1; /* UINT32_MAX if below */
      inside[i] &= -(uint32_t)(bin < count);
      indices[i] = indices[i] * count + bin;
    }
  }
  for (size_t i = 0; i < n; i++)
    indices[i] = (indices[i] + 1) & inside[i];
}

static cydp_status count(void *self, size_t task) {
  job *call = self;
  size_t first = task * call->rows;
  size_t end = first + cydp_task_rows(call->n, call->rows, task);
  size_t most =
      call->to.flush_rows < CYDP_INDEX_BATCH ? call->to.flush_rows : CYDP_INDEX_BATCH;
  uint32_t indices[CYDP_INDEX_BATCH];
  const cydp_axis *axis = call->axes;
  cydp_count_table table;
  if (!cydp_count_table_new(&table, &call->to))
    return CYDP_ERROR_MEMORY;
  if (call->cells) {
    cydp_cell_table_count(call->cells, axis, first, end, &table);
    first = end;
  }
  for (size_t n; first < end; first += n) {
    n = end - first < most ? end - first : most;
    if (call->n_axes == 1)
      cydp_bin_indices(axis->bins, axis->dtype, cydp_row(axis->dtype, axis->x, first), n,
                       indices);
    else
      combine_indices(call, first, n, indices);
    cydp_count_table_add(&table, indices, n,
                         cydp_row(axis->dtype, axis->x, first + 2 * CYDP_INDEX_BATCH),
                         cydp_dtype_bytes(axis->dtype));
  }
  cydp_count_table_end(&table);
  return CYDP_OK;
}

/* Returns the number of cells, or 0 if a column is wrong or there are too many cells. */
static size_t count_cells(const cydp_axis *axes, size_t n_axes) {
  size_t product = n_axes > 0;
  for (size_t c = 0; c < n_axes && product; c++) {
    const cydp_bins *bins = axes[c].bins;
    cydp_dtype dtype = axes[c].dtype;
    if (dtype > CYDP_I32 || (bins->buckets.integers && dtype != CYDP_I64) ||
        bins->count > CYDP_MOST_BINS / product)
      return 0;
    product *= bins->count;
  }
  return product;
}

cydp_status cydp_histogram_flushing(const cydp_axis *axes, size_t n_axes, size_t n,
                                    size_t flush_rows, unsigned threads,
                                    int64_t *counts) {
  size_t size = count_cells(axes, n_axes);
  if (size == 0)
    return CYDP_ERROR_DOMAIN;
  if (n == 0)
    return CYDP_OK;
  cydp_cell_table *cells = NULL;
  if (n_axes == 1 && n >= CYDP_CELLS_LEAST_ROWS) {
    cells = malloc(sizeof *cells);
    if (cells == NULL)
      return CYDP_ERROR_MEMORY;
  }
  job call = {.axes = axes,
              .n_axes = n_axes,
              .n = n,
              .rows = cydp_count_table_rows(n, size, threads),
              .cells = cells && cydp_cell_table_set(cells, axes->bins, axes->dtype) ? cells : NULL,
              .to = {counts, size, flush_rows, PTHREAD_MUTEX_INITIALIZER}};
  cydp_status status =
      cydp_parallel_for(count, &call, cydp_task_count(n, call.rows), threads);
  free(cells);
  return status;
}

cydp_status cydp_histogram(const cydp_axis *axes, size_t n_axes, size_t n,
                           unsigned threads, int64_t *counts) {
  return cydp_histogram_flushing(axes, n_axes, n, CYDP_FLUSH_ROWS, threads, counts);
}
