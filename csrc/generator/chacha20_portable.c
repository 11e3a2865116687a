/* SPDX-License-Identifier: MIT
 * ChaCha20 (RFC 8439, section 2.3), 16 blocks at a time: the version to read.
 * docs/generator.md.
 *
 * A vector holds one state word of four blocks. It is GNU C, which gcc and clang turn
 * into whatever 128-bit registers the machine has. */
#include "base/wipe.h"
#include "cydp.h"
#include "generator/kernels.h"

#include <string.h>

typedef uint32_t vec __attribute__((vector_size(16)));

#define ROTATE(x, bits) (((x) << (bits)) | ((x) >> (32 - (bits))))

#define QUARTER_ROUND(a, b, c, d)                                                        \
  do {                                                                                   \
    a += b;                                                                              \
    d = ROTATE(d ^ a, 16);                                                               \
    c += d;                                                                              \
    b = ROTATE(b ^ c, 12);                                                               \
    a += b;                                                                              \
    d = ROTATE(d ^ a, 8);                                                                \
    c += d;                                                                              \
    b = ROTATE(b ^ c, 7);                                                                \
  } while (0)

static vec splat(uint32_t x) { return (vec){x, x, x, x}; }

static void four_blocks(const vec start[16], uint32_t *words) {
  vec x[16];
  memcpy(x, start, sizeof x);
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
  for (int w = 0; w < 16; w++) {
    vec sum = x[w] + start[w];
    memcpy(words + 16 * w, &sum, sizeof sum);
  }
}

static void prepare(vec state[16], const uint32_t key[8], const uint32_t nonce[3]) {
  static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (int i = 0; i < 4; i++)
    state[i] = splat(sigma[i]);
  for (int i = 0; i < 8; i++)
    state[4 + i] = splat(key[i]);
  for (int i = 0; i < 3; i++)
    state[13 + i] = splat(nonce[i]);
}

void cydp_chacha20_portable(const uint32_t key[8], const uint32_t nonce[3],
                            uint32_t counter, size_t groups, uint32_t *words) {
  vec state[16];
  prepare(state, key, nonce);
  for (size_t group = 0; group < groups; group++, words += CYDP_GROUP_WORDS)
    for (uint32_t block = 0; block < 16; block += 4, counter += 4) {
      state[12] = splat(counter) + (vec){0, 1, 2, 3};
      four_blocks(state, words + block);
    }
  cydp_wipe(state, sizeof state);
}

void cydp_chacha20_blocks_portable(const uint32_t key[8], const uint32_t nonce[3],
                                   const uint32_t counters[16], size_t n,
                                   uint32_t words[CYDP_GROUP_WORDS]) {
  vec state[16];
  prepare(state, key, nonce);
  for (size_t block = 0; block < n; block += 4) {
    memcpy(state + 12, counters + block, sizeof *state);
    four_blocks(state, words + block);
  }
  cydp_wipe(state, sizeof state);
}
