/* SPDX-License-Identifier: MIT
 * Makes cell tables. A cell has an edge if the edge is in it, by the function that puts
 * numbers into cells: docs/exact/bins.md. */
#include "exact/cell_table.h"
#include "cydp.h"
#include "exact/bin_index.h"
#include "exact/bins.h"
#include "exact/count_table.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <math.h>
#include <string.h>

enum {
  BATCH = CYDP_INDEX_BATCH,
  MANY = BATCH / 16, /* rows of a batch in doubt: */
  COMPARED = 31     /* then all rows of so many batches are compared */
};

static double edge(const cydp_bins *bins, size_t j) {
  return cydp_number_of_key(bins->keys[j], bins->buckets.integers);
}

/* One cell and a half before the first finite edge, and behind the last one. */
static bool set_width(cydp_cells *cells, const cydp_bins *bins) {
  size_t first = 0, last = bins->count;
  while (first < last && !isfinite(edge(bins, first)))
    first++;
  while (first < last && !isfinite(edge(bins, last)))
    last--;
  double lo = edge(bins, first), width = (edge(bins, last) - lo) / (CYDP_CELLS - 4);
  cells->width = (cydp_buckets){
      .origin = lo - 1.5 * width, .scale = 1 / width, .last = CYDP_CELLS - 1};
  return isfinite(cells->width.origin) && isfinite(cells->width.scale) &&
         cells->width.scale > 0;
}

/* A cell before the first edge, and behind the last one, unless there are no such
 * integers. */
static bool set_bits(cydp_cells *cells, const cydp_bins *bins) {
  const cydp_cells all = {.least = INT32_MIN, .greatest = INT32_MAX};
  int64_t first = cydp_cell_by_bits(&all, edge(bins, 0)) + (int64_t)INT32_MIN;
  int64_t last = cydp_cell_by_bits(&all, edge(bins, bins->count)) + (int64_t)INT32_MIN;
  uint32_t shift = 0;
  while ((last - first) >> shift >= CYDP_CELLS - 3)
    shift++;
  int64_t cell = INT64_C(1) << shift;
  cells->least = (int32_t)(first - cell > INT32_MIN ? first - cell : INT32_MIN);
  cells->greatest = (int32_t)(last + cell < INT32_MAX ? last + cell : INT32_MAX);
  cells->shift = shift;
  return true;
}

/* One integer in a cell: where edges and numbers are integers, edges are far from 2^53 and
 * few cells are enough, so that no row is in doubt. */
static bool set_integers(cydp_cells *cells, const cydp_bins *bins, cydp_dtype dtype) {
  const double lo = edge(bins, 0), hi = edge(bins, bins->count);
  if ((dtype != CYDP_I32 && dtype != CYDP_I64) || !(lo >= -0x1p52 && hi <= 0x1p52) ||
      hi - lo > CYDP_CELLS - 3)
    return false;
  for (size_t j = 0; j <= bins->count; j++)
    if (edge(bins, j) != floor(edge(bins, j)))
      return false;
  *cells = (cydp_cells){
      .width = {.origin = lo - 1, .scale = 1, .last = CYDP_CELLS - 1}};
  return true;
}

static uint32_t cell_of(const cydp_cells *cells, double x) {
  return cells->bits ? cydp_cell_by_bits(cells, x) : cydp_bucket(&cells->width, x);
}

bool cydp_cell_table_set(cydp_cell_table *table, const cydp_bins *bins,
                         cydp_dtype dtype) {
  const size_t count = bins->count;
  const uint8_t outside = (uint8_t)(count + 1);
  cydp_cells *cells = &table->cells;
  *cells = (cydp_cells){.bits = bins->method == CYDP_KEY_BUCKETS};
  if (bins->method == CYDP_CODES || bins->method == CYDP_EVEN ||
      count > CYDP_CELLS_MOST_BINS)
    return false;
  const bool integers = set_integers(cells, bins, dtype);
  if (!integers && !(cells->bits ? set_bits(cells, bins) : set_width(cells, bins)))
    return false;
  size_t next = 0; /* the first cell whose index is not set */
  for (size_t j = 0; j <= count; j++) {
    size_t cell = cell_of(cells, edge(bins, j));
    if (cell >= next) /* else the edge before is in it too */
      memset(table->index + next, j ? (int)j : outside, cell - next);
    /* An integer that is an edge is in the bin behind it, or in the last one. */
    table->index[cell] = integers ? (uint8_t)(j < count ? j + 1 : j) : CYDP_IN_DOUBT;
    next = cell + 1;
  }
  memset(table->index + next, outside, CYDP_CELLS - next);
  return true;
}

/* Counts numbers by comparing them with edges. */
static void compare(const cydp_axis *axis, const void *x, size_t n, const void *next,
                    cydp_count_table *counts) {
  uint32_t indices[BATCH];
  cydp_bin_indices(axis->bins, axis->dtype, x, n, indices);
  cydp_count_table_add(counts, indices, n, next, cydp_dtype_bytes(axis->dtype));
}

/* Copies the numbers of these rows. */
static inline void copy_rows(const uint16_t *rows, size_t n, size_t bytes, const char *x,
                             char *to) {
  for (size_t i = 0; i < n; i++)
    memcpy(to + i * bytes, x + rows[i] * bytes, bytes);
}

