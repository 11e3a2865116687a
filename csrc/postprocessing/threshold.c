/* SPDX-License-Identifier: MIT
 * Newton's method on a convex function with corners at the counts, in integers: it never
 * steps beyond the threshold, and needs few passes. docs/releases/postprocessing.md. */
#include "postprocessing/threshold.h"

enum { BLOCK = 1 << 16 }; /* counts whose halves add up to less than 2^49 */

typedef struct excess {
  cydp_wide sum; /* of max(count - k, 0) */
  uint64_t above;
} excess;

static excess excess_above(const int64_t *counts, size_t n, int64_t k) {
  excess found = {0, 0};
  for (size_t first = 0; first < n; first += BLOCK) {
    const int64_t *block = counts + first;
    const size_t rows = n - first < BLOCK ? n - first : BLOCK;
    uint64_t low = 0, high = 0, above = 0;
    for (size_t i = 0; i < rows; i++) {
      uint64_t is_above = block[i] > k;
      uint64_t over = ((uint64_t)block[i] - (uint64_t)k) & (0 - is_above);
      low += (uint32_t)over;
      high += over >> 32;
      above += is_above;
    }
    found.sum += ((cydp_wide)high << 32) + low;
    found.above += above;
  }
  return found;
}

/* Keeps the counts above k, in their order; `to` may be `counts`. */
static size_t keep_above(const int64_t *counts, size_t n, int64_t k, int64_t *to) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    to[kept] = counts[i];
    kept += counts[i] > k;
  }
  return kept;
}

cydp_threshold cydp_find_threshold(const int64_t *counts, size_t n, cydp_wide total,
                                   int64_t start, int64_t *scratch) {
  int64_t k = start;
  for (unsigned passes = 1;; passes++) {
    excess now = excess_above(counts, n, k);
    cydp_wide step = (now.sum - total) / (cydp_wide)now.above;
    if (step == 0)
      return (cydp_threshold){k, now.above, (uint64_t)(now.sum - total), passes};
    /* Counts at or below k never matter again. */
    if (now.above <= n / 2) {
      n = keep_above(counts, n, k, scratch);
      counts = scratch;
    }
    k = (int64_t)((uint64_t)k + (uint64_t)step);
  }
}
