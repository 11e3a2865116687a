/* SPDX-License-Identifier: MIT
 * The closest tables with a total: by brute force, and at the ends of int64. */
#include "cydp.h"
#include "tests/check.h"
#include "tests/postprocessing/tables.h"

enum { CELLS = 3, LOW = -2, HIGH = 3 };

static void check_closest(const int64_t *counts, int64_t total) {
  int64_t out[CELLS], other[CELLS] = {LOW - 3, LOW - 3, LOW - 3};
  const cydp_int128 given = as_int128(total);
  CHECK(cydp_project_total(counts, 1, CELLS, &given, out) == CYDP_OK);
  CHECK(total_of(out, CELLS) == total);
  do
    CHECK(total_of(other, CELLS) != total ||
          distance(counts, out, CELLS) <= distance(counts, other, CELLS));
  while (next_table(other, CELLS, LOW - 3, HIGH + 3));
}

/* The parts of an excess and of its negative are opposite, so symmetric noise stays so. */
static void check_odd(size_t cells, int64_t excess) {
  int64_t zeros[16] = {0}, down[16], up[16];
  const cydp_int128 less = as_int128(-excess), more = as_int128(excess);
  CHECK(cydp_project_total(zeros, 1, cells, &less, down) == CYDP_OK);
  CHECK(cydp_project_total(zeros, 1, cells, &more, up) == CYDP_OK);
  for (size_t i = 0; i < cells; i++)
    CHECK(down[i] == -up[i]);
}

static cydp_status one(int64_t a, int64_t b, cydp_wide total, int64_t *out) {
  const int64_t counts[] = {a, b};
  const cydp_int128 given = as_int128(total);
  return cydp_project_total(counts, 1, 2, &given, out);
}

int main(void) {
  int64_t counts[CELLS] = {LOW, LOW, LOW}, out[4];
  do
    for (int64_t total = -7; total <= 8; total++)
      check_closest(counts, total);
  while (next_table(counts, CELLS, LOW, HIGH));
  for (size_t cells = 1; cells <= 16; cells++)
    for (int64_t excess = 0; excess < 40; excess++)
      check_odd(cells, excess);

  const cydp_wide max = INT64_MAX, min = INT64_MIN;
  CHECK(one(INT64_MAX, INT64_MAX, 2 * max, out) == CYDP_OK && out[0] == INT64_MAX);
  CHECK(one(INT64_MIN, INT64_MIN, 2 * max, out) == CYDP_OK && out[1] == INT64_MAX);
  CHECK(one(INT64_MAX, INT64_MAX, 2 * min, out) == CYDP_OK && out[1] == INT64_MIN);
  CHECK(one(INT64_MAX, INT64_MAX, 2 * max + 1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(INT64_MIN, INT64_MIN, 2 * min - 1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(INT64_MIN, INT64_MAX, -1, out) == CYDP_OK && out[0] == INT64_MIN);
  CHECK(one(INT64_MIN, INT64_MAX, 0, out) == CYDP_ERROR_DOMAIN); /* the second takes it */
  CHECK(one(INT64_MAX, INT64_MIN, 0, out) == CYDP_OK && out[1] == INT64_MIN + 1);
  CHECK(one(INT64_MIN, INT64_MAX, 1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(INT64_MIN, INT64_MAX, -3, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(0, 0, (cydp_wide)1 << 126, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(0, 0, ((cydp_wide)1 << 126) + 1, out) == CYDP_ERROR_DOMAIN);
  CHECK(one(0, 0, -((cydp_wide)1 << 126) * 2, out) == CYDP_ERROR_DOMAIN);

  const cydp_int128 none = {0, 0}, some = {1, 0}, two[] = {{0, 0}, {7, 0}};
  const int64_t pairs[] = {1, 2, 3, 4};
  CHECK(cydp_project_total(NULL, 1, 0, &none, NULL) == CYDP_OK);
  CHECK(cydp_project_total(NULL, 1, 0, &some, NULL) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_project_total(NULL, 0, 2, NULL, NULL) == CYDP_OK);
  CHECK(cydp_project_total(pairs, 2, 2, two, out) == CYDP_OK);
  CHECK(out[0] + out[1] == 0 && out[2] == 3 && out[3] == 4);
  return 0;
}