void cydp_cell_table_count(const cydp_cell_table *table, const cydp_axis *axis,
                           size_t first, size_t end, cydp_count_table *counts) {
  cydp_cells_kernel *find_cells = cydp_exact_kernels()->cells;
  const size_t bytes = cydp_dtype_bytes(axis->dtype);
  const size_t flush_rows = counts->to->flush_rows;
  const size_t most = flush_rows < BATCH ? flush_rows : BATCH;
  uint32_t cells[BATCH];
  uint16_t in_doubt[BATCH + 1];
  _Alignas(8) char doubtful[2 * BATCH * sizeof(double)];
  size_t n_doubtful = 0, to_compare = 0;
  for (size_t n; first < end; first += n) {
    const char *x = cydp_row(axis->dtype, axis->x, first);
    const char *next = x + 2 * BATCH * bytes;
    n = end - first < most ? end - first : most;
    if (to_compare > 0) {
      to_compare--;
      compare(axis, x, n, next, counts);
      continue;
    }
    find_cells(&table->cells, axis->dtype, x, n, cells);
    size_t found = cydp_count_table_add_cells(counts, table->index, cells, n, next, bytes,
                                              in_doubt);
    char *to = doubtful + n_doubtful * bytes;
    if (bytes == 8)
      copy_rows(in_doubt, found, 8, x, to);
    else
      copy_rows(in_doubt, found, 4, x, to);
    to_compare = found > MANY ? COMPARED : 0;
    n_doubtful += found;
    if (n_doubtful >= most) {
      n_doubtful -= most;
      compare(axis, doubtful + n_doubtful * bytes, most, doubtful, counts);
    }
  }
  compare(axis, doubtful, n_doubtful, doubtful, counts);
}

/* Sets the codes of numbers by comparing them with edges: number i is that of row rows[i],
 * or of row i if `rows` is NULL. */
static void compare_codes(const cydp_axis *axis, const void *x, size_t n,
                          const size_t *rows, uint32_t *codes) {
  const uint32_t outside = (uint32_t)axis->bins->count;
  uint32_t indices[BATCH];
  cydp_bin_indices(axis->bins, axis->dtype, x, n, indices);
  for (size_t i = 0; i < n; i++)
    codes[rows ? rows[i] : i] = indices[i] ? indices[i] - 1 : outside;
}

/* Sets in_doubt to the rows in doubt, and returns how many they are. They are few: only
 * groups of rows with such a row are searched for it. */
static size_t find_in_doubt(const uint8_t *index, size_t n, uint16_t *in_doubt) {
  enum { GROUP = 16 };
  size_t found = 0, i = 0;
  for (; n - i >= GROUP; i += GROUP) {
    uint8_t any = 0;
    for (size_t j = i; j < i + GROUP; j++)
      any |= (uint8_t)(index[j] == CYDP_IN_DOUBT);
    for (size_t j = i; any && j < i + GROUP; j++) {
      in_doubt[found] = (uint16_t)j;
      found += index[j] == CYDP_IN_DOUBT;
    }
  }
  for (; i < n; i++) {
    in_doubt[found] = (uint16_t)i;
    found += index[i] == CYDP_IN_DOUBT;
  }
  return found;
}

void cydp_cell_table_codes(const cydp_cell_table *table, const cydp_axis *axis,
                           size_t first, size_t end, uint32_t *codes) {
  cydp_cells_kernel *find_cells = cydp_exact_kernels()->cells;
  const size_t bytes = cydp_dtype_bytes(axis->dtype);
  uint32_t cells[BATCH];
  uint8_t index[BATCH];
  uint16_t in_doubt[BATCH + 1];
  size_t rows[2 * BATCH], n_doubtful = 0, to_compare = 0;
  _Alignas(8) char doubtful[2 * BATCH * sizeof(double)];
  for (size_t n; first < end; first += n) {
    const char *x = cydp_row(axis->dtype, axis->x, first);
    n = end - first < BATCH ? end - first : BATCH;
    if (to_compare > 0) {
      to_compare--;
      compare_codes(axis, x, n, NULL, codes + first);
      continue;
    }
    find_cells(&table->cells, axis->dtype, x, n, cells);
    for (size_t i = 0; i < n; i++)
      index[i] = table->index[cells[i]];
    for (size_t i = 0; i < n; i++)
      codes[first + i] = (uint32_t)index[i] - 1; /* set again if in doubt */
    const size_t found = find_in_doubt(index, n, in_doubt);
    for (size_t i = 0; i < found; i++)
      rows[n_doubtful + i] = first + in_doubt[i];
    char *to = doubtful + n_doubtful * bytes;
    if (bytes == 8)
      copy_rows(in_doubt, found, 8, x, to);
    else
      copy_rows(in_doubt, found, 4, x, to);
    to_compare = found > MANY ? COMPARED : 0;
    n_doubtful += found;
    if (n_doubtful >= BATCH) {
      n_doubtful -= BATCH;
      compare_codes(axis, doubtful + n_doubtful * bytes, BATCH, rows + n_doubtful, codes);
    }
  }
  compare_codes(axis, doubtful, n_doubtful, rows, codes);
}
