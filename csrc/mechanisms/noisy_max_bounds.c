/* SPDX-License-Identifier: MIT
 * Noisy scores v + G in doubles, with certified bounds: G = -ln(-ln(1 - U)) or -ln U.
 * docs/mechanisms/noisy_max.md. */
#include "mechanisms/noisy_max_bounds.h"
#include "base/fixed_point.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "mechanisms/noisy_max_exact.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/exact_comparison.h"
#include "samplers/inverse_cdf.h"
#include "samplers/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN2 0.6931471805599453
#define NOISE_ERROR 0x1p-35 /* 16 times what docs/mechanisms/noisy_max.md proves of G */
#define SCORE_ERROR 0x1p-49 /* relative, of v: twice what is proved, and more */
#define TINY_ERROR 0x1p-49  /* of v, for rates that doubles cannot hold */

/* Returns the 64 most significant bits as a number in [1/2, 1], and sets *exponent to the
 * power of two that it is to be multiplied by. */
static double leading(const uint64_t *limbs, size_t n, int *exponent) {
  int zeros = __builtin_clzll(limbs[n - 1]);
  uint64_t next = n > 1 && zeros > 0 ? limbs[n - 2] >> (64 - zeros) : 0;
  *exponent = 64 * (int)n - zeros;
  return ldexp((double)(limbs[n - 1] << zeros | next), -64);
}

/* Sets the rate as a product of two doubles, so that no score that counts is lost to
 * overflow or underflow: beyond 2^2000 any two scores that differ are too far apart to
 * matter. */
static void set_rate(cydp_noisy_max *noisy_max) {
  enum { SMALL = -60, LARGE = 1000 };
  int above, below;
  double rate = leading(noisy_max->numerator, noisy_max->numerator_limbs, &above) /
                leading(noisy_max->denominator, noisy_max->denominator_limbs, &below);
  int exponent = above - below;
  noisy_max->constants.half = 1;
  noisy_max->rate = 1;
  if (exponent < SMALL) { /* halved, no difference of scores overflows */
    noisy_max->constants.half = 0.5;
    noisy_max->constants.rate = ldexp(rate, exponent + 1);
  } else if (exponent <= LARGE) {
    noisy_max->constants.rate = ldexp(rate, exponent);
  } else {
    noisy_max->constants.rate = ldexp(1, LARGE);
    noisy_max->rate = ldexp(rate, (exponent < 2 * LARGE ? exponent : 2 * LARGE) - LARGE);
  }
  noisy_max->constants.rate_units = noisy_max->rate * (0x1p23 / LN2);
}

cydp_status cydp_noisy_max_new(cydp_noise_kind noise, const cydp_rational *rate,
                               cydp_noisy_max **out) {
  const cydp_rational c = cydp_drop_zero_limbs(rate);
  if (c.numerator_limbs == 0 || c.denominator_limbs == 0 ||
      c.numerator_limbs > CYDP_RATE_LIMBS || c.denominator_limbs > CYDP_RATE_LIMBS)
    return CYDP_ERROR_DOMAIN;
  cydp_noisy_max *noisy_max = calloc(1, sizeof *noisy_max);
  if (!noisy_max)
    return CYDP_ERROR_MEMORY;
  noisy_max->noise = noise;
  noisy_max->numerator_limbs = c.numerator_limbs;
  noisy_max->denominator_limbs = c.denominator_limbs;
  memcpy(noisy_max->numerator, c.numerator, c.numerator_limbs * sizeof *c.numerator);
  memcpy(noisy_max->denominator, c.denominator,
         c.denominator_limbs * sizeof *c.denominator);
  set_rate(noisy_max);
  *out = noisy_max;
  return CYDP_OK;
}

void cydp_noisy_max_free(cydp_noisy_max *noisy_max) { free(noisy_max); }

/* Returns ln(1 + r) / r for |r| <= 1/17. */
static double series(double r) {
  const double *q = cydp_log_q;
  double r2 = r * r, r4 = r2 * r2;
  return ((q[0] + q[1] * r) + (q[2] + q[3] * r) * r2) +
         ((q[4] + q[5] * r) + (q[6] + q[7] * r) * r2) * r4;
}

/* Returns ln(x), computed as in cydp_inverse_cdf_portable. */
static double logarithm(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint64_t shifted = bits - CYDP_LOG_OFFSET;
  size_t i = shifted >> 49 & (CYDP_LOG_INTERVALS - 1);
  bits -= shifted & UINT64_C(0xfff0000000000000);
  double z, exponent = (double)(int32_t)((int64_t)shifted >> 52);
  memcpy(&z, &bits, sizeof z);
  double r = z * cydp_log_inverse[i] - 1;
  return (exponent * LN2 + cydp_log_centre[i]) + r * series(r);
}

static double double_of(uint64_t u) { /* no branch on the upper bit */
  return (double)(int64_t)(u >> 1) * 2 + (double)(int64_t)(u & 1);
}

/* Sets bounds of G for U in [u, u + 1) 2^-bits, without the errors of the doubles. */
static void exponential_bounds(uint64_t u, unsigned bits, double *low, double *high) {
  double x = double_of(u);
  double g = bits * LN2 - logarithm(x + 0.5), width = 0.5 / x;
  *low = u ? g - width : bits * LN2;
  *high = u ? g + width : INFINITY;
}

