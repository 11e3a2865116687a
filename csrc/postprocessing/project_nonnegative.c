/* SPDX-License-Identifier: MIT
 * The closest integer tables without negative cells: counts less a threshold, and 0 for
 * those below it. docs/releases/postprocessing.md. */
#include "postprocessing/given_total.h"
#include "postprocessing/shift_table.h"
#include "postprocessing/spread.h"
#include "postprocessing/threshold.h"

#include <string.h>

/* Lowers counts above the threshold, some of them by one more; returns whether all results
 * are in int64. */
static bool lower(const int64_t *counts, size_t n, const cydp_threshold *threshold,
                  int64_t *out) {
  const int64_t k = threshold->k;
  cydp_spread spread = {threshold->remainder, threshold->above, 0};
  uint64_t all = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t left = 0;
    if (counts[i] > k)
      left = (uint64_t)counts[i] - (uint64_t)k - cydp_spread_next(&spread);
    out[i] = (int64_t)left;
    all |= left;
  }
  return all <= INT64_MAX;
}

/* The quotient, rounded down, for a positive divisor. */
static cydp_wide floor_divide(cydp_wide a, cydp_wide b) {
  return a / b - (a % b < 0);
}

/* Projects a table with n >= 1 cells to a total >= 0; returns whether that fits. */
static bool project(const int64_t *counts, size_t n, const cydp_table_sum *sum,
                    cydp_wide total, int64_t *out) {
  if (total == 0) {
    memset(out, 0, n * sizeof *out);
    return true;
  }
  /* Both are at most the threshold: the first as counts below it only add to the sum, the
   * second as the largest count alone reaches the total. */
  cydp_wide all = floor_divide(sum->total - total, (cydp_wide)n);
  cydp_wide one = (cydp_wide)sum->largest - total;
  if (all < sum->smallest)
    return cydp_shift_table(counts, n, sum->total - total, out); /* nothing is cut */
  cydp_threshold threshold =
      cydp_find_threshold(counts, n, total, (int64_t)(all > one ? all : one), out);
  return lower(counts, n, &threshold, out);
}

cydp_status cydp_project_nonnegative(const int64_t *counts, size_t tables, size_t cells,
                                     const cydp_int128 *totals, int64_t *out,
                                     size_t *negative) {
  *negative = 0;
  for (size_t t = 0; t < tables; t++) {
    const cydp_table_sum sum = cydp_sum_table(counts, cells);
    cydp_wide total = sum.total > 0 ? sum.total : 0;
    if (totals && (!cydp_read_total(&totals[t], cells, &total) || total < 0))
      return CYDP_ERROR_DOMAIN;
    *negative += sum.total < 0;
    if (cells == 0)
      continue; /* there may be no arrays */
    if (!project(counts, cells, &sum, total, out))
      return CYDP_ERROR_DOMAIN;
    counts += cells;
    out += cells;
  }
  return CYDP_OK;
}
