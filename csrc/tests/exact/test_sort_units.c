/* SPDX-License-Identifier: MIT
 * Sorting against qsort: types, lengths and ranges; what is refused. */
#include "cydp.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

static uint64_t random64(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void sorts(size_t n, int64_t lowest, int64_t highest) {
  static int64_t wide[MOST], expected[MOST];
  static int32_t narrow[MOST];
  uint64_t range = (uint64_t)highest - (uint64_t)lowest;
  for (size_t i = 0; i < n; i++) {
    uint64_t above = range == UINT64_MAX ? random64() : random64() % (range + 1);
    expected[i] = (int64_t)((uint64_t)lowest + above);
    if (i % 50 == 0)
      expected[i] = i % 100 ? lowest : highest;
    wide[i] = expected[i];
    narrow[i] = (int32_t)expected[i];
  }
  qsort(expected, n, sizeof *expected, by_value);
  CHECK(cydp_sort_units(wide, CYDP_I64, n, lowest, highest) == CYDP_OK);
  CHECK(memcmp(wide, expected, n * sizeof *wide) == 0);
  if (lowest < INT32_MIN || highest > INT32_MAX)
    return;
  CHECK(cydp_sort_units(narrow, CYDP_I32, n, lowest, highest) == CYDP_OK);
  for (size_t i = 0; i < n; i++)
    CHECK(narrow[i] == expected[i]);
}

int main(void) {
  const int64_t ranges[][2] = {{0, 0},
                               {-1, 0},
                               {5, 12},
                               {-1000, 1047},
                               {-1000, 1048},
                               {0, 1 << 22},
                               {INT32_MIN, INT32_MAX},
                               {-(INT64_C(1) << 51), INT64_C(1) << 51},
                               {0, INT64_MAX},
                               {INT64_MIN, INT64_MAX}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    for (size_t n = 0; n <= MOST; n = n < 3 ? n + 1 : 3 * n + 1)
      sorts(n, ranges[i][0], ranges[i][1]);
  CHECK(cydp_sort_units(NULL, CYDP_F64, 0, 0, 1) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_sort_units(NULL, CYDP_I32, 0, 1, 0) == CYDP_ERROR_DOMAIN);
  return 0;
}
