/* SPDX-License-Identifier: MIT
 * Counts rows in the cells of their columns' bins. docs/exact/bins.md. */
#include "exact/histogram.h"
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/axes.h"
#include "exact/cell_table.h"
#include "exact/count_table.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <stdlib.h>

/* Of several columns: their rows ahead stay in the L1 cache, beside the counts. */
enum { SHORT_BATCH = CYDP_INDEX_BATCH / 2 };

typedef struct job {
  const cydp_axis *axes;
  size_t n_axes;
  size_t n, rows; /* in all, and in a task */
  const cydp_cell_table *cells; /* of one axis, or NULL */
  cydp_counts to;
} job;

static cydp_status count(void *self, size_t task) {
  job *call = self;
  size_t first = task * call->rows;
  size_t end = first + cydp_task_rows(call->n, call->rows, task);
  const size_t batch = call->n_axes == 1 ? CYDP_INDEX_BATCH : SHORT_BATCH;
  const size_t most = call->to.flush_rows < batch ? call->to.flush_rows : batch;
  uint32_t indices[CYDP_INDEX_BATCH];
  const cydp_axis *axis = call->axes, *last = axis + call->n_axes - 1;
  cydp_count_table table;
  if (!cydp_count_table_new(&table, &call->to))
    return CYDP_ERROR_MEMORY;
  if (call->cells) {
    cydp_cell_table_count(call->cells, axis, first, end, &table);
    first = end;
  }
  for (size_t n; first < end; first += n) {
    n = end - first < most ? end - first : most;
    cydp_axes_indices(axis, call->n_axes, first, n, indices);
    const size_t ahead = first + 2 * batch;
    const size_t x_bytes = cydp_dtype_bytes(axis->dtype);
    const size_t y_bytes = cydp_dtype_bytes(last->dtype);
    if (last == axis)
      cydp_count_table_add(&table, indices, n, cydp_row(axis->dtype, axis->x, ahead),
                           x_bytes);
    else
      cydp_count_table_add_two(&table, indices, n, cydp_row(axis->dtype, axis->x, ahead),
                               x_bytes, cydp_row(last->dtype, last->x, ahead), y_bytes);
  }
  cydp_count_table_end(&table);
  return CYDP_OK;
}

cydp_status cydp_histogram_flushing(const cydp_axis *axes, size_t n_axes, size_t n,
                                    size_t flush_rows, unsigned threads,
                                    int64_t *counts) {
  size_t size = cydp_axes_cells(axes, n_axes);
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
              .to = {counts, size, flush_rows, CYDP_MUTEX_INITIALIZER}};
  cydp_status status =
      cydp_parallel_for(count, &call, cydp_task_count(n, call.rows), threads);
  free(cells);
  return status;
}

cydp_status cydp_histogram(const cydp_axis *axes, size_t n_axes, size_t n,
                           unsigned threads, int64_t *counts) {
  return cydp_histogram_flushing(axes, n_axes, n, CYDP_FLUSH_ROWS, threads, counts);
}
