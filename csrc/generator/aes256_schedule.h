/* SPDX-License-Identifier: MIT
 *
 * The round keys of AES-256, for x86-64. */
#ifndef CYDP_GENERATOR_AES256_SCHEDULE_H
#define CYDP_GENERATOR_AES256_SCHEDULE_H

#include <immintrin.h>
#include <stdint.h>

enum { CYDP_AES256_ROUND_KEYS = 15 };

/* Each word xored with all words below it. */
static inline __m128i running_xor(__m128i words) {
  words = _mm_xor_si128(words, _mm_slli_si128(words, 4));
  return _mm_xor_si128(words, _mm_slli_si128(words, 8));
}

/* Sets keys to the round keys, FIPS 197 section 5.2: each comes from the one two places
 * before and from the last word of the one before. The instruction takes the round's
 * constant as an immediate. Keys are read again where they are used, so that none is
 * copied to the stack. */
static inline void expand_key(const uint32_t key[8],
                              __m128i keys[CYDP_AES256_ROUND_KEYS]) {
  keys[0] = _mm_loadu_si128((const __m128i *)key);
  keys[1] = _mm_loadu_si128((const __m128i *)(key + 4));
#define EVEN_KEY(i, constant)                                                            \
  __asm__ volatile("" : : "r"(keys) : "memory");                                         \
  keys[i] = _mm_xor_si128(                                                               \
      running_xor(keys[(i)-2]),                                                          \
      _mm_shuffle_epi32(_mm_aeskeygenassist_si128(keys[(i)-1], constant), 0xff))
#define ODD_KEY(i)                                                                       \
  keys[i] =                                                                              \
      _mm_xor_si128(running_xor(keys[(i)-2]),                                            \
                    _mm_shuffle_epi32(_mm_aeskeygenassist_si128(keys[(i)-1], 0), 0xaa))
  EVEN_KEY(2, 0x01);
  ODD_KEY(3);
  EVEN_KEY(4, 0x02);
  ODD_KEY(5);
  EVEN_KEY(6, 0x04);
  ODD_KEY(7);
  EVEN_KEY(8, 0x08);
  ODD_KEY(9);
  EVEN_KEY(10, 0x10);
  ODD_KEY(11);
  EVEN_KEY(12, 0x20);
  ODD_KEY(13);
  EVEN_KEY(14, 0x40);
#undef EVEN_KEY
#undef ODD_KEY
}

/* The counter block whose counter is 0. */
static inline __m128i first_block(const uint32_t nonce[3]) {
  return _mm_setr_epi32((int)nonce[0], (int)nonce[1], (int)nonce[2], 0);
}

#endif
