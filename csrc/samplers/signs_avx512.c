/* SPDX-License-Identifier: MIT
 * Signs for magnitudes, for AVX-512: a byte of signs is the mask of eight lanes.
 * docs/samplers.md. */
#include "samplers/kernels.h"

#include <immintrin.h>

static inline __m512i negated(__m128i magnitudes, __mmask8 negative) {
  __m512i k = _mm512_cvtepu16_epi64(magnitudes);
  return _mm512_mask_sub_epi64(k, negative, _mm512_setzero_si512(), k);
}

void cydp_signs_avx512(const uint16_t *magnitudes, const uint8_t *signs, size_t n,
                       int64_t *out) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i k = _mm_loadu_si128((const __m128i *)(magnitudes + i));
    _mm512_storeu_si512(out + i, negated(k, signs[i / 8]));
  }
  if (i < n) {
    __mmask8 lanes = (__mmask8)((1U << (n - i)) - 1);
    __m128i k = _mm_maskz_loadu_epi16(lanes, magnitudes + i);
    _mm512_mask_storeu_epi64(out + i, lanes, negated(k, signs[i / 8]));
  }
}
