/* SPDX-License-Identifier: MIT
 * Counts over their total. docs/releases/postprocessing.md. */
#include "postprocessing/table_sum.h"

size_t cydp_shares(const int64_t *counts, size_t tables, size_t cells, double *shares) {
  size_t without = 0;
  if (cells == 0)
    return tables; /* there may be no arrays */
  for (size_t t = 0; t < tables; t++, counts += cells, shares += cells) {
    const cydp_wide total = cydp_sum_table(counts, cells).total;
    const double divisor = total > 0 ? (double)total : 1;
    without += total <= 0;
    for (size_t i = 0; i < cells; i++)
      shares[i] = total > 0 ? (double)counts[i] / divisor : 0;
  }
  return without;
}
