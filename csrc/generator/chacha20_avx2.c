/* SPDX-License-Identifier: MIT
 * ChaCha20 for AVX2: a register holds one state word of eight blocks, half a group.
 * docs/generator.md.
 *
 * The key is added from where the caller keeps it, so there is no copy to wipe. Working
 * words that 16 registers cannot hold pass over the stack, as in the portable kernel. */
#include "cydp.h"
#include "generator/kernels.h"

#include <immintrin.h>

#define ROTATE(x, bits)                                                                  \
  _mm256_or_si256(_mm256_slli_epi32(x, bits), _mm256_srli_epi32(x, 32 - (bits)))

/* Rotations by whole bytes are one shuffle. */
#define QUARTER_ROUND(a, b, c, d)                                                        \
  do {                                                                                   \
    a = _mm256_add_epi32(a, b);                                                          \
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by_16);                              \
    c = _mm256_add_epi32(c, d);                                                          \
    b = _mm256_xor_si256(b, c);                                                          \
    b = ROTATE(b, 12);                                                                   \
    a = _mm256_add_epi32(a, b);                                                          \
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by_8);                               \
    c = _mm256_add_epi32(c, d);                                                          \
    b = _mm256_xor_si256(b, c);                                                          \
    b = ROTATE(b, 7);                                                                    \
  } while (0)

static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

static inline __m256i splat(uint32_t x) { return _mm256_set1_epi32((int)x); }

static inline void eight_blocks(const uint32_t key[8], const uint32_t nonce[3],
                                __m256i count, uint32_t *words) {
  const __m256i by_16 =
      _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1,
                       6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  const __m256i by_8 =
      _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14, 3, 0, 1, 2,
                       7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
  __m256i x[16];
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
    x[i] = _mm256_add_epi32(x[i], splat(sigma[i]));
  for (int i = 0; i < 8; i++)
    x[4 + i] = _mm256_add_epi32(x[4 + i], splat(key[i]));
  x[12] = _mm256_add_epi32(x[12], count);
  for (int i = 0; i < 3; i++)
    x[13 + i] = _mm256_add_epi32(x[13 + i], splat(nonce[i]));
  for (int w = 0; w < 16; w++)
    _mm256_storeu_si256((__m256i *)(words + 16 * w), x[w]);
}

void cydp_chacha20_avx2(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                        size_t groups, uint32_t *words) {
  const __m256i blocks = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (; groups > 0; groups--, words += CYDP_GROUP_WORDS)
    for (uint32_t block = 0; block < 16; block += 8, counter += 8)
      eight_blocks(key, nonce, _mm256_add_epi32(splat(counter), blocks), words + block);
}

void cydp_chacha20_blocks_avx2(const uint32_t key[8], const uint32_t nonce[3],
                               const uint32_t counters[16],
                               uint32_t words[CYDP_GROUP_WORDS]) {
  for (int block = 0; block < 16; block += 8)
    eight_blocks(key, nonce, _mm256_loadu_si256((const __m256i *)(counters + block)),
                 words + block);
}
