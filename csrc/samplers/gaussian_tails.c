/* SPDX-License-Identifier: MIT
 * Tails of the discrete Gaussian, rho(j) = exp(-j^2 rate), rate = 1 / (2 s^2), s < 14.5.
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

enum {
  TABLE = CYDP_GAUSSIAN_LIMBS,
  GUARD = 1,    /* limbs below those of a sum */
  LONGEST = 576 /* terms to 1,088 bits at s = 14.5, and a zero */
};
/* A compiler that knows the number of limbs unrolls what it multiplies: five times faster. */
#define INLINE __attribute__((always_inline)) static inline

/* Sets out to a b, rounded down, of m fraction limbs; the integer parts are 0. */
INLINE void multiply(size_t m, uint64_t *out, const uint64_t *a, const uint64_t *b) {
  uint64_t product[2 * CYDP_FIXED_LIMBS];
  memset(product, 0, sizeof(uint64_t) * m);
  for (size_t i = 0; i < m; i++) {
    uint64_t carry = 0;
    for (size_t j = 0; j < m; j++) {
      unsigned __int128 term =
          (unsigned __int128)a[i] * b[j] + product[i + j] + carry;
      product[i + j] = (uint64_t)term;
      carry = (uint64_t)(term >> 64);
    }
    product[i + m] = carry;
  }
  memcpy(out, product + m, sizeof(uint64_t) * m);
}

/* Sets a to a factor + b, of m fraction limbs and one for the integer part. */
INLINE void multiply_add(size_t m, uint64_t *a, uint64_t factor, const uint64_t *b) {
  uint64_t carry = 0;
  for (size_t i = 0; i <= m; i++) {
    unsigned __int128 term = (unsigned __int128)a[i] * factor + b[i] + carry;
    a[i] = (uint64_t)term;
    carry = (uint64_t)(term >> 64);
  }
}

INLINE bool is_zero(size_t m, const uint64_t *a) {
  uint64_t bits = 0;
  for (size_t i = 0; i < m; i++)
    bits |= a[i];
  return bits == 0;
}

/* Sets sums[k - 1] to W_k with n limbs above a guard limb, within 2 ulps from below, for
 * k up to the count that it returns; the others, which are 0, are less than 2 ulps.
 * `sums` holds numbers of n + 2 limbs, all zeros. */
INLINE size_t sum_tails(const uint64_t *rate, bool one_sided, size_t n, uint64_t *sums) {
  const size_t m = n + GUARD, limbs = m + 1;
  cydp_fixed growth, square;
  const uint64_t *x = rate + (CYDP_MOST_LIMBS + 1 - m);
  if ((double)x[m + 1] < 45.0 * (double)m) /* else exp(-rate) is less than an ulp */
    cydp_exp_negative(m, sums, x);
  multiply(m, square, sums, sums);
  multiply(m, growth, sums, square); /* rho(j + 1) / rho(j), j = 1 */
  size_t count = 0;
  while (!is_zero(m, sums + count * limbs)) {
    multiply(m, sums + (count + 1) * limbs, sums + count * limbs, growth);
    multiply(m, growth, growth, square);
    count++;
  }
  for (size_t k = count; k-- > 0;)
    multiply_add(m, sums + k * limbs, one_sided ? 1 : 2, sums + (k + 1) * limbs);
  return count;
}

/* Returns whether U Z < W_k, k >= 1, by `terms` sums with n limbs: with Z and W_k within
 * 2 ulps and Z < 37, U Z lies within 40 ulps above lhs. */
static cydp_answer compare(size_t n, const uint64_t *u, const uint64_t *sums,
                           size_t terms, uint64_t k) {
  const size_t at = k <= terms ? (size_t)k - 1 : terms - 1;
  const uint64_t *w_k = sums + at * (n + 1 + GUARD) + GUARD;
  cydp_fixed z, lhs, rhs;
  memcpy(z, sums + GUARD, sizeof(uint64_t) * (n + 1));
  z[n] += 1;
  cydp_fixed_multiply(n, lhs, u, z);
  cydp_fixed_add_ulps(n, lhs, 40);
  if (cydp_fixed_compare(n, lhs, w_k) <= 0)
    return CYDP_YES;
  memcpy(rhs, w_k, sizeof(uint64_t) * (n + 1));
  cydp_fixed_add_ulps(n, rhs, 2 + 40);
  return cydp_fixed_compare(n, lhs, rhs) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

/* `below` beyond the table's precision: of the exact comparisons, one in 2^60 needs it.
 * It computes what it needs, and keeps nothing, since threads share the tails. */
static cydp_answer below_precisely(const cydp_gaussian_tails *tails, size_t n,
                                   const uint64_t *u, uint64_t k) {
  uint64_t *sums = calloc(LONGEST * (n + 1 + GUARD), sizeof *sums);
  if (!sums)
    return CYDP_TOO_CLOSE;
  sum_tails(tails->rate, tails->one_sided, n, sums);
  cydp_answer answer = compare(n, u, sums, LONGEST, k);
  free(sums);
  return answer;
}

static cydp_answer below(const cydp_tails *self, size_t n, const uint64_t *u,
                         uint64_t k) {
  const cydp_gaussian_tails *tails = (const cydp_gaussian_tails *)self;
  return n == TABLE ? compare(n, u, tails->sums[0], CYDP_GAUSSIAN_TERMS, k)
                    : below_precisely(tails, n, u, k);
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
  size_t count = sum_tails(rate, one_sided, TABLE, tails->sums[0]);
  double z = 0;
  for (size_t k = 0; k < count; k++) {
    const uint64_t *sum = tails->sums[k] + GUARD;
    double value = 0;
    for (size_t i = 0; i < TABLE; i++)
      value = (value + (double)sum[i]) * 0x1p-64;
    value += (double)sum[TABLE];
    z = k == 0 ? 1 + value : z;
    tails->rounded[k] = value / z;
  }
}
