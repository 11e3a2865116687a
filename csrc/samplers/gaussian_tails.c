/* SPDX-License-Identifier: MIT
 * Tails of the discrete Gaussian, rho(j) = exp(-j^2 rate), rate = 1 / (2 s^2), s < 8.
 *
 * With c = 2 (or 1 if one-sided), W_k = c (rho(k) + rho(k + 1) + ...) and Z = 1 + W_1,
 * T_k = W_k / Z, and U < T_k is compared as U Z < W_k. Errors:
 * docs/samplers/discrete_gaussian.md, "Tails". */
#include "samplers/gaussian_tails.h"
#include "base/fixed_point.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = CYDP_GAUSSIAN_LIMBS, LONGEST = 320 /* terms to 1,088 bits at s = 8 */ };

/* Sets sums[k - 1] to W_k with n limbs, within 2 ulps from below, for k up to the count
 * that it returns; the others are less than 2 ulps. `sums` holds LONGEST numbers of n + 1
 * limbs. */
static size_t sum_tails(const uint64_t *rate, bool one_sided, size_t n, uint64_t *sums) {
  const size_t m = n + 1; /* a guard limb */
  static uint64_t const none[CYDP_FIXED_LIMBS] = {0};
  cydp_fixed terms[LONGEST], growth, square, sum = {0};
  const uint64_t *x = rate + (CYDP_MOST_LIMBS + 1 - m);
  memset(terms[0], 0, sizeof terms[0]);
  if ((double)x[m + 1] < 45.0 * (double)m) /* else exp(-rate) is less than an ulp */
    cydp_exp_negative(m, terms[0], x);
  cydp_fixed_multiply(m, square, terms[0], terms[0]);
  cydp_fixed_multiply(m, growth, terms[0], square); /* rho(j + 1) / rho(j), j = 1 */
  size_t count = 0;
  while (cydp_fixed_compare(m, terms[count], none) != 0) {
    cydp_fixed_multiply(m, terms[count + 1], terms[count], growth);
    cydp_fixed_multiply(m, growth, growth, square);
    count++;
  }
  for (size_t k = count; k-- > 0;) {
    cydp_fixed_add(m, sum, sum, terms[k]);
    if (!one_sided)
      cydp_fixed_add(m, sum, sum, terms[k]);
    memcpy(sums + k * (n + 1), sum + 1, sizeof(uint64_t) * (n + 1));
  }
  return count;
}

/* Returns whether U Z < W_k: with both within 2 ulps and Z < 22, U Z lies within 25 ulps
 * above lhs. */
static cydp_answer compare(size_t n, const uint64_t *u, const uint64_t *w_1,
                           const uint64_t *w_k) {
  cydp_fixed z, lhs, rhs;
  memcpy(z, w_1, sizeof(uint64_t) * (n + 1));
  z[n] += 1;
  cydp_fixed_multiply(n, lhs, u, z);
  cydp_fixed_add_ulps(n, lhs, 25);
  if (cydp_fixed_compare(n, lhs, w_k) <= 0)
    return CYDP_YES;
  memcpy(rhs, w_k, sizeof(uint64_t) * (n + 1));
  cydp_fixed_add_ulps(n, rhs, 2 + 25);
  return cydp_fixed_compare(n, lhs, rhs) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

/* `below` beyond the table's precision, which is needed with a probability of 2^-190. */
static cydp_answer below_precisely(const cydp_gaussian_tails *tails, size_t n,
                                   const uint64_t *u, uint64_t k) {
  uint64_t *sums = calloc(LONGEST * (n + 1), sizeof *sums);
  if (!sums)
    return CYDP_TOO_CLOSE;
  sum_tails(tails->rate, tails->one_sided, n, sums);
  size_t at = k <= LONGEST ? (size_t)k - 1 : LONGEST - 1;
  cydp_answer answer = compare(n, u, sums, sums + at * (n + 1));
  free(sums);
  return answer;
}

static cydp_answer below(const cydp_tails *self, size_t n, const uint64_t *u,
                         uint64_t k) {
  const cydp_gaussian_tails *tails = (const cydp_gaussian_tails *)self;
  if (n > TABLE)
    return below_precisely(tails, n, u, k);
  size_t at = k <= CYDP_GAUSSIAN_TERMS ? (size_t)k - 1 : CYDP_GAUSSIAN_TERMS - 1;
  return compare(n, u, tails->sums[0] + (TABLE - n), tails->sums[at] + (TABLE - n));
}

static uint64_t propose(const cydp_tails *self, size_t n, const uint64_t *u) {
  const cydp_gaussian_tails *tails = (const cydp_gaussian_tails *)self;
  double value = 0;
  for (size_t i = 0; i < n; i++)
    value = (value + (double)u[i]) * 0x1p-64;
  uint64_t k = 0;
  while (k < CYDP_GAUSSIAN_TERMS && value < tails->rounded[k])
    k++;
  return k;
}

void cydp_gaussian_tails_prepare(cydp_gaussian_tails *tails, const uint64_t *rate,
                                 bool one_sided) {
  memset(tails, 0, sizeof *tails);
  tails->tails.below = below;
  tails->tails.propose = propose;
  tails->one_sided = one_sided;
  memcpy(tails->rate, rate, sizeof(uint64_t) * (CYDP_MOST_LIMBS + 3));
  uint64_t sums[LONGEST * (TABLE + 1)] = {0};
  size_t count = sum_tails(rate, one_sided, TABLE, sums);
  double z = 0;
  for (size_t k = 0; k < count && k < CYDP_GAUSSIAN_TERMS; k++) {
    const uint64_t *sum = sums + k * (TABLE + 1);
    memcpy(tails->sums[k], sum, sizeof tails->sums[k]);
    double value = 0;
    for (size_t i = 0; i < TABLE; i++)
      value = (value + (double)sum[i]) * 0x1p-64;
    value += (double)sum[TABLE];
    z = k == 0 ? 1 + value : z;
    tails->rounded[k] = value / z;
  }
}
