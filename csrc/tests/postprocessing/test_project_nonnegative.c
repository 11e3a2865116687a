/* SPDX-License-Identifier: MIT
 * The closest tables without negative cells: by brute force, and at the ends of int64. */
#include "cydp.h"
#include "tests/check.h"
#include "tests/postprocessing/tables.h"

enum { CELLS = 4, LOW = -3, HIGH = 3, MOST = CELLS * 3 * HIGH };

/* The least squared distance of a table to tables without negative cells, by totals. */
static void nearest(const int64_t *counts, int64_t least[MOST + 1]) {
  int64_t other[CELLS] = {0};
  for (size_t t = 0; t <= MOST; t++)
    least[t] = INT64_MAX;
  do {
    int64_t total = total_of(other, CELLS), far = distance(counts, other, CELLS);
    least[total] = far < least[total] ? far : least[total];
  } while (next_table(other, CELLS, 0, 3 * HIGH));
}

static void check_closest(const int64_t *counts) {
  int64_t out[CELLS], least[MOST + 1], own = total_of(counts, CELLS);
  size_t negative;
  nearest(counts, least);
  for (int64_t total = -1; total <= CELLS * HIGH; total++) {
    const cydp_int128 given = as_int128(total);
    bool is_own = total < 0;
    CHECK(cydp_project_nonnegative(counts, 1, CELLS, is_own ? NULL : &given, out,
                                   &negative) == CYDP_OK);
    CHECK(negative == (own < 0));
    int64_t kept = is_own ? own < 0 ? 0 : own : total;
    for (size_t i = 0; i < CELLS; i++)
      CHECK(out[i] >= 0);
    CHECK(total_of(out, CELLS) == kept);
    CHECK(distance(counts, out, CELLS) == least[kept]);
  }
}

static cydp_status one(int64_t a, int64_t b, cydp_wide total, int64_t *out) {
  const int64_t counts[] = {a, b};
  const cydp_int128 given = as_int128(total);
  size_t negative;
  return cydp_project_nonnegative(counts, 1, 2, &given, out, &negative);
}

int main(void) {
  int64_t counts[CELLS] = {LOW, LOW, LOW, LOW}, out[4];
  size_t negative;
  do
    check_closest(counts);
  while (next_table(counts, CELLS, LOW, HIGH));

  const cydp_wide max = INT64_MAX;
  CHECK(one(INT64_MIN, INT64_MIN, 2 * max, out) == CYDP_OK && out[0] == INT64_MAX);
  CHECK(one(INT64_MIN, INT64_MIN, 2 * max + 1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(INT64_MIN, INT64_MAX, max, out) == CYDP_OK && out[0] == 0 && out[1] == max);
  CHECK(one(INT64_MIN, INT64_MAX, max + 1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(INT64_MIN, INT64_MAX, 1, out) == CYDP_OK && out[0] == 0 && out[1] == 1);
  CHECK(one(INT64_MIN, INT64_MIN, 1, out) == CYDP_OK && out[0] + out[1] == 1);
  CHECK(one(INT64_MAX, INT64_MAX, 3, out) == CYDP_OK && out[0] + out[1] == 3);
  CHECK(one(5, 5, -1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(5, 5, (cydp_wide)1 << 126, out) == CYDP_ERROR_DOMAIN);

  const cydp_int128 none = {0, 0}, some = {1, 0};
  const int64_t pairs[] = {-5, 2, 3, -1};
  CHECK(cydp_project_nonnegative(NULL, 1, 0, NULL, NULL, &negative) == CYDP_OK);
  CHECK(cydp_project_nonnegative(NULL, 1, 0, &none, NULL, &negative) == CYDP_OK);
  CHECK(cydp_project_nonnegative(NULL, 1, 0, &some, NULL, &negative) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_project_nonnegative(pairs, 2, 2, NULL, out, &negative) == CYDP_OK);
  CHECK(negative == 1);
  CHECK(out[0] == 0 && out[1] == 0 && out[2] == 2 && out[3] == 0);
  return 0;
}
