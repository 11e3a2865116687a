/* SPDX-License-Identifier: MIT
 * RFC 8439 vectors, the interleaved order, and the end of the counter; every kernel that
 * runs here, word for word. */
#include "cydp.h"
#include "generator/nonce.h"
#include "generator/kernels.h"
#include "tests/check.h"

#include <string.h>

static void block_of_section_2_3_2(void) {
  uint32_t key[8], words[16];
  for (uint32_t i = 0; i < 8; i++)
    key[i] = 0x03020100 + 0x04040404 * i;
  const uint32_t nonce[3] = {0x09000000, 0x4a000000, 0};
  const uint32_t expected[16] = {0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3,
                                 0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
                                 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
  cydp_chacha20_block(key, nonce, 1, words);
  CHECK(memcmp(words, expected, sizeof words) == 0);
}

static void first_vector_of_appendix_a_1(void) {
  const uint32_t key[8] = {0}, nonce[3] = {0};
  const uint8_t expected[16] = {0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90,
                                0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28};
  uint32_t words[16];
  cydp_chacha20_block(key, nonce, 0, words);
  CHECK(memcmp(words, expected, sizeof expected) == 0);
}

static void groups_interleave_sixteen_blocks(void) {
  const uint32_t key[8] = {1, 2, 3, 4, 5, 6, 7, 8}, nonce[3] = {9, 10, 11};
  uint32_t words[3 * CYDP_GROUP_WORDS], block[16];
  CHECK(cydp_chacha20_keystream(key, nonce, 5, 3, words) == CYDP_OK);
  for (uint32_t b = 0; b < 3 * 16; b++) {
    cydp_chacha20_block(key, nonce, 5 + b, block);
    for (uint32_t w = 0; w < 16; w++)
      CHECK(words[CYDP_GROUP_WORDS * (b / 16) + 16 * w + b % 16] == block[w]);
  }
}

static void a_counter_never_wraps(void) {
  const uint32_t key[8] = {0}, nonce[3] = {0};
  uint32_t words[CYDP_GROUP_WORDS] = {7};
  CHECK(cydp_chacha20_keystream(key, nonce, UINT32_MAX - 14, 1, words) ==
        CYDP_ERROR_EXHAUSTED);
  CHECK(words[0] == 7);
  CHECK(cydp_chacha20_keystream(key, nonce, UINT32_MAX - 15, 1, words) == CYDP_OK);
#if SIZE_MAX > UINT32_MAX /* or memory ends before the counter does */
  CHECK(cydp_chacha20_keystream(key, nonce, 0, SIZE_MAX / 1024, words) ==
        CYDP_ERROR_EXHAUSTED);
#endif
}

/* Each field has a place of its own: no two addresses share a nonce. */
static void nonces_keep_their_fields_apart(void) {
  uint32_t nonce[3];
  cydp_set_nonce(nonce, 0x21, 0x43, 0x8765, UINT64_C(0xfedcba9876543210));
  CHECK(nonce[0] == 0x87654321 && nonce[1] == 0x76543210 && nonce[2] == 0xfedcba98);
}

enum { MOST_GROUPS = 16 };

static void chacha20_is_the_portable_one(cydp_chacha20_kernel *chacha20) {
  static uint32_t expected[MOST_GROUPS * CYDP_GROUP_WORDS];
  static uint32_t words[MOST_GROUPS * CYDP_GROUP_WORDS + 2];
  const size_t groups[] = {0, 1, 2, 3, 4, MOST_GROUPS};
  /* 2^32 - 8: half a group before the counter wraps, which single blocks may see */
  const uint32_t counters[] = {0,          1,          7,          255,       0x7ffffff8,
                               0xffffff00, 0xfffffff0, 0xfffffff8, 0xffffffff};
  uint32_t seed[CYDP_GROUP_WORDS];
  for (uint32_t run = 0; run < 20; run++) {
    const uint32_t zeros[8] = {0};
    cydp_chacha20_portable(zeros, zeros, 16 * run, 1, seed);
    const uint32_t *key = run ? seed : zeros, *nonce = run ? seed + 8 : zeros;
    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++)
      for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        size_t n = groups[g] * CYDP_GROUP_WORDS;
        uint32_t *out = words + 1; /* natural alignment only */
        memset(words, 0xa5, sizeof words);
        cydp_chacha20_portable(key, nonce, counters[c], groups[g], expected);
        chacha20(key, nonce, counters[c], groups[g], out);
        CHECK(memcmp(out, expected, n * sizeof *out) == 0);
        CHECK(words[0] == 0xa5a5a5a5 && out[n] == 0xa5a5a5a5);
      }
  }
}

/* Blocks of any counters are those of the keystream. */
static void
chacha20_blocks_are_those_of_the_keystream(const cydp_generator_table *kernels) {
  uint32_t key[8], nonce[3], counters[16], words[CYDP_GROUP_WORDS], block[16];
  uint32_t seed[CYDP_GROUP_WORDS];
  for (uint32_t run = 0; run < 20; run++) {
    const uint32_t zeros[8] = {0};
    cydp_chacha20_portable(zeros, zeros, 16 * run, 1, seed);
    memcpy(key, seed, sizeof key);
    memcpy(nonce, seed + 8, sizeof nonce);
    memcpy(counters, seed + 16, sizeof counters);
    counters[3] = counters[7] = 0;
    counters[15] = UINT32_MAX;
    const size_t n = run < 16 ? run + 1 : 16;
    kernels->chacha20_blocks(key, nonce, counters, n, words);
    for (size_t i = 0; i < n; i++) {
      cydp_chacha20_block(key, nonce, counters[i], block);
      for (size_t w = 0; w < 16; w++)
        CHECK(words[16 * w + i] == block[w]);
    }
  }
}

int main(void) {
  block_of_section_2_3_2();
  first_vector_of_appendix_a_1();
  groups_interleave_sixteen_blocks();
  a_counter_never_wraps();
  nonces_keep_their_fields_apart();
  const cydp_generator_table *kernels;
  for (size_t i = 0; (kernels = cydp_generator_kernels_at(i)); i++) {
    chacha20_is_the_portable_one(kernels->chacha20);
    chacha20_blocks_are_those_of_the_keystream(kernels);
  }
}
