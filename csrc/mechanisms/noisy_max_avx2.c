/* SPDX-License-Identifier: MIT
 * Upper bounds of noisy scores, the next candidate and the largest score for AVX2.
 * docs/mechanisms/noisy_max.md. */
#include "mechanisms/kernels.h"

#include <immintrin.h>

/* Returns v of 4 scores as integers. For NaN, max and min return their second operand. */
static inline __m128i score_behind(const cydp_noisy_max_constants *constants,
                                   __m256d reference, const double *scores) {
  __m256d d = _mm256_mul_pd(_mm256_loadu_pd(scores), _mm256_set1_pd(constants->half));
  __m256d v = _mm256_mul_pd(_mm256_sub_pd(d, reference), _mm256_set1_pd(constants->rate));
  v = _mm256_mul_pd(v, _mm256_set1_pd(constants->rate_units));
  v = _mm256_max_pd(v, _mm256_set1_pd(CYDP_LEAST_BOUND));
  return _mm256_cvttpd_epi32(_mm256_min_pd(v, _mm256_setzero_pd()));
}

int32_t cydp_score_bounds_avx2(const cydp_noisy_max_constants *constants,
                               double reference, const double *scores,
                               const uint32_t *words, size_t n, int32_t *bounds) {
  const cydp_noisy_max_constants copy = *constants;
  const __m256d top = _mm256_set1_pd(reference);
  size_t n_vector = n / 8 * 8;
  int32_t lane[8], all = INT32_MIN;
  __m256i largest = _mm256_set1_epi32(INT32_MIN);
  for (size_t i = 0; i < n_vector; i += 8) {
    __m128i low = score_behind(&copy, top, scores + i),
            high = score_behind(&copy, top, scores + i + 4);
    __m256i word = _mm256_loadu_si256((const __m256i *)(words + i));
    __m256 rounded = _mm256_cvtepi32_ps(_mm256_srli_epi32(word, 1));
    __m256i bound = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    bound = _mm256_sub_epi32(bound, _mm256_castps_si256(rounded));
    _mm256_storeu_si256((__m256i *)(bounds + i), bound);
    largest = _mm256_max_epi32(largest, bound);
  }
  _mm256_storeu_si256((__m256i *)lane, largest);
  for (int k = 0; k < 8; k++)
    all = lane[k] > all ? lane[k] : all;
  if (n_vector == n)
    return all;
  int32_t rest =
      cydp_score_bounds_portable(constants, reference, scores + n_vector,
                                 words + n_vector, n - n_vector, bounds + n_vector);
  return rest > all ? rest : all;
}

size_t cydp_next_candidate_avx2(const int32_t *bounds, int32_t limit, size_t first,
                                size_t n) {
  const __m256i least = _mm256_set1_epi32(limit);
  size_t i = first;
  for (; i + 8 <= n; i += 8) {
    __m256i bound = _mm256_loadu_si256((const __m256i *)(bounds + i));
    __m256i below = _mm256_cmpgt_epi32(least, bound);
    unsigned found = ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(below)) & 0xff;
    if (found)
      return i + (size_t)__builtin_ctz(found);
  }
  while (i < n && bounds[i] < limit)
    i++;
  return i;
}

double cydp_largest_avx2(const double *x, size_t n) {
  __m256d a = _mm256_set1_pd(-__builtin_inf()), b = a;
  double lane[4], all;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    a = _mm256_max_pd(_mm256_loadu_pd(x + i), a);
    b = _mm256_max_pd(_mm256_loadu_pd(x + i + 4), b);
  }
  _mm256_storeu_pd(lane, _mm256_max_pd(a, b));
  all = cydp_largest_portable(x + i, n - i);
  for (int k = 0; k < 4; k++)
    all = lane[k] > all ? lane[k] : all;
  return all;
}

int64_t cydp_largest_integer_avx2(const int64_t *x, size_t n) {
  __m256i a = _mm256_set1_epi64x(x[0]), b = a;
  int64_t lane[4], all = x[n - 1];
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256i low = _mm256_loadu_si256((const __m256i *)(x + i));
    __m256i high = _mm256_loadu_si256((const __m256i *)(x + i + 4));
    a = _mm256_blendv_epi8(a, low, _mm256_cmpgt_epi64(low, a));
    b = _mm256_blendv_epi8(b, high, _mm256_cmpgt_epi64(high, b));
  }
  a = _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(b, a));
  _mm256_storeu_si256((__m256i *)lane, a);
  for (; i < n; i++)
    all = x[i] > all ? x[i] : all;
  for (int k = 0; k < 4; k++)
    all = lane[k] > all ? lane[k] : all;
  return all;
}

/* Both halves of an integer are exact under the bits of 2^84 and 2^52. */
void cydp_distances_avx2(int64_t top, double factor, const int64_t *x, size_t n,
                         double *out) {
  const __m256i from = _mm256_set1_epi64x(top);
  const __m256i upper = _mm256_set1_epi64x(0x4530000000000000);
  const __m256i lower = _mm256_set1_epi64x(0x4330000000000000);
  const __m256d magic = _mm256_set1_pd(0x1p84 + 0x1p52), times = _mm256_set1_pd(factor);
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    __m256i x4 = _mm256_loadu_si256((const __m256i *)(x + i));
    __m256i distance = _mm256_sub_epi64(from, x4);
    __m256i high = _mm256_or_si256(_mm256_srli_epi64(distance, 32), upper);
    __m256i low = _mm256_blend_epi32(lower, distance, 0x55);
    __m256d sum = _mm256_sub_pd(_mm256_castsi256_pd(high), magic);
    sum = _mm256_add_pd(sum, _mm256_castsi256_pd(low));
    _mm256_storeu_pd(out + i, _mm256_mul_pd(times, sum));
  }
  cydp_distances_portable(top, factor, x + i, n - i, out + i);
}
