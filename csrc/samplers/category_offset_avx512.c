/* SPDX-License-Identifier: MIT
 * Category offsets for AVX-512: eight lanes at a time.
 * docs/samplers/category_offset.md. */
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 8 };

static inline __mmask8 first_lanes(size_t n) {
  return (__mmask8)(n < LANES ? (1U << n) - 1 : 0xff);
}

/* Returns u + 1/2 for the words of `lanes`. */
static inline __m512d middles(unsigned bits, const void *words, size_t i,
                              __mmask8 lanes) {
  const __m512d half = _mm512_set1_pd(0.5);
  if (bits == 32) {
    __m256i u = _mm256_maskz_loadu_epi32(lanes, (const uint32_t *)words + i);
    return _mm512_add_pd(_mm512_cvtepu32_pd(u), half);
  }
  __m512i u = _mm512_maskz_loadu_epi64(lanes, (const uint64_t *)words + i);
  return _mm512_add_pd(_mm512_cvtepi64_pd(_mm512_srli_epi64(u, 1)), half);
}

__attribute__((always_inline)) static inline void
offset_all(const cydp_category_offset_constants *constants, unsigned bits,
           const void *words, size_t n, void *out, uint8_t *undecided) {
  const __m512d factor = _mm512_set1_pd(constants->factor),
                last = _mm512_set1_pd(constants->last),
                near = _mm512_set1_pd(constants->guard),
                far = _mm512_set1_pd(1 - constants->guard),
                end = _mm512_set1_pd(constants->last + constants->guard);
  const __m256i highest = _mm512_cvttpd_epi32(last);
  for (size_t i = 0; i < n; i += LANES) {
    __mmask8 lanes = first_lanes(n - i);
    __m512d y = _mm512_mul_pd(middles(bits, words, i, lanes), factor);
    __m256i floor = _mm512_cvttpd_epi32(_mm512_min_pd(y, last));
    __m512d above = _mm512_sub_pd(y, _mm512_cvtepi32_pd(floor));
    __mmask8 open = _mm512_cmp_pd_mask(above, near, _CMP_LT_OQ) |
                    (_mm512_cmp_pd_mask(above, far, _CMP_GT_OQ) &
                     _mm512_cmp_pd_mask(y, end, _CMP_LT_OQ));
    __m256i offsets = _mm256_sub_epi32(highest, floor);
    if (bits == 32)
      _mm_mask_storeu_epi16((uint16_t *)out + i, lanes, _mm256_cvtepi32_epi16(offsets));
    else
      _mm256_mask_storeu_epi32((uint32_t *)out + i, lanes, offsets);
    undecided[i / LANES] = (uint8_t)(open & lanes);
  }
}

void cydp_category_offset_avx512(const cydp_category_offset_constants *constants,
                                 const void *words, size_t n, void *out,
                                 uint8_t *undecided) {
  if (constants->bits == 32)
    offset_all(constants, 32, words, n, out, undecided);
  else
    offset_all(constants, 63, words, n, out, undecided);
}
