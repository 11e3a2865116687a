/* SPDX-License-Identifier: MIT
 * Units are the integers that sums add, without NaN; types and bounds are checked. */
#include "cydp.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <fenv.h>
#include <math.h>

enum { ROWS = 1300 };

static uint64_t random64(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void units_are_those_of_sums(const cydp_grid *grid, unsigned missing) {
  static double f64[ROWS];
  static float f32[ROWS];
  static int64_t i64[ROWS], wide[ROWS], q[ROWS];
  static int32_t i32[ROWS], narrow[ROWS];
  const void *columns[] = {f64, f32, i64, i32};
  const cydp_dtype dtypes[] = {CYDP_F64, CYDP_F32, CYDP_I64, CYDP_I32};
  for (size_t i = 0; i < ROWS; i++) {
    i64[i] = (int64_t)random64() >> random64() % 64;
    i32[i] = (int32_t)i64[i];
    f64[i] = random64() % 100 < missing ? NAN : (double)i64[i] / 8;
    f32[i] = (float)f64[i];
  }
  for (size_t n = 0; n <= ROWS; n += n < 3 ? 1 : 1297)
    for (size_t type = 0; type < 4; type++) {
      size_t expected = 0, kept;
      cydp_grid_round_portable(grid, dtypes[type], columns[type], n, q);
      for (size_t i = 0; i < n; i++)
        if (type > 1 || !isnan(f64[i]))
          q[expected++] = q[i];
      CHECK(cydp_grid_units(grid, columns[type], dtypes[type], n, CYDP_I64, wide,
                            &kept) == CYDP_OK);
      CHECK(kept == expected);
      for (size_t i = 0; i < kept; i++)
        CHECK(wide[i] == q[i]);
      CHECK(cydp_grid_units(grid, columns[type], dtypes[type], n, CYDP_I32, narrow,
                            &kept) == CYDP_OK);
      CHECK(kept == expected);
      for (size_t i = 0; i < kept; i++)
        CHECK(narrow[i] == q[i]);
    }
}

/* Ties go to even, and the caller has the mode again. */
static void rounding_modes_are_given_back(void) {
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  const cydp_grid grid = {0, -9, 9};
  const double ties[] = {0.5, 1.5, 2.5, -0.5, -1.5, 3.25, 3.75, -3.75};
  const int64_t expected[] = {0, 2, 2, 0, -2, 3, 4, -4};
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    int64_t units[8];
    size_t kept;
    CHECK(fesetround(modes[m]) == 0);
    cydp_status status =
        cydp_grid_units(&grid, ties, CYDP_F64, 8, CYDP_I64, units, &kept);
    CHECK(fegetround() == modes[m]);
    CHECK(fesetround(FE_TONEAREST) == 0);
    CHECK(status == CYDP_OK && kept == 8);
    for (size_t i = 0; i < kept; i++)
      CHECK(units[i] == expected[i]);
  }
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  rounding_modes_are_given_back();
  for (unsigned missing = 0; missing <= 100; missing += 25) {
    units_are_those_of_sums(&(cydp_grid){0, -100, 1000}, missing);
    units_are_those_of_sums(&(cydp_grid){-10, INT32_MIN, INT32_MAX}, missing);
    units_are_those_of_sums(&(cydp_grid){3, 5, 9}, missing); /* 0 is outside */
  }
  const cydp_grid wide = {0, 0, INT64_C(1) << 31}, low = {0, -(INT64_C(1) << 32), 0},
                  bad = {0, 1, 0};
  int64_t units[1];
  size_t kept;
  CHECK(cydp_grid_units(&wide, units, CYDP_I64, 1, CYDP_I32, units, &kept) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_units(&low, units, CYDP_I64, 1, CYDP_I32, units, &kept) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_units(&wide, units, CYDP_I64, 1, CYDP_F64, units, &kept) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_units(&bad, units, CYDP_I64, 1, CYDP_I64, units, &kept) ==
        CYDP_ERROR_DOMAIN);
  return 0;
}
