/* SPDX-License-Identifier: MIT
 *
 * Small tables, all of them, and slow projections. */
#ifndef CYDP_TESTS_POSTPROCESSING_TABLES_H
#define CYDP_TESTS_POSTPROCESSING_TABLES_H

#include "postprocessing/table_sum.h"

/* Sets table to the next one with cells from `lowest` to `highest`; false after the last. */
static inline bool next_table(int64_t *table, size_t n, int64_t lowest, int64_t highest) {
  for (size_t i = 0; i < n; i++) {
    if (table[i] < highest) {
      table[i]++;
      return true;
    }
    table[i] = lowest;
  }
  return false;
}

static inline int64_t total_of(const int64_t *table, size_t n) {
  int64_t total = 0;
  for (size_t i = 0; i < n; i++)
    total += table[i];
  return total;
}

static inline int64_t distance(const int64_t *a, const int64_t *b, size_t n) {
  int64_t squares = 0;
  for (size_t i = 0; i < n; i++)
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  return squares;
}

static inline cydp_int128 as_int128(cydp_wide x) {
  return (cydp_int128){(uint64_t)x, (int64_t)(x >> 64)};
}

#endif