static void gumbel_bounds(uint64_t u, unsigned bits, double *low, double *high) {
  uint64_t above = (bits < 64 ? UINT32_MAX : UINT64_MAX) - u; /* of 1 - U */
  double x = double_of(u), rest = double_of(above), cell = bits < 64 ? 0x1p-32 : 0x1p-64;
  double middle = (x + 0.5) * cell;
  double e =
      middle <= 0x1.ep-5 ? middle * series(-middle) : bits * LN2 - logarithm(rest + 0.5);
  double g = -logarithm(e), width = (0.5 / x + 0.5 / rest) * (1 + 0x1p-20);
  *low = above ? (u ? g - width : bits * LN2 - 0x1p-31) : -INFINITY;
  *high = u ? (above ? g + width : -logarithm(bits * LN2)) : INFINITY;
}

static void set_bounds(const cydp_noisy_max *noisy_max, cydp_candidate *a) {
  double low, high;
  double slack = NOISE_ERROR - a->v * SCORE_ERROR + TINY_ERROR;
  if (noisy_max->noise == CYDP_GUMBEL)
    gumbel_bounds(a->u, a->bits, &low, &high);
  else
    exponential_bounds(a->u, a->bits, &low, &high);
  a->low = a->v + low - slack;
  a->high = high < INFINITY ? a->v + high + slack : INFINITY;
}

cydp_candidate cydp_candidate_of(const cydp_noisy_max *noisy_max, size_t place,
                                 double behind, uint32_t word) {
  double v = (behind * noisy_max->constants.rate) * noisy_max->rate;
  v = v < 0 ? v : 0; /* another thread may have changed the scores */
  v = v > -0x1p1000 ? v : -0x1p1000;
  cydp_candidate candidate = {.place = place, .u = word, .bits = 32, .v = v};
  set_bounds(noisy_max, &candidate);
  return candidate;
}

static cydp_status look_again(const cydp_score_row *row, cydp_candidate *a) {
  if (a->bits == 64)
    return CYDP_OK;
  cydp_fixed u;
  cydp_work work = {0};
  cydp_bits bits = cydp_candidate_bits(row, a, &work);
  cydp_status status = cydp_first_bits(&bits, 1, u);
  if (status == CYDP_OK) {
    a->u = u[0];
    a->bits = 64;
    set_bounds(row->noisy_max, a);
  }
  cydp_wipe(&bits, sizeof bits);
  return status;
}

cydp_status cydp_greater(const cydp_score_row *row, cydp_candidate *a, cydp_candidate *b,
                         cydp_work_mode work_mode, bool *greater) {
  for (int looks = 0; looks < 2 && work_mode != CYDP_RESOLVE_ALL; looks++) {
    *greater = a->low > b->high;
    if (*greater || a->high < b->low)
      return CYDP_OK;
    if (looks == 0) {
      cydp_status status = look_again(row, a);
      status = status == CYDP_OK ? look_again(row, b) : status;
      if (status != CYDP_OK)
        return status;
    }
  }
  return cydp_greater_exactly(row, a, b, greater);
}

/* Returns how many bits of 1,024 are those of `limb` at the upper end, all zeros or all ones. */
static size_t equal_bits(const uint64_t *u, uint64_t limb) {
  for (size_t i = 0; i < CYDP_MOST_LIMBS; i++) {
    uint64_t differ = u[CYDP_MOST_LIMBS - 1 - i] ^ limb;
    if (differ)
      return 64 * i + (size_t)__builtin_clzll(differ);
  }
  return 64 * CYDP_MOST_LIMBS;
}

/* Beyond 64 bits it is enough to count: zeros at the upper end of U, G >= zeros ln 2 - 2^-64;
 * or ones, which are zeros of 1 - U, E < (ones + 1) ln 2. */
cydp_status cydp_check_floor(const cydp_score_row *row, cydp_candidate *a) {
  if (a->low > CYDP_NOISY_SCORE_FLOOR)
    return CYDP_OK;
  cydp_status status = look_again(row, a);
  if (status != CYDP_OK || a->low > CYDP_NOISY_SCORE_FLOOR)
    return status;
  cydp_fixed u;
  cydp_work work = {0};
  cydp_bits bits = cydp_candidate_bits(row, a, &work);
  status = cydp_first_bits(&bits, CYDP_MOST_LIMBS, u);
  if (status == CYDP_OK) {
    size_t zeros = equal_bits(u, 0), ones = equal_bits(u, UINT64_MAX);
    double noise =
        zeros >= 64 ? (double)zeros * LN2 : -logarithm((double)(ones + 1) * LN2);
    double noisy_score = a->v * (1 + SCORE_ERROR) + noise - NOISE_ERROR;
    if (ones == 64 * CYDP_MOST_LIMBS || noisy_score <= CYDP_NOISY_SCORE_FLOOR)
      status = CYDP_ERROR_UNDECIDED;
  }
  cydp_wipe(&bits, sizeof bits);
  cydp_wipe(u, sizeof u);
  return status;
}
