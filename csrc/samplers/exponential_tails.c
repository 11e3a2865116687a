/* SPDX-License-Identifier: MIT
 * T_k = 2 p^k / (1 + p), p = exp(-1/t): the tails of the discrete Laplace distribution,
 * and p^k, those of the geometric distribution. docs/samplers/discrete_laplace.md. */
#include "samplers/exponential_tails.h"
#include "base/fixed_point.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential.h"

#include <math.h>
#include <string.h>

/* Returns whether exp(-x) is less than an ulp of n limbs. */
static bool is_negligible(double x, size_t n) { return x >= 45.0 * (double)n; }

/* Sets x so that k / t is in [x, x + 2 ulps) of n + 1 limbs: 1 / t is short by less than
 * 2^-64 of these ulps, k is below 2^63, and the cut takes one more. Returns false if
 * exp(-k / t) is negligible. */
static bool set_exponent(const cydp_exponential_tails *tails, size_t n, uint64_t k,
                         cydp_fixed x) {
  if (is_negligible((double)k * tails->inverse_scale, n))
    return false;
  cydp_fixed wide;
  cydp_fixed_multiply_word(n + 2, wide, tails->inverse + (CYDP_MOST_LIMBS - n), k);
  memcpy(x, wide + 1, sizeof(uint64_t) * (n + 2));
  return true;
}

cydp_answer cydp_below_exponential(size_t n, const uint64_t *u, const uint64_t *x) {
  cydp_fixed bound, next;
  cydp_exp_negative(n, bound, x);
  memcpy(next, u, sizeof(uint64_t) * (n + 1));
  cydp_fixed_add_ulps(n, next, 1);
  if (cydp_fixed_compare(n, next, bound) <= 0)
    return CYDP_YES;
  cydp_fixed_add_ulps(n, bound, 2);
  return cydp_fixed_compare(n, u, bound) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

/* Sets out so that 1 + p is in [out, out + 2 ulps) of n limbs, from 1 / t rounded down to
 * n + 1 limbs. */
static void set_one_plus_p(size_t n, uint64_t *out, const uint64_t *inverse,
                           double inverse_scale) {
  memset(out, 0, sizeof(uint64_t) * (n + 1));
  if (!is_negligible(inverse_scale, n))
    cydp_exp_negative(n, out, inverse);
  out[n] += 1;
}

/* Whether U (1 + p) < 2 exp(-k/t): the left side lies within 6 ulps above lhs, the right
 * side within 4 ulps above rhs. Precisions of more limbs than are prepared are needed
 * with a probability below 2^-240: they compute 1 + p each time, in memory of their own,
 * since threads share the tails. */
static cydp_answer below_two_sided(const cydp_tails *self, size_t n, const uint64_t *u,
                                   uint64_t k) {
  const cydp_exponential_tails *tails = (const cydp_exponential_tails *)self;
  cydp_fixed lhs, rhs = {0}, x;
  if (set_exponent(tails, n, k, x)) {
    cydp_exp_negative(n, rhs, x);
    cydp_fixed_add(n, rhs, rhs, rhs);
  }
  cydp_fixed computed;
  const uint64_t *one_plus_p = computed;
  if (n < CYDP_PREPARED_LIMBS)
    one_plus_p = tails->one_plus_p + (CYDP_PREPARED_LIMBS - n);
  else
    set_one_plus_p(n, computed, tails->inverse + (CYDP_MOST_LIMBS - n) + 1,
                   tails->inverse_scale);
  cydp_fixed_multiply(n, lhs, u, one_plus_p);
  cydp_fixed_add_ulps(n, lhs, 6);
  if (cydp_fixed_compare(n, lhs, rhs) <= 0)
    return CYDP_YES;
  cydp_fixed_add_ulps(n, rhs, 4 + 6);
  return cydp_fixed_compare(n, lhs, rhs) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

static cydp_answer below_one_sided(const cydp_tails *self, size_t n, const uint64_t *u,
                                   uint64_t k) {
  static const cydp_fixed ulp = {1};
  cydp_fixed x;
  if (set_exponent((const cydp_exponential_tails *)self, n, k, x))
    return cydp_below_exponential(n, u, x);
  return cydp_fixed_compare(n, u, ulp) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

static uint64_t propose(const cydp_tails *self, size_t n, const uint64_t *u) {
  const cydp_exponential_tails *tails = (const cydp_exponential_tails *)self;
  size_t top = n - 1;
  while (top > 0 && u[top] == 0)
    top--;
  double leading = (double)u[top] + (top > 0 ? (double)u[top - 1] * 0x1p-64 : 0);
  double log_u = log(leading) - 64.0 * (double)(n - top) * 0.6931471805599453;
  double y = tails->offset - tails->scale * log_u;
  return !(y > 0) ? 0 : y < 0x1p62 ? (uint64_t)y : (uint64_t)1 << 62;
}

void cydp_exponential_tails_prepare(cydp_exponential_tails *tails,
                                    const uint64_t *inverse, bool one_sided) {
  const size_t n = CYDP_MOST_LIMBS, prepared = CYDP_PREPARED_LIMBS;
  *tails = (cydp_exponential_tails){.one_sided = one_sided};
  tails->tails.below = one_sided ? below_one_sided : below_two_sided;
  tails->tails.propose = propose;
  memcpy(tails->inverse, inverse, sizeof(uint64_t) * (n + 3));
  const uint64_t *top = inverse + n + 2;
  double rate = ldexp((double)top[-1], -64) + ldexp((double)top[-2], -128);
  tails->inverse_scale = rate + (double)top[0];
  tails->scale = 1 / tails->inverse_scale;
  if (one_sided)
    return;
  set_one_plus_p(prepared, tails->one_plus_p, inverse + (n - prepared) + 1,
                 tails->inverse_scale);
  tails->offset = tails->scale * (0.6931471805599453 - log1p(exp(-tails->inverse_scale)));
}
