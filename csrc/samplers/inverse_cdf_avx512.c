/* SPDX-License-Identifier: MIT
 * The inverse CDF kernel for AVX-512: eight candidates a register, with fused
 * multiply-add. Evaluation and error bound:
 * docs/samplers/inverse_cdf.md, "The vector kernels". */
#include "samplers/kernels.h"
#include "samplers/mask_avx512.h"

#include <immintrin.h>

/* The constants, spread over registers once a call. */
typedef struct registers {
  __m512d inverse, start; /* looked up by the upper bits of the mantissa */
  __m512d q[CYDP_LOG_TERMS];
  __m512d step, guard, one_less_guard, tail;
} registers;

static inline registers spread(const cydp_inverse_cdf_constants *constants) {
  registers spread_out = {.inverse = _mm512_loadu_pd(constants->inverse),
                          .start = _mm512_loadu_pd(constants->start),
                          .step = _mm512_set1_pd(constants->step),
                          .guard = _mm512_set1_pd(constants->guard),
                          .one_less_guard = _mm512_set1_pd(1 - constants->guard),
                          .tail = _mm512_set1_pd(2 * (double)constants->tail)};
  for (int i = 0; i < CYDP_LOG_TERMS; i++)
    spread_out.q[i] = _mm512_set1_pd(constants->q[i]);
  return spread_out;
}

/* Maps eight candidates from x = 2 u + 1 and the signs to values; returns which of them
 * are undecided. */
static inline unsigned map_lanes(const registers *constants, __m512d x, __mmask8 negative,
                                 __m512i *out) {
  const __m512d *q = constants->q;
  __m512i interval =
      _mm512_srli_epi64(_mm512_castpd_si512(x), 49); /* the lowest 3 bits */
  __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  __m512d inverse = _mm512_permutexvar_pd(interval, constants->inverse);
  __m512d start = _mm512_permutexvar_pd(interval, constants->start);
  __m512d r = _mm512_fmsub_pd(m, inverse, _mm512_set1_pd(1));
  __m512d r2 = _mm512_mul_pd(r, r);
  __m512d odd = _mm512_fmadd_pd(q[7], r2, q[5]);
  __m512d even = _mm512_fmadd_pd(q[6], r2, q[4]);
  odd = _mm512_fmadd_pd(odd, r2, q[3]);
  even = _mm512_fmadd_pd(even, r2, q[2]);
  odd = _mm512_fmadd_pd(odd, r2, q[1]);
  even = _mm512_fmadd_pd(even, r2, q[0]);
  __m512d series = _mm512_fmadd_pd(odd, r, even);
  __m512d start_and_step = _mm512_fnmadd_pd(_mm512_getexp_pd(x), constants->step, start);
  __m512d y = _mm512_fmadd_pd(r, series, start_and_step);
  __m512i k = _mm512_cvttpd_epi64(y);
  __m512d fraction = _mm512_reduce_pd(y, _MM_FROUND_TO_NEG_INF);
  *out = _mm512_mask_sub_epi64(k, negative, _mm512_setzero_si512(), k);
  __mmask8 certain = _mm512_cmp_pd_mask(x, constants->tail, _CMP_GT_OQ);
  certain = _mm512_mask_cmp_pd_mask(certain, fraction, constants->guard, _CMP_GT_OQ);
  certain =
      _mm512_mask_cmp_pd_mask(certain, fraction, constants->one_less_guard, _CMP_LT_OQ);
  return bits_of_8(certain) ^ 0xff;
}

static inline unsigned map_wide(const registers *constants, __m512i word, __m512i *out) {
  const __m512i one = _mm512_set1_epi64(1);
  __m512d x = _mm512_cvtepu64_pd(_mm512_or_si512(word, one)); /* rounded once */
  return map_lanes(constants, x, _mm512_test_epi64_mask(word, one), out);
}

void cydp_inverse_cdf_avx512(const cydp_inverse_cdf_constants *constants,
                             const void *given, size_t n, int64_t *out,
                             uint8_t *undecided) {
  const uint64_t *words = given;
  const registers spread_out = spread(constants);
  size_t i = 0;
  __m512i k;
  for (; i + 8 <= n; i += 8) {
    undecided[i / 8] = (uint8_t)map_wide(&spread_out, _mm512_loadu_si512(words + i), &k);
    _mm512_storeu_si512(out + i, k);
  }
  if (i < n) {
    __mmask8 lanes = (__mmask8)((1U << (n - i)) - 1);
    __m512i word = _mm512_maskz_loadu_epi64(lanes, words + i);
    undecided[i / 8] = (uint8_t)(map_wide(&spread_out, word, &k) & lanes);
    _mm512_mask_storeu_epi64(out + i, lanes, k);
  }
}
