/* SPDX-License-Identifier: MIT
 * Upper bounds of noisy scores, the next candidate and the largest score for AVX-512.
 * docs/mechanisms/noisy_max.md. */
#include "mechanisms/kernels.h"

#include <immintrin.h>

/* Returns the mask of the first n of 16 lanes, or of all of them. */
static inline __mmask16 first_lanes(size_t n) {
  return (__mmask16)(n < 16 ? (1U << n) - 1 : 0xffffU);
}

/* Returns v of 8 scores as integers. For NaN, max and min return their second operand. */
static inline __m256i score_behind(const cydp_noisy_max_constants *constants,
                                   __m512d reference, __m512d scores) {
  __m512d d =
      _mm512_sub_pd(_mm512_mul_pd(scores, _mm512_set1_pd(constants->half)), reference);
  __m512d v = _mm512_mul_pd(_mm512_mul_pd(d, _mm512_set1_pd(constants->rate)),
                            _mm512_set1_pd(constants->rate_units));
  v = _mm512_max_pd(v, _mm512_set1_pd(CYDP_LEAST_BOUND));
  return _mm512_cvttpd_epi32(_mm512_min_pd(v, _mm512_setzero_pd()));
}

int32_t cydp_score_bounds_avx512(const cydp_noisy_max_constants *constants,
                                 double reference, const double *scores,
                                 const uint32_t *words, size_t n, int32_t *bounds) {
  const cydp_noisy_max_constants copy = *constants;
  const __m512d top = _mm512_set1_pd(reference);
  __m512i largest = _mm512_set1_epi32(INT32_MIN);
  for (size_t i = 0; i < n; i += 16) {
    __mmask16 lanes = first_lanes(n - i);
    __m256i low =
        score_behind(&copy, top, _mm512_maskz_loadu_pd((__mmask8)lanes, scores + i));
    __m256i high = score_behind(
        &copy, top, _mm512_maskz_loadu_pd((__mmask8)(lanes >> 8), scores + i + 8));
    __m512i word = _mm512_srli_epi32(_mm512_maskz_loadu_epi32(lanes, words + i), 1);
    __m512i bits = _mm512_castps_si512(_mm512_cvtepi32_ps(word));
    __m512i bound =
        _mm512_sub_epi32(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1), bits);
    _mm512_mask_storeu_epi32(bounds + i, lanes, bound);
    largest = _mm512_mask_max_epi32(largest, lanes, largest, bound);
  }
  return _mm512_reduce_max_epi32(largest);
}

size_t cydp_next_candidate_avx512(const int32_t *bounds, int32_t limit, size_t first,
                                  size_t n) {
  const __m512i least = _mm512_set1_epi32(limit);
  for (size_t i = first; i < n; i += 16) {
    __mmask16 lanes = first_lanes(n - i);
    __m512i bound = _mm512_maskz_loadu_epi32(lanes, bounds + i);
    unsigned found = _mm512_mask_cmpge_epi32_mask(lanes, bound, least);
    if (found)
      return i + (size_t)__builtin_ctz(found);
  }
  return n;
}

double cydp_largest_avx512(const double *x, size_t n) {
  const __m512d none = _mm512_set1_pd(-__builtin_inf());
  __m512d a = none, b = none;
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    a = _mm512_max_pd(_mm512_loadu_pd(x + i), a);
    b = _mm512_max_pd(_mm512_loadu_pd(x + i + 8), b);
  }
  for (; i < n; i += 8) {
    __mmask8 lanes = (__mmask8)first_lanes(n - i);
    a = _mm512_max_pd(_mm512_mask_loadu_pd(none, lanes, x + i), a);
  }
  return _mm512_reduce_max_pd(_mm512_max_pd(a, b));
}

int64_t cydp_largest_integer_avx512(const int64_t *x, size_t n) {
  __m512i a = _mm512_set1_epi64(x[0]), b = a;
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    a = _mm512_max_epi64(a, _mm512_loadu_si512(x + i));
    b = _mm512_max_epi64(b, _mm512_loadu_si512(x + i + 8));
  }
  for (; i < n; i += 8) {
    __mmask8 lanes = (__mmask8)first_lanes(n - i);
    a = _mm512_max_epi64(a, _mm512_mask_loadu_epi64(a, lanes, x + i));
  }
  return _mm512_reduce_max_epi64(_mm512_max_epi64(a, b));
}

void cydp_distances_avx512(int64_t top, double factor, const int64_t *x, size_t n,
                           double *out) {
  const __m512i from = _mm512_set1_epi64(top);
  const __m512d times = _mm512_set1_pd(factor);
  for (size_t i = 0; i < n; i += 8) {
    __mmask8 lanes = (__mmask8)first_lanes(n - i);
    __m512i distance = _mm512_sub_epi64(from, _mm512_maskz_loadu_epi64(lanes, x + i));
    __m512d apart = _mm512_mul_pd(times, _mm512_cvtepu64_pd(distance));
    _mm512_mask_storeu_pd(out + i, lanes, apart);
  }
}
