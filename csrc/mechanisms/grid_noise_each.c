/* SPDX-License-Identifier: MIT
 * The kernel that adds noise to numbers on a grid, compiled for each instruction set. The
 * sum of number and noise is rounded to a double as if it had been computed exactly
 * (Boldo, Melquiond: Emulation of FMA and correctly rounded sums, 2008).
 * docs/mechanisms/grid_noise.md. */
#include "base/independent.h"
#include "mechanisms/kernels.h"

#include <math.h>
#include <string.h>

#define MOST_UNITS 0x1p126
#define INTEGER 0x1p52 /* a double of at least this size is an integer */

typedef struct exact_sum {
  double high, low;
} exact_sum;

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
static inline double units_of(double value, double per_unit) {
  double units = value * per_unit;
  units = select(units == units, units, 0);
  units = select(units < -MOST_UNITS, -MOST_UNITS, units);
  units = select(units > MOST_UNITS, MOST_UNITS, units);
  double shift = copysign(INTEGER, units);
  double rounded = (units + shift) - shift;
  return select(fabs(units) < INTEGER, rounded, units);
}

/* The result may take the place of the noise. */
void CYDP_KERNEL(grid_noise)(const double *values, const int64_t *noise, size_t n,
                             double per_unit, double unit, double *out) {
  CYDP_INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    double units = units_of(values[i], per_unit);
    double upper = (double)(int32_t)((uint64_t)noise[i] >> 32) * 0x1p32;
    double lower = (double)(uint32_t)noise[i];
    exact_sum both = two_sum(upper, lower);
    exact_sum sum = two_sum(units, both.high);
    out[i] = (sum.high + odd_sum(sum.low, both.low)) * unit;
  }
}
