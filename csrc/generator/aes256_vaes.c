/* SPDX-License-Identifier: MIT
 * AES-256 for VAES with AVX2: a register holds two blocks, and sixteen are worked on
 * abreast. docs/generator.md. */
#include "base/wipe.h"
#include "generator/aes256.h"
#include "generator/aes256_schedule.h"

enum { ABREAST = 8 };

static inline __m256i spread(const __m128i *key) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(key));
}

void cydp_aes256_vaes(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                      size_t groups, uint32_t *words) {
  __m128i keys[CYDP_AES256_ROUND_KEYS];
  expand_key(key, keys);
  /* Counters are counted as words, and become big-endian as they are used. */
  const __m256i big_endian = _mm256_setr_epi8(
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, 13, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      10, 11, 15, 14, 13, 12);
  const __m256i two = _mm256_setr_epi32(0, 0, 0, 2, 0, 0, 0, 2);
  __m256i next = _mm256_add_epi32(
      _mm256_broadcastsi128_si256(first_block(nonce)),
      _mm256_setr_epi32(0, 0, 0, (int)counter, 0, 0, 0, (int)(counter + 1)));
  for (size_t i = 0; i < groups * CYDP_AES256_BLOCKS / 2; i += ABREAST) {
    __m256i x[ABREAST];
    /* Read the keys again: no copies on the stack. */
    __asm__ volatile("" : : "r"(keys) : "memory");
    for (int j = 0; j < ABREAST; j++, next = _mm256_add_epi32(next, two))
      x[j] = _mm256_xor_si256(_mm256_shuffle_epi8(next, big_endian), spread(keys));
    for (int round = 1; round < CYDP_AES256_ROUND_KEYS - 1; round++) {
      const __m256i round_key = spread(keys + round);
      for (int j = 0; j < ABREAST; j++)
        x[j] = _mm256_aesenc_epi128(x[j], round_key);
    }
    for (int j = 0; j < ABREAST; j++)
      _mm256_storeu_si256(
          (__m256i *)words + i + (size_t)j,
          _mm256_aesenclast_epi128(x[j], spread(keys + CYDP_AES256_ROUND_KEYS - 1)));
  }
  cydp_wipe(keys, sizeof keys);
}
