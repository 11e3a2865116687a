/* SPDX-License-Identifier: MIT
 *
 * Given edges: a binary search whose steps depend on the number of bins alone, some rows
 * abreast. Each step adds nothing or its own stride, so that a slot is bounded even if
 * another thread changes x between two comparisons.
 *
 * Of the first `bins` edges, r are at or below x. With 2^top <= bins < 2^(top + 1) a
 * first comparison leaves 2^top possible values of r, and `top` halvings leave one. The
 * last edge counts only if it is below x, which closes the last bin. So the slot is r +
 * (last < x). */
#include "histogram.h"

#include <string.h>

enum { ABREAST = 8 };

static inline void slots_f64(const double *x, const double *edges, size_t bins,
                             unsigned top, size_t *slot) {
  size_t first = bins + 1 - ((size_t)1 << top);
  for (int k = 0; k < ABREAST; k++)
    slot[k] = first & -(size_t)(edges[first - 1] <= x[k]);
  for (unsigned level = top; level-- > 0;) {
    const double *middle = edges + (((size_t)1 << level) - 1);
    /* The shift matters: a mask or a product clang turns into a branch. */
    for (int k = 0; k < ABREAST; k++)
      slot[k] += (size_t)(middle[slot[k]] <= x[k]) << level;
  }
  for (int k = 0; k < ABREAST; k++)
    slot[k] += edges[bins] < x[k];
}

static inline void slots_i64(const int64_t *x, const int64_t *edges, size_t bins,
                             unsigned top, size_t *slot) {
  size_t first = bins + 1 - ((size_t)1 << top);
  for (int k = 0; k < ABREAST; k++)
    slot[k] = first & -(size_t)(edges[first - 1] <= x[k]);
  for (unsigned level = top; level-- > 0;) {
    const int64_t *middle = edges + (((size_t)1 << level) - 1);
    for (int k = 0; k < ABREAST; k++)
      slot[k] += (size_t)(middle[slot[k]] <= x[k]) << level;
  }
  for (int k = 0; k < ABREAST; k++)
    slot[k] += edges[bins] < x[k];
}

static inline void tally(const cydp_tables *tables, const size_t *slot, size_t rows) {
  for (size_t k = 0; k < rows; k++)
    tables->way[k % CYDP_WAYS][slot[k]]++;
}

static void count_f64(const double *x, size_t n, const double *edges, unsigned top,
                      const cydp_tables *tables) {
  size_t slot[ABREAST];
  for (; n >= ABREAST; n -= ABREAST, x += ABREAST) {
    slots_f64(x, edges, tables->bins, top, slot);
    tally(tables, slot, ABREAST);
  }
  if (n == 0)
    return;
  double rest[ABREAST] = {0};
  memcpy(rest, x, n * sizeof *x);
  slots_f64(rest, edges, tables->bins, top, slot);
  tally(tables, slot, n);
}

static void count_i64(const int64_t *x, size_t n, const int64_t *edges, unsigned top,
                      const cydp_tables *tables) {
  size_t slot[ABREAST];
  for (; n >= ABREAST; n -= ABREAST, x += ABREAST) {
    slots_i64(x, edges, tables->bins, top, slot);
    tally(tables, slot, ABREAST);
  }
  if (n == 0)
    return;
  int64_t rest[ABREAST] = {0};
  memcpy(rest, x, n * sizeof *x);
  slots_i64(rest, edges, tables->bins, top, slot);
  tally(tables, slot, n);
}

cydp_status cydp_histogram_edges(const void *x, bool integers, size_t n,
                                 const void *edges, size_t bins, int64_t *counts,
                                 size_t flush_rows) {
  if (bins == 0)
    return CYDP_ERROR_DOMAIN;
  unsigned top = 0;
  while (bins >> top > 1)
    top++;

  cydp_tables tables;
  if (!cydp_tables_new(&tables, bins))
    return CYDP_ERROR_MEMORY;
  for (size_t i = 0; i < n;) {
    size_t rows = n - i < flush_rows ? n - i : flush_rows;
    if (integers)
      count_i64((const int64_t *)x + i, rows, edges, top, &tables);
    else
      count_f64((const double *)x + i, rows, edges, top, &tables);
    cydp_tables_flush(&tables, counts);
    i += rows;
  }
  cydp_tables_free(&tables);
  return CYDP_OK;
}

cydp_status cydp_histogram_edges_f64(const double *x, size_t n, const double *edges,
                                     size_t bins, int64_t *counts) {
  return cydp_histogram_edges(x, false, n, edges, bins, counts, CYDP_FLUSH_ROWS);
}

cydp_status cydp_histogram_edges_i64(const int64_t *x, size_t n, const int64_t *edges,
                                     size_t bins, int64_t *counts) {
  return cydp_histogram_edges(x, true, n, edges, bins, counts, CYDP_FLUSH_ROWS);
}
