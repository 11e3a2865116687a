/* SPDX-License-Identifier: MIT
 * AES-256 for VAES with AVX-512: a register holds four blocks, and 32 are worked on
 * abreast. docs/generator.md. */
#include "base/wipe.h"
#include "generator/aes256.h"
#include "generator/aes256_schedule.h"

enum { ABREAST = 8 };

static inline __m512i spread(const __m128i *key) {
  return _mm512_broadcast_i32x4(_mm_load_si128(key));
}

void cydp_aes256_vaes512(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                         size_t groups, uint32_t *words) {
  __m128i keys[CYDP_AES256_ROUND_KEYS];
  expand_key(key, keys);
  /* Counters are counted as words, and become big-endian as they are used. */
  const __m512i big_endian = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, 13, 12));
  const __m512i four = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0, 0, 4));
  const __m512i places =
      _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3);
  __m512i next = _mm512_add_epi32(
      _mm512_broadcast_i32x4(_mm_insert_epi32(first_block(nonce), (int)counter, 3)),
      places);
  for (size_t i = 0; i < groups * CYDP_AES256_BLOCKS / 4; i += ABREAST) {
    __m512i x[ABREAST];
    /* Read the keys again: no copies on the stack. */
    __asm__ volatile("" : : "r"(keys) : "memory");
    for (int j = 0; j < ABREAST; j++, next = _mm512_add_epi32(next, four))
      x[j] = _mm512_xor_si512(_mm512_shuffle_epi8(next, big_endian), spread(keys));
    for (int round = 1; round < CYDP_AES256_ROUND_KEYS - 1; round++) {
      const __m512i round_key = spread(keys + round);
      for (int j = 0; j < ABREAST; j++)
        x[j] = _mm512_aesenc_epi128(x[j], round_key);
    }
    for (int j = 0; j < ABREAST; j++)
      _mm512_storeu_si512(
          (__m512i *)words + i + (size_t)j,
          _mm512_aesenclast_epi128(x[j], spread(keys + CYDP_AES256_ROUND_KEYS - 1)));
  }
  cydp_wipe(keys, sizeof keys);
}
