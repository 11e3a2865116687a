/* SPDX-License-Identifier: MIT
 * Which of two candidates has the greater noisy score, at a precision that doubles until
 * it is decided. docs/mechanisms/noisy_max.md.
 *
 * With D = rate (s_a - s_b) >= 0, a's is greater than b's iff U_a exp(-D) < U_b, or E_a
 * exp(-D) < E_b for E = -ln(1 - U). D is computed from the scores as they are, by exact
 * integers. */
#include "mechanisms/noisy_max_exact.h"
#include "base/fixed_point.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential.h"
#include "samplers/negative_logarithm.h"

#include <math.h>
#include <string.h>

enum {
  LEAST_LIMBS = 2,
  SCORE_LIMBS = 36, /* 2^1024 over 2^-1074, a sum of two of them */
  NUMERATOR = SCORE_LIMBS + CYDP_RATE_LIMBS + 17,
  DENOMINATOR = CYDP_RATE_LIMBS + 18,
  FAR = 1500 /* exp(-FAR) is less than an ulp */
};

/* D, rounded down. */
typedef struct distance {
  bool far; /* above FAR */
  cydp_fixed d;
} distance;

static void shift_left(uint64_t *limbs, size_t n, size_t bits) {
  size_t shifted_limbs = bits / 64, rest = bits % 64;
  for (size_t i = n; i-- > 0;) {
    uint64_t high = i >= shifted_limbs ? limbs[i - shifted_limbs] : 0;
    uint64_t low = i > shifted_limbs ? limbs[i - shifted_limbs - 1] : 0;
    limbs[i] = rest ? high << rest | low >> (64 - rest) : high;
  }
}

/* A score as sign, integer and power of two. */
typedef struct binary {
  bool negative;
  uint64_t integer;
  int exponent;
} binary;

static binary binary_of(double score) {
  int exponent;
  double fraction = frexp(score, &exponent); /* exact, of subnormal numbers too */
  return (binary){score < 0, (uint64_t)ldexp(fabs(fraction), 53), exponent - 53};
}

/* Sets limbs to |a - b| 2^-exponent, SCORE_LIMBS limbs, and returns the exponent. */
static int difference(double a, double b, uint64_t *limbs) {
  binary x = binary_of(a), y = binary_of(b);
  uint64_t other[SCORE_LIMBS] = {y.integer};
  if (x.integer == 0)
    x.exponent = y.exponent;
  if (y.integer == 0)
    y.exponent = x.exponent;
  int exponent = x.exponent < y.exponent ? x.exponent : y.exponent;
  memset(limbs, 0, SCORE_LIMBS * sizeof *limbs);
  limbs[0] = x.integer;
  shift_left(limbs, SCORE_LIMBS, (size_t)(x.exponent - exponent));
  shift_left(other, SCORE_LIMBS, (size_t)(y.exponent - exponent));
  if (x.negative != y.negative)
    cydp_fixed_add(SCORE_LIMBS - 1, limbs, limbs, other);
  else if (cydp_fixed_compare(SCORE_LIMBS - 1, limbs, other) < 0)
    cydp_fixed_subtract(SCORE_LIMBS - 1, limbs, other, limbs);
  else
    cydp_fixed_subtract(SCORE_LIMBS - 1, limbs, limbs, other);
  return exponent;
}

/* Returns whether the score of place a is at least that of b, and sets how far they are
 * apart. Where no score is finite, all candidates that count have equal scores. */
static bool scores_apart(const cydp_score_row *row, size_t a, size_t b, uint64_t *limbs,
                         int *exponent) {
  memset(limbs, 0, SCORE_LIMBS * sizeof *limbs);
  *exponent = 0;
  if (row->integers) {
    const int64_t *scores = row->scores, x = scores[a], y = scores[b];
    limbs[0] = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
    return x >= y;
  }
  const double *scores = row->scores, x = scores[a], y = scores[b];
  if (!isfinite(row->top) || !isfinite(x) || !isfinite(y))
    return true;
  *exponent = difference(x, y, limbs);
  return x >= y;
}

/* Sets D to rate limbs 2^exponent, with n fraction limbs. */
static cydp_status set_distance(const cydp_noisy_max *noisy_max, size_t n,
                                const uint64_t *limbs, int exponent, distance *to) {
  uint64_t numerator[NUMERATOR] = {0}, denominator[DENOMINATOR] = {0};
  size_t score_limbs = cydp_significant_limbs(limbs, SCORE_LIMBS);
  for (size_t i = 0; i < score_limbs; i++) {
    uint64_t row[NUMERATOR] = {0}; /* the product with one limb, one limb at a time */
    memcpy(row + i, noisy_max->numerator, noisy_max->numerator_limbs * sizeof *row);
    cydp_fixed_multiply_word(NUMERATOR - 1, row, row, limbs[i]);
    cydp_fixed_add(NUMERATOR - 1, numerator, numerator, row);
  }
  memcpy(denominator, noisy_max->denominator,
         noisy_max->denominator_limbs * sizeof *denominator);
  if (exponent > 0)
    shift_left(numerator, NUMERATOR, (size_t)exponent);
  else
    shift_left(denominator, DENOMINATOR, (size_t)-exponent);
  bool exact;
  cydp_status status = cydp_fixed_divide(
      n, to->d, numerator, cydp_significant_limbs(numerator, NUMERATOR), denominator,
      cydp_significant_limbs(denominator, DENOMINATOR), &exact);
  to->far = status == CYDP_ERROR_DOMAIN || to->d[n] >= FAR;
  return status == CYDP_ERROR_DOMAIN ? CYDP_OK : status;
}

