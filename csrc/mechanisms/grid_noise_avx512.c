/* SPDX-License-Identifier: MIT
 * The kernel that adds noise to numbers on a grid, for AVX-512: eight sums a register, by
 * the steps of grid_noise_each.c. It rounds to odd by rounding down and up.
 * docs/mechanisms/grid_noise.md. */
#include "mechanisms/kernels.h"

#include <immintrin.h>

/* Rounds a + b to the odd one of the two doubles around it. Both are a + b if that is a
 * double. */
static inline __m512d odd_sum(__m512d a, __m512d b) {
  __m512d below = _mm512_add_round_pd(a, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  __m512d above = _mm512_add_round_pd(a, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  __mmask8 odd =
      _mm512_test_epi64_mask(_mm512_castpd_si512(below), _mm512_set1_epi64(1));
  return _mm512_mask_mov_pd(above, odd, below);
}

static inline __m512d sums_of(__m512d values, __m512i noise, __m512d per_unit,
                              __m512d unit, __m512d most, __m512d least) {
  __m512d units = _mm512_mul_pd(values, per_unit);
  __mmask8 is_number = _mm512_cmp_pd_mask(units, units, _CMP_ORD_Q);
  units = _mm512_min_pd(_mm512_max_pd(units, least), most);
  units = _mm512_maskz_roundscale_pd(is_number, units, _MM_FROUND_TO_NEAREST_INT);
  /* noise = high + low; 2^63, which is no int64_t, becomes -2^63, the same modulo 2^64. */
  __m512d high = _mm512_cvtepi64_pd(noise);
  __m512d low =
      _mm512_cvtepi64_pd(_mm512_sub_epi64(noise, _mm512_cvtpd_epi64(high)));
  /* Knuth's two-sum of units and high. */
  __m512d sum = _mm512_add_pd(units, high);
  __m512d high_part = _mm512_sub_pd(sum, units);
  __m512d units_part = _mm512_sub_pd(sum, high_part);
  __m512d rest = _mm512_add_pd(_mm512_sub_pd(units, units_part),
                               _mm512_sub_pd(high, high_part));
  return _mm512_mul_pd(_mm512_add_pd(sum, odd_sum(rest, low)), unit);
}

void cydp_grid_noise_avx512(const double *values, const int64_t *noise, size_t n,
                            double per_unit, double unit, double most_units,
                            double *out) {
  const __m512d factor = _mm512_set1_pd(per_unit), step = _mm512_set1_pd(unit);
  const __m512d most = _mm512_set1_pd(most_units), least = _mm512_set1_pd(-most_units);
  for (size_t i = 0; i < n; i += 8) {
    __mmask8 lanes = (__mmask8)(n - i < 8 ? (1U << (n - i)) - 1 : 0xffU);
    __m512d x = _mm512_maskz_loadu_pd(lanes, values + i);
    __m512i z = _mm512_maskz_loadu_epi64(lanes, noise + i);
    _mm512_mask_storeu_pd(out + i, lanes, sums_of(x, z, factor, step, most, least));
  }
}
