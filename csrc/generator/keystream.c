/* SPDX-License-Identifier: MIT
 * The first bits of a call's candidates: ChaCha20 under the call's key, or AES-256 under
 * keys of the chunks, which ChaCha20 makes of the call's. docs/generator.md. */
#include "generator/keystream.h"
#include "base/wipe.h"
#include "generator/aes256.h"
#include "generator/nonce.h"
#include "generator/kernels.h"

enum { KEY_WORDS = 8, BLOCKS = 16, HELD = 2 * BLOCKS };

bool cydp_stream_serves(cydp_stream stream) {
  return stream == CYDP_CHACHA20 || (stream == CYDP_AES && cydp_aes256_in_use());
}

cydp_status cydp_keystream_begin(cydp_keystream *keystream, const cydp_key *key) {
  keystream->key = key;
  keystream->held = 0;
  return cydp_stream_serves(key->stream) ? CYDP_OK : CYDP_ERROR_STREAM;
}

void cydp_keystream_end(cydp_keystream *keystream) {
  if (keystream->held)
    cydp_wipe(keystream->chunk_keys, sizeof keystream->chunk_keys);
  cydp_wipe_registers();
}

/* A block of ChaCha20 has the keys of two chunks. */
static void read_chunk_key(cydp_keystream *keystream, uint64_t chunk,
                           uint32_t key[KEY_WORDS]) {
  const size_t place = chunk % HELD, block = place / 2, half = place % 2;
  if (keystream->held != chunk / HELD + 1) {
    uint32_t nonce[3];
    keystream->held = chunk / HELD + 1;
    cydp_set_nonce(nonce, CYDP_DOMAIN_CHUNK_KEYS, 0, 0, chunk / HELD);
    cydp_generator_kernels()->chacha20(keystream->key->words, nonce, 0, 1,
                                       keystream->chunk_keys);
    cydp_wipe_stack(); /* AES kernels keep all of their frame in an array that they wipe */
  }
  for (size_t i = 0; i < KEY_WORDS; i++)
    key[i] = keystream->chunk_keys[BLOCKS * (KEY_WORDS * half + i) + block];
}

void cydp_keystream_read(cydp_keystream *keystream, uint64_t chunk, uint32_t round,
                         size_t first, size_t groups, uint32_t *words) {
  uint32_t nonce[3], key[KEY_WORDS];
  cydp_set_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, round, chunk);
  if (keystream->key->stream == CYDP_CHACHA20) {
    cydp_generator_kernels()->chacha20(keystream->key->words, nonce,
                                       BLOCKS * (uint32_t)first, groups, words);
    cydp_wipe_stack();
    return;
  }
  read_chunk_key(keystream, chunk, key);
  cydp_aes256_in_use()->keystream(key, nonce, CYDP_AES256_BLOCKS * (uint32_t)first,
                                  groups, words);
  cydp_wipe(key, sizeof key);
}
