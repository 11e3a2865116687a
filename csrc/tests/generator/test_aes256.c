/* SPDX-License-Identifier: MIT
 * Vectors of FIPS 197 and SP 800-38A; every version of AES-256 that runs here, word for
 * word; and which stream is chosen. */
#include "cydp.h"
#include "generator/aes256.h"
#include "generator/nonce.h"
#include "generator/kernels.h"
#include "generator/keystream.h"
#include "tests/check.h"
#include "tests/generator/slow_aes256.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 1024 }; /* of a group */

/* FIPS 197, appendix C.3. */
static void the_oracle_is_aes(void) {
  const uint8_t expected[16] = {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
                                0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};
  uint8_t key[32], keys[SLOW_KEY_BYTES], in[16], out[16];
  for (int i = 0; i < 32; i++)
    key[i] = (uint8_t)i;
  for (int i = 0; i < 16; i++)
    in[i] = (uint8_t)(i * 0x11);
  slow_round_keys(key, keys);
  slow_encrypt(keys, in, out);
  CHECK(memcmp(out, expected, sizeof out) == 0);
}

/* SP 800-38A, F.5.5 CTR-AES256.Encrypt: the output blocks. Their counter passes a byte's
 * end. */
static void counter_mode_is_that_of_sp_800_38a(const cydp_aes256_version *version) {
  const uint8_t key[32] = {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe,
                           0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
                           0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7,
                           0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4};
  const uint8_t nonce[12] = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5,
                             0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb};
  const uint8_t expected[4][16] = {{0x0b, 0xdf, 0x7d, 0xf1, 0x59, 0x17, 0x16, 0x33, 0x5e,
                                    0x9a, 0x8b, 0x15, 0xc8, 0x60, 0xc5, 0x02},
                                   {0x5a, 0x6e, 0x69, 0x9d, 0x53, 0x61, 0x19, 0x06, 0x54,
                                    0x33, 0x86, 0x3c, 0x8f, 0x65, 0x7b, 0x94},
                                   {0x1b, 0xc1, 0x2c, 0x9c, 0x01, 0x61, 0x0d, 0x5d, 0x0d,
                                    0x8b, 0xd6, 0xa3, 0x37, 0x8e, 0xca, 0x62},
                                   {0x29, 0x56, 0xe1, 0xc8, 0x69, 0x35, 0x36, 0xb1, 0xbe,
                                    0xe9, 0x9c, 0x73, 0xa3, 0x15, 0x76, 0xb6}};
  uint32_t key_words[8], nonce_words[3], words[CYDP_GROUP_WORDS];
  memcpy(key_words, key, sizeof key);
  memcpy(nonce_words, nonce, sizeof nonce);
  version->keystream(key_words, nonce_words, 0xfcfdfeff, 1, words);
  CHECK(memcmp(words, expected, sizeof expected) == 0);
}

/* The order of words in memory, and counters that pass the ends of each of their bytes. */
static void keystream_is_the_oracles(const cydp_aes256_version *version) {
  enum { MOST_GROUPS = 7 };
  const uint32_t counters[] = {0, 0xc0, 0xffc0, 0xffffc0, 0x12345678, 0xfffffe40};
  uint32_t seed[CYDP_GROUP_WORDS], words[(MOST_GROUPS + 1) * CYDP_GROUP_WORDS];
  const uint32_t zeros[8] = {0};
  for (uint32_t run = 0; run < 6; run++) {
    cydp_chacha20_block(zeros, zeros, run, seed);
    const uint32_t *key = seed, *nonce = seed + 8;
    uint8_t keys[SLOW_KEY_BYTES], block[16], expected[16];
    slow_round_keys((const uint8_t *)key, keys);
    size_t groups = run + 1;
    memset(words, 0x55, sizeof words);
    version->keystream(key, nonce, counters[run], groups, words);
    for (size_t i = 0; i < groups * CYDP_AES256_BLOCKS; i++) {
      uint32_t counter = counters[run] + (uint32_t)i;
      memcpy(block, nonce, 12);
      for (int j = 0; j < 4; j++)
        block[12 + j] = (uint8_t)(counter >> (24 - 8 * j));
      if (i % 37 == 0 || i + 1 == groups * CYDP_AES256_BLOCKS) { /* it is slow */
        slow_encrypt(keys, block, expected);
        CHECK(memcmp(words + 4 * i, expected, sizeof expected) == 0);
      }
    }
    for (size_t i = groups * CYDP_GROUP_WORDS; i < sizeof words / sizeof *words; i++)
      CHECK(words[i] == 0x55555555);
  }
}

/* Versions agree on every word, from every address. */
static void versions_agree(const cydp_aes256_version *version) {
  enum { GROUPS = 5, WORDS = GROUPS * CYDP_GROUP_WORDS };
  uint32_t seed[16], first[WORDS], words[WORDS + 16];
  const uint32_t zeros[8] = {0};
  for (uint32_t run = 0; run < 200; run++) {
    cydp_chacha20_block(zeros, zeros, run, seed);
    cydp_aes256_at(0)->keystream(seed, seed + 8, seed[11], 1 + run % GROUPS, first);
    version->keystream(seed, seed + 8, seed[11], 1 + run % GROUPS, words + run % 16);
    CHECK(memcmp(first, words + run % 16, BYTES * (1 + run % GROUPS)) == 0);
  }
}

