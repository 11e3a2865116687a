/* SPDX-License-Identifier: MIT
 * The closest integer tables with given totals. docs/releases/postprocessing.md. */
#include "postprocessing/given_total.h"
#include "postprocessing/shift_table.h"

cydp_status cydp_project_total(const int64_t *counts, size_t tables, size_t cells,
                               const cydp_int128 *totals, int64_t *out) {
  for (size_t t = 0; t < tables; t++) {
    cydp_wide total;
    if (!cydp_read_total(&totals[t], cells, &total))
      return CYDP_ERROR_DOMAIN;
    if (cells == 0)
      continue; /* there may be no arrays */
    if (!cydp_shift_table(counts, cells, cydp_sum_table(counts, cells).total - total, out))
      return CYDP_ERROR_DOMAIN;
    counts += cells;
    out += cells;
  }
  return CYDP_OK;
}
