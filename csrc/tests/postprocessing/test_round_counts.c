/* SPDX-License-Identifier: MIT
 * Multiples of a base, clamped counts and shares. */
#include "cydp.h"
#include "tests/check.h"
#include "tests/postprocessing/tables.h"

/* The nearest multiple in int64_t: ties to even ones, among wide ones. */
static int64_t slow_round(int64_t count, int64_t base, size_t *saturated) {
  cydp_wide down = count / base - (count % base < 0);
  cydp_wide over = count - down * base, twice = 2 * over;
  cydp_wide chosen = (twice > base || (twice == base && down % 2)) ? down + 1 : down;
  while (chosen * base > INT64_MAX || chosen * base < INT64_MIN) {
    chosen += chosen > 0 ? -1 : 1;
    ++*saturated;
  }
  return (int64_t)(chosen * base);
}

static void check_round(int64_t count, int64_t base) {
  int64_t out;
  size_t saturated, expected = 0;
  CHECK(cydp_round_counts(&count, 1, base, &out, &saturated) == CYDP_OK);
  CHECK(out == slow_round(count, base, &expected));
  CHECK(saturated == expected);
}

int main(void) {
  const int64_t bases[] = {1,  2, 3, 4, 5, 7, 10, 1000, INT64_C(1) << 31, INT64_C(1) << 62,
                           INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
    for (int64_t i = -50; i <= 50; i++) {
      check_round(i, bases[b]);
      check_round(i < 0 ? INT64_MIN - i - 1 : INT64_MAX - i, bases[b]);
      check_round(bases[b] / 2 + i, bases[b]);
      check_round(-(bases[b] / 2) + i, bases[b]);
    }
  int64_t counts[] = {INT64_MIN, -3, 0, 4, INT64_MAX}, out[5];
  size_t saturated;
  CHECK(cydp_round_counts(counts, 5, 0, out, &saturated) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_round_counts(counts, 5, -2, out, &saturated) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_round_counts(counts, 5, 10, out, &saturated) == CYDP_OK && saturated == 2);

  cydp_clamp_counts(counts, 5, -1, 2, out);
  CHECK(out[0] == -1 && out[1] == -1 && out[2] == 0 && out[3] == 2 && out[4] == 2);
  cydp_clamp_counts(counts, 5, INT64_MIN, INT64_MAX, out);
  CHECK(distance(counts + 1, out + 1, 3) == 0);
  CHECK(out[0] == INT64_MIN && out[4] == INT64_MAX);

  const int64_t tables[] = {1, 3, 2, -2, 5, -6, INT64_MAX, INT64_MAX};
  double shares[8];
  CHECK(cydp_shares(tables, 4, 2, shares) == 2);
  CHECK(shares[0] == 0.25 && shares[1] == 0.75 && shares[6] == 0.5 && shares[7] == 0.5);
  for (size_t i = 2; i < 6; i++)
    CHECK(shares[i] == 0);
  CHECK(cydp_shares(NULL, 3, 0, NULL) == 3);
  return 0;
}
