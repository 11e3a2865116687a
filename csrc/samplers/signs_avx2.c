/* SPDX-License-Identifier: MIT
 * Signs for magnitudes, for AVX2: 16 at a time, before they are widened.
 * docs/samplers.md. */
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16 };

static inline void widen(__m128i values, int64_t *out) {
  _mm256_storeu_si256((__m256i *)out, _mm256_cvtepi16_epi64(values));
  _mm256_storeu_si256((__m256i *)(out + 4),
                      _mm256_cvtepi16_epi64(_mm_srli_si128(values, 8)));
}

static inline void apply(const uint16_t *magnitudes, const uint8_t *signs, int64_t *out) {
  const __m256i bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
                                        4096, 8192, 16384, (short)0x8000);
  __m256i k = _mm256_loadu_si256((const __m256i *)magnitudes);
  __m256i all = _mm256_set1_epi16((short)(signs[0] | signs[1] << 8));
  __m256i negative = _mm256_cmpeq_epi16(_mm256_and_si256(all, bit), bit);
  k = _mm256_sub_epi16(_mm256_xor_si256(k, negative), negative);
  widen(_mm256_castsi256_si128(k), out);
  widen(_mm256_extracti128_si256(k, 1), out + 8);
}

void cydp_signs_avx2(const uint16_t *magnitudes, const uint8_t *signs, size_t n,
                     int64_t *out) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    apply(magnitudes + i, signs + i / 8, out + i);
  if (i < n) {
    uint16_t in[LANES] = {0};
    uint8_t bits[LANES / 8] = {0};
    int64_t values[LANES];
    memcpy(in, magnitudes + i, (n - i) * sizeof *in);
    memcpy(bits, signs + i / 8, (n - i + 7) / 8);
    apply(in, bits, values);
    memcpy(out + i, values, (n - i) * sizeof *out);
  }
}
