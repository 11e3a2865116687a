/* SPDX-License-Identifier: MIT
 * AES-256 by the instructions of ARMv8: a register holds one block, and sixteen are worked
 * on abreast. docs/generator.md. */
#include "base/wipe.h"
#include "cydp.h"
#include "generator/aes256.h"

#include <arm_neon.h>

enum { ABREAST = 16, ROUNDS = 14, KEY_WORDS = 4 * (ROUNDS + 1) };

/* Replaces the bytes of a word. The instruction moves bytes between columns as well, which
 * four equal columns do not show. */
static inline uint32_t substitute(uint32_t word) {
  uint8x16_t columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
  return vgetq_lane_u32(vreinterpretq_u32_u8(vaeseq_u8(columns, vdupq_n_u8(0))), 0);
}

static inline void expand_key(const uint32_t key[8], uint32_t keys[KEY_WORDS]) {
  uint32_t constant = 1;
  for (int i = 0; i < 8; i++)
    keys[i] = key[i];
  for (int i = 8; i < KEY_WORDS; i += 4) {
    uint32_t word = substitute(keys[i - 1]);
    if (i % 8 == 0) {
      word = (word >> 8 | word << 24) ^ constant;
      constant *= 2;
    }
    for (int j = i; j < i + 4; j++)
      keys[j] = word ^= keys[j - 8];
  }
}

static inline uint8x16_t key_at(const uint32_t *keys, int round) {
  return vreinterpretq_u8_u32(vld1q_u32(keys + 4 * round));
}

/* Sets x to the counter blocks from `counter` on. */
static inline void count(uint32x4_t nonce, uint32_t counter, uint8x16_t x[ABREAST]) {
  static const uint32_t first_blocks[4] = {0, 1, 2, 3};
  uint32x4_t counters = vaddq_u32(vdupq_n_u32(counter), vld1q_u32(first_blocks));
  for (int i = 0; i < ABREAST; i += 4, counters = vaddq_u32(counters, vdupq_n_u32(4))) {
    uint32x4_t big_endian =
        vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(counters)));
    x[i] = vreinterpretq_u8_u32(vcopyq_laneq_u32(nonce, 3, big_endian, 0));
    x[i + 1] = vreinterpretq_u8_u32(vcopyq_laneq_u32(nonce, 3, big_endian, 1));
    x[i + 2] = vreinterpretq_u8_u32(vcopyq_laneq_u32(nonce, 3, big_endian, 2));
    x[i + 3] = vreinterpretq_u8_u32(vcopyq_laneq_u32(nonce, 3, big_endian, 3));
  }
}

void cydp_aes256_armv8(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                       size_t groups, uint32_t *words) {
  _Alignas(16) uint32_t keys[KEY_WORDS];
  const uint32_t start[4] = {nonce[0], nonce[1], nonce[2], 0};
  const uint32x4_t first = vld1q_u32(start);
  expand_key(key, keys);
  for (size_t i = 0; i < groups * CYDP_AES256_BLOCKS;
       i += ABREAST, counter += ABREAST, words += 4 * ABREAST) {
    uint8x16_t x[ABREAST];
    count(first, counter, x);
    /* Read the keys again: no copies on the stack. */
    __asm__ volatile("" : : "r"(keys) : "memory");
    /* The first step of a round adds its key; the last round mixes no columns. */
    for (int round = 0; round < ROUNDS - 1; round++) {
      const uint8x16_t round_key = key_at(keys, round);
      for (int j = 0; j < ABREAST; j++)
        x[j] = vaesmcq_u8(vaeseq_u8(x[j], round_key));
    }
    const uint8x16_t before_last = key_at(keys, ROUNDS - 1), last = key_at(keys, ROUNDS);
    for (int j = 0; j < ABREAST; j++)
      vst1q_u32(words + 4 * j,
                vreinterpretq_u32_u8(veorq_u8(vaeseq_u8(x[j], before_last), last)));
  }
  cydp_wipe(keys, sizeof keys);
}
