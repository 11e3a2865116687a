/* SPDX-License-Identifier: MIT
 * exp(-x) to any precision of exact comparisons, rounded down within a proved bound.
 *
 * With q = floor(x / ln 2) + 1 and r = q ln 2 - x in (0, ln 2], exp(-x) = exp(r) 2^-q:
 * every term of exp(r) is positive, so rounding down everywhere bounds the result from
 * below. The count of ulps is in docs/samplers/exact_comparison.md, "The exponential". */
#include "samplers/exponential.h"
#include "base/fixed_point.h"

#include <string.h>

/* floor(ln 2 * 2^1152): 18 fraction limbs and an integer part of 0. Its upper limbs are
 * ln 2 rounded down to fewer. */
#define LN2_LIMBS 18
static const uint64_t ln2[LN2_LIMBS + 1] = {0x610d30f88fe551a2,
                                            0x07f4ca11fb5bfb90,
                                            0xda2d97c50f3fd5c6,
                                            0x655fa1872f20e3a2,
                                            0xf5dfa6bd38303248,
                                            0x72ce87b19d6548ca,
                                            0x256fa0ec7657f74b,
                                            0xb9ea9bc3b136603b,
                                            0x1acbda11317c387e,
                                            0x3e96ca16224ae8c5,
                                            0x27573b291169b825,
                                            0xed2eae35c1382144,
                                            0x559552fb4afa1b10,
                                            0xe7b876206debac98,
                                            0x8a0d175b8baafa2b,
                                            0x40f343267298b62d,
                                            0xc9e3b39803f2f6af,
                                            0xb17217f7d1cf79ab,
                                            0};

enum { HALVINGS = 24 }; /* r is divided by 2^24 before the series, which keeps it short */

/* Returns the least number of terms whose remainder is below an ulp: r'^(j+1) / (j+1)!
 * with r' <= 2^-24 loses 24 + floor(log2 j) bits or more with each term. */
static uint64_t series_terms(size_t n) {
  uint64_t terms = 1;
  for (size_t bits = 0; bits < 64 * n + 1; terms++)
    bits += HALVINGS + (size_t)(63 - __builtin_clzll(terms));
  return terms;
}

void cydp_exp_negative(size_t n, uint64_t *out, const uint64_t *x) {
  size_t m = n + 1; /* a guard limb */
  const uint64_t *log2 = ln2 + LN2_LIMBS - m;
  uint64_t q =
      (uint64_t)(((double)x[m] + (double)x[m - 1] * 0x1p-64) / 0.6931471805599453);
  q -= q > 0; /* the quotient is rounded: start below the least q that will do */
  cydp_fixed upper, r, v;
  memcpy(upper, x, sizeof(uint64_t) * (m + 1));
  cydp_fixed_add_ulps(m, upper, 2);
  do {
    q++;
    cydp_fixed_multiply_word(m, r, log2, q);
  } while (cydp_fixed_compare(m, r, upper) <= 0);
  cydp_fixed_subtract(m, r, r, upper);
  cydp_fixed_shift_right(m, r, r, HALVINGS);

  cydp_fixed one = {0};
  one[m] = 1;
  memcpy(v, one, sizeof v);
  for (uint64_t j = series_terms(m); j > 0; j--) {
    cydp_fixed_multiply(m, v, v, r);
    cydp_fixed_divide_word(m, v, v, j);
    cydp_fixed_add(m, v, v, one);
  }
  for (int i = 0; i < HALVINGS; i++)
    cydp_fixed_multiply(m, v, v, v);
  cydp_fixed_shift_right(m, v, v, (unsigned)q);
  memcpy(out, v + 1, sizeof(uint64_t) * (n + 1));
}
