/* SPDX-License-Identifier: MIT
 * From codes of 4 and 8 bytes to indices for AVX-512; narrower codes are not worth a
 * kernel. docs/exact/bins.md. */
#include "cydp.h"

#include <immintrin.h>

enum { LANES = 16 }; /* of 4 bytes */

static uint64_t codes_8(const int64_t *codes, size_t n, uint32_t length,
                        uint32_t *indices) {
  const __m512i limit = _mm512_set1_epi64(length);
  const __m256i one = _mm256_set1_epi32(1);
  __m512i largest = _mm512_setzero_si512();
  for (size_t i = 0; i < n; i += 8) {
    __m512i code = _mm512_loadu_si512(codes + i);
    /* One load: nothing below may see what another thread has written meanwhile. */
    __asm__("" : "+v"(code));
    largest = _mm512_max_epu64(largest, code);
    __m256i index = _mm512_cvtepi64_epi32(_mm512_min_epu64(code, limit));
    _mm256_storeu_si256((__m256i *)(indices + i), _mm256_add_epi32(index, one));
  }
  uint64_t all = _mm512_reduce_max_epu64(largest);
  return all > INT64_MAX ? UINT64_MAX : all;
}

static uint64_t codes_4(const uint32_t *codes, bool negative, size_t n, uint32_t length,
                        uint32_t *indices) {
  const __m512i limit = _mm512_set1_epi32((int)length), one = _mm512_set1_epi32(1);
  __m512i largest = _mm512_setzero_si512();
  for (size_t i = 0; i < n; i += 16) {
    __m512i code = _mm512_loadu_si512(codes + i);
    __asm__("" : "+v"(code));
    largest = _mm512_max_epu32(largest, code);
    __m512i index = _mm512_add_epi32(_mm512_min_epu32(code, limit), one);
    _mm512_storeu_si512(indices + i, index);
  }
  uint32_t all = _mm512_reduce_max_epu32(largest);
  return negative && all > INT32_MAX ? UINT64_MAX : all;
}

static bool inside_8(const int64_t *codes, size_t n, uint32_t length, uint32_t *low) {
  const __m512i last = _mm512_set1_epi64((int64_t)length - 1);
  __m512i outside = _mm512_setzero_si512();
  for (size_t i = 0; i < n; i += 8) {
    __m512i code = _mm512_loadu_si512(codes + i);
    __asm__("" : "+v"(code)); /* one load: what is compared is what is stored */
    outside =
        _mm512_or_si512(outside, _mm512_or_si512(code, _mm512_sub_epi64(last, code)));
    _mm256_storeu_si256((__m256i *)(low + i), _mm512_cvtepi64_epi32(code));
  }
  return !_mm512_movepi64_mask(outside);
}

static bool inside_4(const uint32_t *codes, size_t n, uint32_t length, uint32_t *low) {
  __m512i largest = _mm512_setzero_si512();
  for (size_t i = 0; i < n; i += 16) {
    __m512i code = _mm512_loadu_si512(codes + i);
    __asm__("" : "+v"(code));
    largest = _mm512_max_epu32(largest, code);
    _mm512_storeu_si512(low + i, code);
  }
  return !_mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32((int)length));
}

#include "exact/codes_vector.h"
