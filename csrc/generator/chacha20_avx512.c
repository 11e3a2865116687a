/* SPDX-License-Identifier: MIT
 * ChaCha20 for AVX-512: a register holds one state word of all 16 blocks of a group.
 * docs/generator.md.
 *
 * The 16 working words fill half of the registers and the key is added from where the
 * caller keeps it, so nothing secret reaches the stack and there is nothing to wipe; what
 * is left in registers is overwritten by whatever uses them next. */
#include "cydp.h"
#include "generator/kernels.h"

#include <immintrin.h>

#define QUARTER_ROUND(a, b, c, d)                                                        \
  do {                                                                                   \
    a = _mm512_add_epi32(a, b);                                                          \
    d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 16);                                    \
    c = _mm512_add_epi32(c, d);                                                          \
    b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 12);                                    \
    a = _mm512_add_epi32(a, b);                                                          \
    d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 8);                                     \
    c = _mm512_add_epi32(c, d);                                                          \
    b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 7);                                     \
  } while (0)

static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

static inline __m512i splat(uint32_t x) { return _mm512_set1_epi32((int)x); }

static inline void sixteen_blocks(const uint32_t key[8], const uint32_t nonce[3],
                                  __m512i count, uint32_t *words) {
  __m512i x[16];
  for (int i = 0; i < 4; i++)
    x[i] = splat(sigma[i]);
  for (int i = 0; i < 8; i++)
    x[4 + i] = splat(key[i]);
  x[12] = count;
  for (int i = 0; i < 3; i++)
    x[13 + i] = splat(nonce[i]);
  for (int round = 0; round < 20; round += 2) {
    QUARTER_ROUND(x[0], x[4], x[8], x[12]);
    QUARTER_ROUND(x[1], x[5], x[9], x[13]);
    QUARTER_ROUND(x[2], x[6], x[10], x[14]);
    QUARTER_ROUND(x[3], x[7], x[11], x[15]);
    QUARTER_ROUND(x[0], x[5], x[10], x[15]);
    QUARTER_ROUND(x[1], x[6], x[11], x[12]);
    QUARTER_ROUND(x[2], x[7], x[8], x[13]);
    QUARTER_ROUND(x[3], x[4], x[9], x[14]);
  }
  __asm__ volatile("" ::: "memory"); /* read the key again: no copies on the stack */
  for (int i = 0; i < 4; i++)
    x[i] = _mm512_add_epi32(x[i], splat(sigma[i]));
  for (int i = 0; i < 8; i++)
    x[4 + i] = _mm512_add_epi32(x[4 + i], splat(key[i]));
  x[12] = _mm512_add_epi32(x[12], count);
  for (int i = 0; i < 3; i++)
    x[13 + i] = _mm512_add_epi32(x[13 + i], splat(nonce[i]));
  for (int w = 0; w < 16; w++)
    _mm512_storeu_si512(words + 16 * w, x[w]);
}

void cydp_chacha20_avx512(const uint32_t key[8], const uint32_t nonce[3],
                          uint32_t counter, size_t groups, uint32_t *words) {
  const __m512i blocks =
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (; groups > 0; groups--, words += CYDP_GROUP_WORDS, counter += 16)
    sixteen_blocks(key, nonce, _mm512_add_epi32(splat(counter), blocks), words);
}

void cydp_chacha20_blocks_avx512(const uint32_t key[8], const uint32_t nonce[3],
                                 const uint32_t counters[16], size_t n,
                                 uint32_t words[CYDP_GROUP_WORDS]) {
  (void)n; /* one register holds a word of all */
  sixteen_blocks(key, nonce, _mm512_loadu_si512(counters), words);
}