/* Keys of chunks are those that docs/generator.md defines, and none is used twice. */
static void chunks_have_keys_of_their_own(void) {
  enum { CHUNKS = 70 };
  static uint32_t words[CHUNKS][CYDP_GROUP_WORDS], again[2 * CYDP_GROUP_WORDS];
  const cydp_key key = {{3, 1, 4, 1, 5, 9, 2, 6}, CYDP_AES};
  cydp_keystream keystream;
  CHECK(cydp_keystream_begin(&keystream, &key) == CYDP_OK);
  for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
    uint32_t nonce[3], block[16], expected[CYDP_GROUP_WORDS];
    cydp_keystream_read(&keystream, chunk, 2, 1, 1, words[chunk]);
    cydp_set_nonce(nonce, CYDP_DOMAIN_CHUNK_KEYS, 0, 0, chunk / 32);
    cydp_chacha20_block(key.words, nonce, (uint32_t)(chunk % 32 / 2), block);
    cydp_set_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, 2, chunk);
    cydp_aes256_in_use()->keystream(block + 8 * (chunk % 2), nonce, CYDP_AES256_BLOCKS, 1,
                                    expected);
    CHECK(memcmp(words[chunk], expected, sizeof expected) == 0);
    for (uint64_t before = 0; before < chunk; before++)
      CHECK(memcmp(words[before], words[chunk], 16) != 0);
  }
  /* Chunks may be read in any order, and from any group on. */
  cydp_keystream_read(&keystream, 33, 2, 0, 2, again);
  CHECK(memcmp(again + CYDP_GROUP_WORDS, words[33], BYTES) == 0);
  cydp_keystream_read(&keystream, 5, 2, 1, 1, again);
  CHECK(memcmp(again, words[5], BYTES) == 0);
  cydp_keystream_end(&keystream);
  for (size_t i = 0; i < CYDP_GROUP_WORDS; i++)
    CHECK(keystream.chunk_keys[i] == 0);
}

static void choose(const char *isa, const char *stream, cydp_status status) {
  CHECK(setenv("CYDP_FORCE_ISA", isa, 1) == 0 && setenv("CYDP_STREAM", stream, 1) == 0);
  CHECK(cydp_init() == status);
}

static void the_environment_chooses(void) {
  const bool any = cydp_aes256_at(0) != NULL;
  cydp_rng *rng;
  choose("", "", CYDP_OK);
  CHECK(cydp_default_stream() == (any ? CYDP_AES : CYDP_CHACHA20));
  CHECK(strcmp(cydp_aes(), any ? cydp_aes256_at(0)->name : "none") == 0);
  CHECK(cydp_rng_new(&rng) == CYDP_OK && cydp_rng_stream(rng) == cydp_default_stream());
  cydp_rng_free(rng);
  choose("", "chacha20", CYDP_OK);
  CHECK(cydp_default_stream() == CYDP_CHACHA20);
  CHECK(cydp_rng_new_of(CYDP_AES, &rng) == (any ? CYDP_OK : CYDP_ERROR_STREAM));
  if (any) { /* a caller may ask for AES all the same */
    CHECK(cydp_rng_stream(rng) == CYDP_AES);
    cydp_rng_free(rng);
  }
  choose("", "aes", any ? CYDP_OK : CYDP_ERROR_STREAM);
  CHECK(cydp_default_stream() == (any ? CYDP_AES : CYDP_CHACHA20));
  for (size_t i = 0; cydp_aes256_at(i); i++) {
    choose("", cydp_aes256_at(i)->name, CYDP_OK);
    CHECK(cydp_default_stream() == CYDP_AES);
    CHECK(strcmp(cydp_aes(), cydp_aes256_at(i)->name) == 0);
  }
  choose("", "rot13", CYDP_ERROR_STREAM);
  CHECK(cydp_default_stream() == CYDP_CHACHA20);
  CHECK(cydp_rng_new_of((cydp_stream)7, &rng) == CYDP_ERROR_STREAM);
}

/* `portable` has no AES; a generator that was made before says so. */
static void portable_means_chacha20(void) {
  const cydp_key key = {{1}, CYDP_AES};
  cydp_rng *before = NULL, *rng;
  cydp_keystream keystream;
  uint8_t byte;
  choose("", "", CYDP_OK);
  if (cydp_default_stream() == CYDP_AES)
    CHECK(cydp_rng_new(&before) == CYDP_OK);
  choose("portable", "aes", CYDP_ERROR_STREAM);
  choose("portable", "", CYDP_OK);
  CHECK(cydp_default_stream() == CYDP_CHACHA20 && strcmp(cydp_aes(), "none") == 0);
  CHECK(cydp_rng_new_of(CYDP_AES, &rng) == CYDP_ERROR_STREAM);
  CHECK(cydp_keystream_begin(&keystream, &key) == CYDP_ERROR_STREAM);
  if (before)
    CHECK(cydp_rng_bytes(before, 1, &byte) == CYDP_ERROR_STREAM);
  cydp_rng_free(before);
}

int main(void) {
  const cydp_aes256_version *version;
  the_oracle_is_aes();
  CHECK(cydp_default_stream() == CYDP_CHACHA20); /* without a call of cydp_init */
  choose("", "", CYDP_OK);
  for (size_t i = 0; (version = cydp_aes256_at(i)); i++) {
    counter_mode_is_that_of_sp_800_38a(version);
    keystream_is_the_oracles(version);
    versions_agree(version);
  }
  if (cydp_aes256_at(0))
    chunks_have_keys_of_their_own();
  the_environment_chooses();
  portable_means_chacha20();
}
