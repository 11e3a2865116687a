/* SPDX-License-Identifier: MIT
 * Number plus noise against 128-bit integers, on every kernel: they are rounded once. */
#include "cydp.h"
#include "cydp_testing.h"
#include "mechanisms/kernels.h"
#include "tests/check.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
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
    kernels->grid_noise(values, noise, ROWS, ldexp(1, -exponent), ldexp(1, exponent), 0x1p126,
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

/* Returns the nearest multiple of the grid, ties to even, of an integer that is cut. */
static wide integer_units(wide value, int exponent) {
  int end = exponent + 113 > 53 ? exponent + 113 : 53;
  wide limit = (wide)1 << (end < 70 ? end : 70), step, units;
  value = value > limit ? limit : value < -limit ? -limit : value;
  if (exponent <= 0)
    return value * ((wide)1 << -exponent);
  step = (wide)1 << exponent;
  units = value >> exponent; /* towards minus infinity */
  wide rest = value - units * step;
  return units + (2 * rest > step || (2 * rest == step && units % 2 != 0));
}

static double released(cydp_numbers numbers, uint64_t bits, int64_t noise, int exponent) {
  double value;
  memcpy(&value, &bits, sizeof value);
  if (numbers != CYDP_DOUBLES) {
    wide integer = numbers == CYDP_SIGNED ? (wide)(int64_t)bits : (wide)bits;
    return ldexp((double)(integer_units(integer, exponent) + noise), exponent);
  }
  double end = fmax(0x1p53, ldexp(1, 113 + exponent));
  value = isnan(value) ? 0 : fmin(fmax(value, -end), end);
  return exactly(value, noise, exponent);
}

/* What is drawn for a sum is what is drawn alone, and it is added to the exact number. */
static void check_drawn(cydp_numbers numbers, uint64_t scale, int exponent, size_t n,
                        unsigned threads) {
  static uint64_t values[ROWS], before[ROWS];
  static int64_t noise[ROWS];
  const uint64_t one = 1;
  const cydp_key key = {.words = {(uint32_t)n, 3}};
  cydp_rng *first, *second;
  cydp_sampler *sampler;
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&scale, 1, &one, 1}, &sampler) ==
        CYDP_OK);
  CHECK(cydp_rng_new_seeded(&key, &first) == CYDP_OK);
  CHECK(cydp_rng_new_seeded(&key, &second) == CYDP_OK);
  for (size_t i = 0; i < n; i++) {
    double real = number(i, exponent);
    memcpy(values + i, &real, sizeof real);
    if (numbers != CYDP_DOUBLES) {
      values[i] = draw() << draw() % 64; /* with ties */
      if (i % 4 == 3)
        values[i] = UINT64_C(0) - draw() % 5;
      if (i % 4 == 2)
        values[i] = (UINT64_C(1) << 63) + draw() % 5 - 2;
    }
    before[i] = values[i];
  }
  CHECK(cydp_sampler_fill(sampler, n, first, CYDP_FAST, 1, noise) == CYDP_OK);
  CHECK(cydp_fill_grid_noise(sampler, numbers, values, n, exponent, second, CYDP_FAST,
                             threads, (double *)values) == CYDP_OK); /* in place */
  for (size_t i = 0; i < n; i++) {
    double found, expected = released(numbers, before[i], noise[i], exponent);
    memcpy(&found, values + i, sizeof found);
    CHECK(found == expected);
  }
  /* Both generators go on from the same place. */
  CHECK(cydp_rng_next64(first) == cydp_rng_next64(second));
  cydp_sampler_free(sampler);
  cydp_rng_free(first);
  cydp_rng_free(second);
}

static void check_draws(void) {
  static const int exponents[] = {-200, -61, -60, -59, -50, -49, -40, -1,
                                  0,    1,   11,  12,  13,  14,  40,  62};
  static const size_t lengths[] = {1, 256, 257, 5000, ROWS};
  for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
      for (int numbers = CYDP_DOUBLES; numbers <= CYDP_UNSIGNED; numbers++)
        if (numbers == CYDP_DOUBLES || exponents[e] >= -60)
          check_drawn((cydp_numbers)numbers, l % 2 ? 3 : UINT64_C(1) << 45, exponents[e],
                      lengths[l], 1 + (unsigned)e % 3);
}

static void check_refusals(void) {
  const uint64_t one = 1;
  double value = 0;
  cydp_rng *rng;
  cydp_sampler *sampler, *narrow;
  CHECK(cydp_rng_new(&rng) == CYDP_OK);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&one, 1, &one, 1}, &sampler) ==
        CYDP_OK);
  CHECK(cydp_sampler_new_int32(sampler, &narrow) == CYDP_OK);
  CHECK(cydp_fill_grid_noise(narrow, CYDP_DOUBLES, &value, 1, 0, rng, CYDP_FAST, 1,
                             &value) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_fill_grid_noise(sampler, CYDP_DOUBLES, &value, 1, 897, rng, CYDP_FAST, 1,
                             &value) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_fill_grid_noise(sampler, CYDP_DOUBLES, NULL, 0, 0, rng, CYDP_FAST, 1, NULL) ==
        CYDP_OK);
  cydp_sampler_free(narrow);
  cydp_sampler_free(sampler);
  cydp_rng_free(rng);
}

int main(void) {
  check_refusals();
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
  for (size_t i = 0; cydp_mechanisms_kernels_at(i); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", cydp_mechanisms_kernels_at(i)->isa, 1) == 0);
    CHECK(cydp_init() == CYDP_OK);
    check_draws();
  }
  return 0;
}
