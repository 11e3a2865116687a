/* SPDX-License-Identifier: MIT
 * Two kernels: one adds noise to numbers on a grid, for all instruction sets but AVX-512;
 * one reads integers, for all instruction sets. The sum of number and noise is
 * rounded to a double as if it had been computed exactly (Boldo, Melquiond: Emulation of
 * FMA and correctly rounded sums, 2008).
 * docs/mechanisms/grid_noise.md. */
#include "base/independent.h"
#include "mechanisms/kernels.h"

#include <math.h>
#include <string.h>

#define SIGN (UINT64_C(1) << 63)
#define INTEGER 0x1p52 /* a double of at least this size is an integer */

typedef struct exact_sum {
  double high, low;
} exact_sum;

/* The halves of 64 bits x, as doubles: upper + lower is x - zero, and both are exact. A
 * half that is put below the bits of 2^52 or 2^84 counts their last places. `zero` is 0 or
 * 2^63. */
static inline exact_sum halves(uint64_t x, double zero) {
  uint64_t high = x >> 32 | UINT64_C(0x4530000000000000);
  uint64_t low = (x & UINT32_MAX) | UINT64_C(0x4330000000000000);
  exact_sum both;
  memcpy(&both.high, &high, sizeof high);
  memcpy(&both.low, &low, sizeof low);
  return (exact_sum){both.high - (0x1p84 + zero), both.low - 0x1p52};
}

#ifndef CYDP_FOR_avx512 /* which has grid_noise_avx512.c */
/* Two-sum where |a| >= |b| or a is 0. */
static inline exact_sum quick_two_sum(double a, double b) {
  double high = a + b;
  return (exact_sum){high, b - (high - a)};
}

/* Knuth's two-sum: high is a + b rounded, and high + low is a + b. */
static inline exact_sum two_sum(double a, double b) {
  double high = a + b, b_part = high - a, a_part = high - b_part;
  return (exact_sum){high, (a - a_part) + (b - b_part)};
}

/* Rounds a + b to one of the two doubles around it, the odd one: rounding that once more,
 * to fewer bits, is as if a + b had been rounded once. */
static inline double odd_sum(double a, double b) {
  exact_sum sum = two_sum(a, b);
  int64_t bits, low;
  memcpy(&bits, &sum.high, sizeof bits);
  memcpy(&low, &sum.low, sizeof low);
  int64_t away = 1 - 2 * (int64_t)((uint64_t)(bits ^ low) >> 63); /* -1: towards 0 */
  int64_t inexact = -(int64_t)((uint64_t)low << 1 != 0);
  bits += away & inexact & ((bits & 1) - 1);
  memcpy(&sum.high, &bits, sizeof bits);
  return sum.high;
}

/* Has no branch, which a clock would see. */
static inline double select(bool condition, double yes, double no) {
  uint64_t mask = -(uint64_t)condition, a, b;
  memcpy(&a, &yes, sizeof a);
  memcpy(&b, &no, sizeof b);
  a = (a & mask) | (b & ~mask);
  memcpy(&yes, &a, sizeof yes);
  return yes;
}

/* Returns the nearest integer in units, ties to even. */
static inline double units_of(double value, double per_unit, double most) {
  double units = value * per_unit;
  units = select(units == units, units, 0);
  units = select(units < -most, -most, units);
  units = select(units > most, most, units);
#if defined(__SSE4_1__) || defined(__aarch64__)
  return nearbyint(units);
#else /* which would be a call */
  double shift = copysign(INTEGER, units);
  double rounded = (units + shift) - shift;
  return select(fabs(units) < INTEGER, rounded, units);
#endif
}

/* The result may take the place of the noise. */
void CYDP_KERNEL(grid_noise)(const double *values, const int64_t *noise, size_t n,
                             double per_unit, double unit, double most_units,
                             double *out) {
  CYDP_INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    double units = units_of(values[i], per_unit, most_units);
    exact_sum half = halves((uint64_t)noise[i] ^ SIGN, 0x1p63);
    exact_sum both = quick_two_sum(half.high, half.low);
    exact_sum sum = two_sum(units, both.high);
    out[i] = (sum.high + odd_sum(sum.low, both.low)) * unit;
  }
}
#endif

/* Bits that are cut, if any of them is 1, make the bits that are left odd. */
static void read_odd(const uint64_t *values, size_t n, const cydp_grid_integers *reading,
                     uint64_t flip, double zero, double *near) {
  const uint64_t one = UINT64_C(1) << reading->low;
  CYDP_INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint64_t x = values[i] ^ flip;
    x = x < reading->least ? reading->least : x > reading->most ? reading->most : x;
    uint64_t rest = x & (one - 1);
    exact_sum half = halves((x - rest) | (rest != 0 ? one : 0), zero);
    near[i] = half.high + half.low;
  }
}

void CYDP_KERNEL(grid_integers)(const uint64_t *values, size_t n,
                                const cydp_grid_integers *reading, double *near,
                                int64_t *noise) {
  const cydp_grid_integers by = *reading;
  const uint64_t flip = by.zero & SIGN; /* the sign bit of signed integers */
  const double zero = by.zero ? 0x1p63 : 0;
  if (by.odd) {
    read_odd(values, n, reading, flip, zero, near);
    return;
  }
  const uint64_t mask = (UINT64_C(1) << by.low) - 1;
  const uint64_t half = by.right ? (UINT64_C(1) << (by.right - 1)) - 1 : 0;
  const uint64_t even = by.right ? 1 : 0;
  CYDP_INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint64_t x = values[i] ^ flip;
    x = x < by.least ? by.least : x > by.most ? by.most : x;
    uint64_t rest = x & mask, units = rest << by.left;
    units = (units + half + (units >> by.right & even)) >> by.right;
    exact_sum both = halves(x - rest, zero);
    near[i] = both.high + both.low;
    noise[i] = (int64_t)((uint64_t)noise[i] + units);
  }
}