/* Sets factor so that exp(-D) is in [factor, factor + 2 ulps). */
static void set_factor(const distance *apart, size_t n, uint64_t *factor) {
  memset(factor, 0, sizeof(uint64_t) * (n + 1));
  if (!apart->far)
    cydp_exp_negative(n, factor, apart->d + (CYDP_MOST_LIMBS - n));
}

/* Whether U_a exp(-D) < U_b: the left side lies in [left, left + 5 ulps). */
static cydp_answer exponential_greater(size_t n, const uint64_t *a, const uint64_t *b,
                                       const uint64_t *factor) {
  cydp_fixed left, right;
  cydp_fixed_multiply(n, left, a, factor);
  memcpy(right, b, sizeof(uint64_t) * (n + 1));
  cydp_fixed_add_ulps(n, right, 1);
  if (cydp_fixed_compare(n, right, left) <= 0)
    return CYDP_NO;
  cydp_fixed_add_ulps(n, left, 5);
  return cydp_fixed_compare(n, left, b) <= 0 ? CYDP_YES : CYDP_TOO_CLOSE;
}

/* Sets bounds of E for U in [u, u + ulp), and *bounded to false if there is no upper one.
 */
static cydp_status set_exponential_bounds(size_t n, const uint64_t *u, uint64_t *low,
                                          uint64_t *high, bool *bounded) {
  static const cydp_fixed zero = {0};
  cydp_fixed one = {0}, x, unused;
  one[n] = 1;
  cydp_fixed_subtract(n, x, one, u);
  cydp_status status = cydp_negative_logarithm(n, low, unused, x);
  cydp_fixed ulp = {1};
  cydp_fixed_subtract(n, x, x, ulp);
  *bounded = cydp_fixed_compare(n, x, zero) > 0;
  if (*bounded && status == CYDP_OK)
    status = cydp_negative_logarithm(n, unused, high, x);
  cydp_wipe(x, sizeof x);
  cydp_wipe(unused, sizeof unused);
  return status;
}

/* Whether E_a exp(-D) < E_b. */
static cydp_status gumbel_greater(size_t n, const uint64_t *a, const uint64_t *b,
                                  const uint64_t *factor, cydp_answer *answer) {
  cydp_fixed low_a, high_a, low_b, high_b, above, product;
  bool bounded_a, bounded_b;
  *answer = CYDP_TOO_CLOSE;
  cydp_status status = set_exponential_bounds(n, a, low_a, high_a, &bounded_a);
  if (status == CYDP_OK)
    status = set_exponential_bounds(n, b, low_b, high_b, &bounded_b);
  if (status != CYDP_OK)
    return status;
  cydp_fixed_multiply(n, product, low_a, factor);
  if (bounded_b && cydp_fixed_compare(n, product, high_b) >= 0)
    *answer = CYDP_NO;
  if (bounded_a) {
    memcpy(above, factor, sizeof(uint64_t) * (n + 1));
    cydp_fixed_add_ulps(n, above, 2);
    cydp_fixed_multiply(n, product, high_a, above);
    cydp_fixed_add_ulps(n, product, 1);
    if (cydp_fixed_compare(n, product, low_b) <= 0)
      *answer = CYDP_YES;
  }
  return CYDP_OK;
}

static cydp_status compare(const cydp_noisy_max *noisy_max, size_t n, const uint64_t *a,
                           const uint64_t *b, const distance *apart,
                           cydp_answer *answer) {
  cydp_fixed factor;
  set_factor(apart, n, factor);
  if (noisy_max->noise == CYDP_GUMBEL)
    return gumbel_greater(n, a, b, factor, answer);
  *answer = exponential_greater(n, a, b, factor);
  return CYDP_OK;
}

cydp_bits cydp_candidate_bits(const cydp_score_row *row, const cydp_candidate *a,
                              cydp_work *work) {
  return (cydp_bits){.prefix = a->bits == 32 ? a->u : a->u >> 32,
                     .prefix_bits = 32,
                     .extension = row->extension,
                     .decision = 1,
                     .candidate = row->first + a->place,
                     .work = work};
}

cydp_status cydp_greater_exactly(const cydp_score_row *row, const cydp_candidate *a,
                                 const cydp_candidate *b, bool *greater) {
  uint64_t limbs[SCORE_LIMBS];
  int exponent;
  bool first = scores_apart(row, a->place, b->place, limbs, &exponent);
  const cydp_candidate *upper = first ? a : b, *lower = first ? b : a;
  cydp_work work = {0};
  cydp_bits bits[2] = {cydp_candidate_bits(row, upper, &work),
                       cydp_candidate_bits(row, lower, &work)};
  cydp_fixed u[2];
  distance apart;
  cydp_status status =
      set_distance(row->noisy_max, CYDP_MOST_LIMBS + 1, limbs, exponent, &apart);
  cydp_answer answer = CYDP_TOO_CLOSE;
  for (size_t n = LEAST_LIMBS;
       n <= CYDP_MOST_LIMBS && answer == CYDP_TOO_CLOSE && status == CYDP_OK; n *= 2) {
    status = cydp_first_bits(&bits[0], n, u[0]);
    if (status == CYDP_OK)
      status = cydp_first_bits(&bits[1], n, u[1]);
    if (status == CYDP_OK)
      status = compare(row->noisy_max, n, u[0], u[1], &apart, &answer);
  }
  if (status == CYDP_OK && answer == CYDP_TOO_CLOSE)
    status = CYDP_ERROR_UNDECIDED;
  *greater = (answer == CYDP_YES) == first;
  cydp_wipe(bits, sizeof bits);
  cydp_wipe(u, sizeof u);
  return status;
}
