/* SPDX-License-Identifier: MIT
 * ChaCha20 for AVX2: a register holds one state word of eight blocks, half a group.
 * docs/generator.md.
 *
 * The key is added from where the caller keeps it, so there is no copy to wipe. Two quarter
 * rounds are worked on abreast. 16 registers hold three rows of the state, two words of the
 * third one, row c, and two temporaries; the other two words of row c wait where the output
 * goes. A compiler that chooses what waits puts stores into the chain of dependences. */
#include "cydp.h"
#include "generator/kernels.h"

#include <immintrin.h>

#define ADD(x, y) x = _mm256_add_epi32(x, y)
#define XOR(x, y) x = _mm256_xor_si256(x, y)
#define ROTATE(x, bits)                                                                  \
  x = _mm256_or_si256(_mm256_slli_epi32(x, bits), _mm256_srli_epi32(x, 32 - (bits)))
#define SHUFFLE(x, by) x = _mm256_shuffle_epi8(x, by) /* a rotation by whole bytes */

#define QUARTER_ROUNDS(a0, b0, c0, d0, a1, b1, c1, d1)                                   \
  do {                                                                                   \
    ADD(a0, b0), ADD(a1, b1), XOR(d0, a0), XOR(d1, a1);                                  \
    SHUFFLE(d0, by_16), SHUFFLE(d1, by_16);                                              \
    ADD(c0, d0), ADD(c1, d1), XOR(b0, c0), XOR(b1, c1);                                  \
    ROTATE(b0, 12), ROTATE(b1, 12);                                                      \
    ADD(a0, b0), ADD(a1, b1), XOR(d0, a0), XOR(d1, a1);                                  \
    SHUFFLE(d0, by_8), SHUFFLE(d1, by_8);                                                \
    ADD(c0, d0), ADD(c1, d1), XOR(b0, c0), XOR(b1, c1);                                  \
    ROTATE(b0, 7), ROTATE(b1, 7);                                                        \
  } while (0)

static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

static inline __m256i splat(uint32_t x) { return _mm256_set1_epi32((int)x); }

/* Word w of eight blocks, of 16. */
static inline void store(uint32_t *words, int w, __m256i x, __m256i start) {
  _mm256_storeu_si256((__m256i *)(words + 16 * w), _mm256_add_epi32(x, start));
}

/* The place of such a word in the output. */
typedef struct waiting_word {
  __m256i_u x;
  uint32_t rest[8];
} waiting_word;

static inline void eight_blocks(const uint32_t key[8], const uint32_t nonce[3],
                                __m256i count, uint32_t *words) {
  const __m256i by_16 =
      _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1,
                       6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  const __m256i by_8 =
      _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14, 3, 0, 1, 2,
                       7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
  __m256i a0 = splat(sigma[0]), a1 = splat(sigma[1]), a2 = splat(sigma[2]),
          a3 = splat(sigma[3]);
  __m256i b0 = splat(key[0]), b1 = splat(key[1]), b2 = splat(key[2]), b3 = splat(key[3]);
  __m256i c0 = splat(key[4]), c1 = splat(key[5]); /* at work */
  __m256i d0 = count, d1 = splat(nonce[0]), d2 = splat(nonce[1]), d3 = splat(nonce[2]);
  volatile waiting_word *waiting = (volatile waiting_word *)(words + 16 * 8);
  waiting[2].x = splat(key[6]);
  waiting[3].x = splat(key[7]);
#pragma GCC unroll 1
  for (int round = 0; round < 20; round += 2) {
    QUARTER_ROUNDS(a0, b0, c0, d0, a1, b1, c1, d1);
    waiting[0].x = c0, waiting[1].x = c1, c0 = waiting[2].x, c1 = waiting[3].x;
    QUARTER_ROUNDS(a2, b2, c0, d2, a3, b3, c1, d3);
    QUARTER_ROUNDS(a0, b1, c0, d3, a1, b2, c1, d0);
    waiting[2].x = c0, waiting[3].x = c1, c0 = waiting[0].x, c1 = waiting[1].x;
    QUARTER_ROUNDS(a2, b3, c0, d1, a3, b0, c1, d2);
  }
  __asm__ volatile("" ::: "memory"); /* read the key again: no copies on the stack */
  store(words, 0, a0, splat(sigma[0]));
  store(words, 1, a1, splat(sigma[1]));
  store(words, 2, a2, splat(sigma[2]));
  store(words, 3, a3, splat(sigma[3]));
  store(words, 4, b0, splat(key[0]));
  store(words, 5, b1, splat(key[1]));
  store(words, 6, b2, splat(key[2]));
  store(words, 7, b3, splat(key[3]));
  store(words, 8, c0, splat(key[4]));
  store(words, 9, c1, splat(key[5]));
  store(words, 10, waiting[2].x, splat(key[6]));
  store(words, 11, waiting[3].x, splat(key[7]));
  store(words, 12, d0, count);
  store(words, 13, d1, splat(nonce[0]));
  store(words, 14, d2, splat(nonce[1]));
  store(words, 15, d3, splat(nonce[2]));
}

void cydp_chacha20_avx2(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                        size_t groups, uint32_t *words) {
  const __m256i blocks = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (; groups > 0; groups--, words += CYDP_GROUP_WORDS)
    for (uint32_t block = 0; block < 16; block += 8, counter += 8)
      eight_blocks(key, nonce, _mm256_add_epi32(splat(counter), blocks), words + block);
}

void cydp_chacha20_blocks_avx2(const uint32_t key[8], const uint32_t nonce[3],
                               const uint32_t counters[16], size_t n,
                               uint32_t words[CYDP_GROUP_WORDS]) {
  for (size_t block = 0; block < n; block += 8)
    eight_blocks(key, nonce, _mm256_loadu_si256((const __m256i *)(counters + block)),
                 words + block);
}
