/* SPDX-License-Identifier: MIT
 * From codes of 4 and 8 bytes to indices for AVX2; narrower codes are not worth a kernel.
 * docs/exact/bins.md. */
#include "cydp.h"

#include <immintrin.h>

enum { LANES = 8 }; /* of 4 bytes */

/* There is no unsigned comparison of 64 bits, but the sign is enough. */
static uint64_t codes_8(const int64_t *codes, size_t n, uint32_t length,
                        uint32_t *indices) {
  const __m256i limit = _mm256_set1_epi64x(length);
  const __m256i low = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  const __m128i one = _mm_set1_epi32(1);
  __m256i largest = _mm256_setzero_si256(), signs = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 4) {
    __m256i code = _mm256_loadu_si256((const __m256i *)(codes + i));
    /* One load: nothing below may see what another thread has written meanwhile. */
    __asm__("" : "+x"(code));
    __m256i outside = _mm256_or_si256(code, _mm256_sub_epi64(limit, code));
    signs = _mm256_or_si256(signs, code);
    largest = _mm256_blendv_epi8(largest, code, _mm256_cmpgt_epi64(code, largest));
    __m256i index = _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(code),
                                                         _mm256_castsi256_pd(limit),
                                                         _mm256_castsi256_pd(outside)));
    index = _mm256_permutevar8x32_epi32(index, low);
    _mm_storeu_si128((__m128i *)(indices + i),
                     _mm_add_epi32(_mm256_castsi256_si128(index), one));
  }
  uint64_t lanes[4], all = 0;
  _mm256_storeu_si256((__m256i *)lanes, largest);
  for (int k = 0; k < 4; k++)
    all = lanes[k] > all ? lanes[k] : all;
  return _mm256_movemask_pd(_mm256_castsi256_pd(signs)) ? UINT64_MAX : all;
}

static uint64_t codes_4(const uint32_t *codes, bool negative, size_t n, uint32_t length,
                        uint32_t *indices) {
  const __m256i limit = _mm256_set1_epi32((int)length), one = _mm256_set1_epi32(1);
  __m256i largest = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 8) {
    __m256i code = _mm256_loadu_si256((const __m256i *)(codes + i));
    __asm__("" : "+x"(code)); /* one load, as above */
    largest = _mm256_max_epu32(largest, code);
    __m256i index = _mm256_add_epi32(_mm256_min_epu32(code, limit), one);
    _mm256_storeu_si256((__m256i *)(indices + i), index);
  }
  uint32_t lanes[8], all = 0;
  _mm256_storeu_si256((__m256i *)lanes, largest);
  for (int k = 0; k < 8; k++)
    all = lanes[k] > all ? lanes[k] : all;
  return negative && all > INT32_MAX ? UINT64_MAX : all;
}

/* The sign of code or of length - 1 - code is set where a code is outside. */
static bool inside_8(const int64_t *codes, size_t n, uint32_t length, uint32_t *low) {
  const __m256i last = _mm256_set1_epi64x((int64_t)length - 1);
  const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  __m256i outside = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 4) {
    __m256i code = _mm256_loadu_si256((const __m256i *)(codes + i));
    __asm__("" : "+x"(code)); /* one load, as above */
    outside =
        _mm256_or_si256(outside, _mm256_or_si256(code, _mm256_sub_epi64(last, code)));
    code = _mm256_permutevar8x32_epi32(code, even);
    _mm_storeu_si128((__m128i *)(low + i), _mm256_castsi256_si128(code));
  }
  return !_mm256_movemask_pd(_mm256_castsi256_pd(outside));
}

static bool inside_4(const uint32_t *codes, size_t n, uint32_t length, uint32_t *low) {
  __m256i largest = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 8) {
    __m256i code = _mm256_loadu_si256((const __m256i *)(codes + i));
    __asm__("" : "+x"(code));
    largest = _mm256_max_epu32(largest, code);
    _mm256_storeu_si256((__m256i *)(low + i), code);
  }
  __m256i is_outside = _mm256_cmpeq_epi32(
      _mm256_max_epu32(largest, _mm256_set1_epi32((int)length)), largest);
  return !_mm256_movemask_epi8(is_outside);
}

#include "exact/codes_vector.h"
