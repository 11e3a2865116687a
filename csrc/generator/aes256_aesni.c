/* SPDX-License-Identifier: MIT
 * AES-256 for AES-NI: a register holds one block, and eight are worked on abreast.
 * docs/generator.md. */
#include "base/wipe.h"
#include "generator/aes256.h"
#include "generator/aes256_schedule.h"

enum { ABREAST = 8 };

void cydp_aes256_aesni(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                       size_t groups, uint32_t *words) {
  __m128i keys[CYDP_AES256_ROUND_KEYS];
  expand_key(key, keys);
  const __m128i start = first_block(nonce);
  for (size_t i = 0; i < groups * CYDP_AES256_BLOCKS; i += ABREAST) {
    __m128i x[ABREAST];
    /* Read the keys again: no copies on the stack. */
    __asm__ volatile("" : : "r"(keys) : "memory");
    for (int j = 0; j < ABREAST; j++, counter++)
      x[j] = _mm_xor_si128(_mm_insert_epi32(start, (int)__builtin_bswap32(counter), 3),
                           keys[0]);
    for (int round = 1; round < CYDP_AES256_ROUND_KEYS - 1; round++)
      for (int j = 0; j < ABREAST; j++)
        x[j] = _mm_aesenc_si128(x[j], keys[round]);
    for (int j = 0; j < ABREAST; j++)
      _mm_storeu_si128((__m128i *)words + i + (size_t)j,
                       _mm_aesenclast_si128(x[j], keys[CYDP_AES256_ROUND_KEYS - 1]));
  }
  cydp_wipe(keys, sizeof keys);
}
