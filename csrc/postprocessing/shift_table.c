/* SPDX-License-Identifier: MIT
 * Takes an excess from all cells of a table alike. docs/releases/postprocessing.md. */
#include "postprocessing/shift_table.h"
#include "postprocessing/spread.h"

bool cydp_shift_table(const int64_t *counts, size_t n, cydp_wide excess, int64_t *out) {
  const bool down = excess >= 0;
  const cydp_wide magnitude = down ? excess : -excess, each = magnitude / (cydp_wide)n;
  if (magnitude > (cydp_wide)UINT64_MAX * (cydp_wide)n)
    return false; /* further than from one end of int64 to the other */
  cydp_spread spread = {(uint64_t)(magnitude - each * (cydp_wide)n), n, 0};
  const uint64_t sign = down ? 0 : UINT64_MAX;
  uint64_t wrapped = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t part = (uint64_t)each + cydp_spread_next(&spread);
    out[i] = (int64_t)((uint64_t)counts[i] - ((part ^ sign) - sign));
    wrapped |= (uint64_t)(down ? out[i] > counts[i] : out[i] < counts[i]);
  }
  return !wrapped;
}
