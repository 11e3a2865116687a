/* SPDX-License-Identifier: MIT
 * Places of tied units, by their definition: all of them and any part; how many are up to a
 * point; one number more takes one place more. */
#include "mechanisms/quantile_places.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

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

/* The first place of a unit, its middle, then the middles between these from left to right, and
 * so on. */
static int64_t kth_place(uint64_t k, unsigned bits) {
  uint64_t parts = 1;
  while (2 * parts <= k)
    parts *= 2;
  return k ? (int64_t)(((2 * (k - parts) + 1) << bits) / (2 * parts)) : 0;
}

static void place_all(const int64_t *units, size_t n, int64_t base, unsigned bits,
                      int64_t *places) {
  uint64_t k = 0;
  for (size_t i = 0; i < n; i++) {
    k = i && units[i] == units[i - 1] ? k + 1 : 0;
    places[i] = ((units[i] - base) << bits) + kth_place(k, bits);
  }
  qsort(places, n, sizeof *places, by_value);
}

static void places_are_those_of_the_definition(size_t n, uint64_t most, unsigned bits) {
  static int64_t wide[MOST], expected[MOST], places[MOST];
  static int32_t narrow[MOST];
  const int64_t base = -7;
  for (size_t i = 0; i < n; i++)
    wide[i] = base + (int64_t)(random64() % most);
  qsort(wide, n, sizeof *wide, by_value);
  for (size_t i = 0; i < n; i++)
    narrow[i] = (int32_t)wide[i];
  place_all(wide, n, base, bits, expected);
  const cydp_tied_units tied[2] = {{wide, false, n, base, bits},
                                   {narrow, true, n, base, bits}};
  for (size_t run = 0; run < 20; run++) {
    const size_t first = run ? random64() % (n + 1) : 0;
    const size_t last = run ? first + random64() % (n - first + 1) : n;
    cydp_places(&tied[run % 2], first, last, places);
    CHECK(memcmp(places, expected + first, (last - first) * sizeof *places) == 0);
    const int64_t beside = (int64_t)(run % 3) - 1;
    const int64_t point = n && run ? expected[random64() % n] + beside : (int64_t)run - 1;
    size_t up_to = 0;
    while (up_to < n && expected[up_to] <= point)
      up_to++;
    CHECK(cydp_places_up_to(&tied[run % 2], point) == up_to);
  }
}

/* Also where there are more numbers than places. */
static void one_more_takes_one_place_more(void) {
  enum { FEW = 40, BITS = 2 };
  int64_t units[FEW + 1], before[FEW], after[FEW + 1];
  for (size_t n = 0; n < FEW; n++)
    for (size_t low = 0; low <= n; low++)
      for (int unit = 0; unit < 2; unit++) {
        for (size_t i = 0; i <= n; i++)
          units[i] = i >= low;
        cydp_places(&(cydp_tied_units){units, false, n, 0, BITS}, 0, n, before);
        for (size_t i = 0; i <= n; i++)
          units[i] = i >= low + (unit == 0);
        cydp_places(&(cydp_tied_units){units, false, n + 1, 0, BITS}, 0, n + 1, after);
        size_t same = 0;
        for (size_t i = 0; i <= n; i++)
          if (same < n && before[same] == after[i])
            same++;
          else
            CHECK(after[i] >> BITS == unit);
        CHECK(same == n);
      }
}

int main(void) {
  for (unsigned bits = 0; bits <= 31; bits += bits < 4 ? 1 : 9)
    for (uint64_t most = 1; most < 2000; most *= 5)
      for (size_t n = 0; n <= MOST; n = n < 20 ? n + 1 : 2 * n + 1)
        places_are_those_of_the_definition(n, most, bits);
  one_more_takes_one_place_more();
  return 0;
}
