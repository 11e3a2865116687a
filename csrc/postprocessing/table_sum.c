/* SPDX-License-Identifier: MIT
 * Adds up counts whose sum may be beyond 64 bits: their upper and lower halves apart, so
 * that a loop of 64 bits does it. docs/releases/postprocessing.md. */
#include "postprocessing/table_sum.h"

enum { BLOCK = 1 << 16 }; /* counts whose halves add up to less than 2^49 */

/* Adds n <= BLOCK counts. Each is taken as count + 2^63, which is not negative. */
static void add_block(const int64_t *counts, size_t n, cydp_table_sum *to) {
  uint64_t low = 0, high = 0;
  int64_t smallest = to->smallest, largest = to->largest;
  for (size_t i = 0; i < n; i++) {
    uint64_t above = (uint64_t)counts[i] ^ (UINT64_C(1) << 63);
    low += (uint32_t)above;
    high += above >> 32;
    smallest = counts[i] < smallest ? counts[i] : smallest;
    largest = counts[i] > largest ? counts[i] : largest;
  }
  to->total += ((cydp_wide)high << 32) + low - ((cydp_wide)n << 63);
  to->smallest = smallest;
  to->largest = largest;
}

cydp_table_sum cydp_sum_table(const int64_t *counts, size_t n) {
  cydp_table_sum sum = {0, INT64_MAX, INT64_MIN};
  for (size_t first = 0; first < n; first += BLOCK)
    add_block(counts + first, n - first < BLOCK ? n - first : BLOCK, &sum);
  return sum;
}
