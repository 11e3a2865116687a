/* SPDX-License-Identifier: MIT
 * ChaCha20 for AArch64: a register holds one state word of four blocks.
 * docs/generator.md.
 *
 * As with the other vector kernels the key is added from where the caller keeps it; the
 * 16 working words fit into the 32 registers. */
#include "cydp.h"
#include "generator/kernels.h"

#include <arm_neon.h>

static inline uint32x4_t rotate_16(uint32x4_t x) {
  return vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)));
}

static inline uint32x4_t rotate_8(uint32x4_t x, uint8x16_t by_8) {
  return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), by_8));
}

/* Shift left, then insert what falls out on the left from the right. */
#define ROTATE(x, bits) vsriq_n_u32(vshlq_n_u32(x, bits), x, 32 - (bits))

#define QUARTER_ROUND(a, b, c, d)                                                        \
  do {                                                                                   \
    a = vaddq_u32(a, b);                                                                 \
    d = rotate_16(veorq_u32(d, a));                                                      \
    c = vaddq_u32(c, d);                                                                 \
    b = veorq_u32(b, c);                                                                 \
    b = ROTATE(b, 12);                                                                   \
    a = vaddq_u32(a, b);                                                                 \
    d = rotate_8(veorq_u32(d, a), by_8);                                                 \
    c = vaddq_u32(c, d);                                                                 \
    b = veorq_u32(b, c);                                                                 \
    b = ROTATE(b, 7);                                                                    \
  } while (0)

static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
static const uint32_t first_blocks[4] = {0, 1, 2, 3};
static const uint8_t left_by_8[16] = {3,  0, 1, 2,  7,  4,  5,  6,
                                      11, 8, 9, 10, 15, 12, 13, 14};

static inline void four_blocks(const uint32_t key[8], const uint32_t nonce[3],
                               uint32x4_t count, uint32_t *words) {
  const uint8x16_t by_8 = vld1q_u8(left_by_8);
  uint32x4_t x[16];
  for (int i = 0; i < 4; i++)
    x[i] = vdupq_n_u32(sigma[i]);
  for (int i = 0; i < 8; i++)
    x[4 + i] = vdupq_n_u32(key[i]);
  x[12] = count;
  for (int i = 0; i < 3; i++)
    x[13 + i] = vdupq_n_u32(nonce[i]);
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
    x[i] = vaddq_u32(x[i], vdupq_n_u32(sigma[i]));
  for (int i = 0; i < 8; i++)
    x[4 + i] = vaddq_u32(x[4 + i], vdupq_n_u32(key[i]));
  x[12] = vaddq_u32(x[12], count);
  for (int i = 0; i < 3; i++)
    x[13 + i] = vaddq_u32(x[13 + i], vdupq_n_u32(nonce[i]));
  for (int w = 0; w < 16; w++)
    vst1q_u32(words + 16 * w, x[w]);
}

void cydp_chacha20_neon(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                        size_t groups, uint32_t *words) {
  const uint32x4_t blocks = vld1q_u32(first_blocks);
  for (; groups > 0; groups--, words += CYDP_GROUP_WORDS)
    for (uint32_t block = 0; block < 16; block += 4, counter += 4)
      four_blocks(key, nonce, vaddq_u32(vdupq_n_u32(counter), blocks), words + block);
}

void cydp_chacha20_blocks_neon(const uint32_t key[8], const uint32_t nonce[3],
                               const uint32_t counters[16], size_t n,
                               uint32_t words[CYDP_GROUP_WORDS]) {
  for (size_t block = 0; block < n; block += 4)
    four_blocks(key, nonce, vld1q_u32(counters + block), words + block);
}
