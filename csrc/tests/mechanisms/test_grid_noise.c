/* SPDX-License-Identifier: MIT
 * Number plus noise against 128-bit integers, on every kernel: they are rounded once. */
#include "cydp.h"
#include "mechanisms/kernels.h"
#include "tests/check.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { ROWS = (1 << 16) + 4000 }; /* more than one chunk */

static uint64_t state = 1;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static double number(size_t i, int exponent) {
  static const double special[] = {NAN,  INFINITY, -INFINITY, -0.0,      0.5,
                                   -1.5, 0x1p126,  -0x1p126,  0x1p-1074, -0x1p1023};
  if (i < sizeof special / sizeof *special)
    return i < 4 || i > 7 ? special[i] : ldexp(special[i], exponent);
  double magnitude = (double)(int64_t)(draw() | 1) * 0x1p-63;
  if (i % 3) /* of any size, to beyond the ends */
    return ldexp(magnitude, (int)(draw() % 140) - 10 + exponent);
  double whole = (double)(int64_t)(draw() >> draw() % 60 >> 1); /* and ties */
  return ldexp(whole + (draw() % 2 ? 0.5 : 0), exponent);
}

/* gcc and clang round the conversion of 128 bits as the mode says. */
static double exactly(double value, int64_t noise, int exponent) {
  double units = isnan(value) ? 0 : ldexp(value, -exponent);
  units = units > 0x1p126 ? 0x1p126 : units < -0x1p126 ? -0x1p126 : units;
  return ldexp((double)((wide)nearbyint(units) + noise), exponent);
}

static void check_exponent(int exponent, const cydp_mechanisms_table *kernels) {
  static double values[ROWS], before[ROWS];
  static int64_t noise[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    values[i] = before[i] = number(i, exponent);
    noise[i] = (int64_t)draw() >> (2 + draw() % 62);
    if (i % 4 == 1 && i > 8) { /* next to a tie, by less than 53 bits of the noise tell */
      int half = 54 + (int)(draw() % 8);
      double units = (double)((UINT64_C(1) << 52) + draw() % (UINT64_C(1) << 52));
      values[i] = before[i] = ldexp(units, half + 1 + exponent);
      noise[i] = (INT64_C(1) << half) + (int64_t)(draw() % 5) - 2;
      noise[i] = draw() % 2 ? noise[i] : -noise[i];
    }
  }
  if (kernels)
    kernels->grid_noise(values, noise, ROWS, ldexp(1, -exponent), ldexp(1, exponent),
                        values);
  else
    CHECK(cydp_add_grid_noise(values, noise, ROWS, exponent, 2, values) == CYDP_OK);
  for (size_t i = 0; i < ROWS; i++)
    CHECK(values[i] == exactly(before[i], noise[i], exponent));
  /* In place of the noise. */
  CHECK(cydp_add_grid_noise(before, noise, ROWS, exponent, 2, (double *)noise) ==
        CYDP_OK);
  CHECK(memcmp(values, noise, sizeof values) == 0);
}

int main(void) {
  static const int exponents[] = {0, 1, -1, 20, -40, -72, 500, 896, -1000, -1021};
  for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
    const cydp_mechanisms_table *kernels;
    for (size_t i = 0; (kernels = cydp_mechanisms_kernels_at(i)); i++)
      check_exponent(exponents[e], kernels);
    check_exponent(exponents[e], NULL);
  }
  /* The caller's rounding mode has no say. */
  double value = 0x1p60;
  int64_t one = 1;
  fesetround(FE_UPWARD);
  CHECK(cydp_add_grid_noise(&value, &one, 1, 0, 1, &value) == CYDP_OK);
  CHECK(fegetround() == FE_UPWARD);
  fesetround(FE_TONEAREST);
  CHECK(value == 0x1p60);
  CHECK(cydp_add_grid_noise(&value, &one, 1, 897, 1, &value) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_add_grid_noise(&value, &one, 1, -1022, 1, &value) == CYDP_ERROR_DOMAIN);
  return 0;
}
