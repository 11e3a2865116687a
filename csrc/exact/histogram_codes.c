/* SPDX-License-Identifier: MIT
 * The cell of every row: what cydp_histogram counts. docs/exact/bins.md. */
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/axes.h"
#include "exact/cell_table.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <stdlib.h>

enum { TASK_ROWS = 1 << 16 };

typedef struct job {
  const cydp_axis *axes;
  size_t n_axes, n, size;
  const cydp_cell_table *cells; /* of one axis, or NULL */
  uint32_t *codes;
} job;

/* Indices are in [0, size + 1], whatever was read; both ends are outside. */
static cydp_status find_codes(void *self, size_t task) {
  const job *call = self;
  const int32_t outside = (int32_t)call->size;
  size_t first = task * TASK_ROWS;
  const size_t end = first + cydp_task_rows(call->n, TASK_ROWS, task);
  uint32_t indices[CYDP_INDEX_BATCH];
  if (call->cells) {
    cydp_cell_table_codes(call->cells, call->axes, first, end, call->codes);
    return CYDP_OK;
  }
  for (size_t n; first < end; first += n) {
    n = end - first < CYDP_INDEX_BATCH ? end - first : CYDP_INDEX_BATCH;
    cydp_axes_indices(call->axes, call->n_axes, first, n, indices);
    for (size_t i = 0; i < n; i++) {
      const int32_t cell = (int32_t)indices[i] - 1;
      call->codes[first + i] = (uint32_t)(cell < 0 ? outside : cell);
    }
  }
  return CYDP_OK;
}

cydp_status cydp_histogram_codes(const cydp_axis *axes, size_t n_axes, size_t n,
                                 unsigned threads, uint32_t *codes) {
  const size_t size = cydp_axes_cells(axes, n_axes);
  if (size == 0)
    return CYDP_ERROR_DOMAIN;
  cydp_cell_table *cells = NULL;
  if (n_axes == 1 && n >= CYDP_CELLS_LEAST_ROWS) {
    cells = malloc(sizeof *cells);
    if (cells == NULL)
      return CYDP_ERROR_MEMORY;
  }
  const bool by_cells = cells && cydp_cell_table_set(cells, axes->bins, axes->dtype);
  job call = {.axes = axes,
              .n_axes = n_axes,
              .n = n,
              .size = size,
              .cells = by_cells ? cells : NULL,
              .codes = codes};
  cydp_status status =
      cydp_parallel_for(find_codes, &call, cydp_task_count(n, TASK_ROWS), threads);
  free(cells);
  return status;
}
