/* SPDX-License-Identifier: MIT
 * SipHash-1-3 of every kernel table: published values, and one message against many. */
#include "cydp.h"
#include "generator/kernels.h"
#include "tests/check.h"

#include <string.h>

/* Of the key 00 01 .. 0f and the message 00 01 .. of 8 and 16 bytes, in the reference
 * implementation's list of test vectors. */
static void published_values(const cydp_generator_table *kernels) {
  const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
  const uint64_t *words[] = {key, key + 1};
  uint64_t hash;
  kernels->siphash(key, words, 1, 1, &hash);
  CHECK(hash == UINT64_C(0x369095118d299a8e));
  kernels->siphash(key, words, 2, 1, &hash);
  CHECK(hash == UINT64_C(0xcc4fdd1a7d908b66));
}

static void many_are_one_at_a_time(const cydp_generator_table *kernels) {
  enum { MOST = 70 };
  static uint64_t text[3][MOST], hashes[MOST + 1];
  const uint64_t *words[] = {text[0], text[1], text[2]};
  const uint32_t zeros[8] = {0};
  uint64_t stream[CYDP_GROUP_WORDS / 2], key[2];
  cydp_chacha20_portable(zeros, zeros, 0, 1, (uint32_t *)stream);
  memcpy(key, stream, sizeof key);
  for (size_t i = 0; i < MOST; i++)
    for (size_t w = 0; w < 3; w++)
      text[w][i] = stream[(3 * i + w) % 128] + i;
  for (size_t length = 1; length <= 3; length++)
    for (size_t n = 0; n <= MOST; n++) {
      memset(hashes, 0x5a, sizeof hashes);
      kernels->siphash(key, words, length, n, hashes);
      CHECK(hashes[n] == UINT64_C(0x5a5a5a5a5a5a5a5a));
      for (size_t i = 0; i < n; i++) {
        const uint64_t *one[] = {text[0] + i, text[1] + i, text[2] + i};
        uint64_t hash;
        cydp_siphash_portable(key, one, length, 1, &hash);
        CHECK(hashes[i] == hash);
      }
    }
}

int main(void) {
  const cydp_generator_table *kernels;
  for (size_t i = 0; (kernels = cydp_generator_kernels_at(i)); i++) {
    published_values(kernels);
    many_are_one_at_a_time(kernels);
  }
}
