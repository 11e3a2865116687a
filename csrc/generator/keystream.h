/* SPDX-License-Identifier: MIT
 *
 * The keystream of a large call, in chunks that threads read in any order. */
#ifndef CYDP_GENERATOR_KEYSTREAM_H
#define CYDP_GENERATOR_KEYSTREAM_H

#include "cydp.h"

/* The keystream of a key. With AES each chunk has a key of its own, 32 of which are held at
 * a time. */
typedef struct cydp_keystream {
  const cydp_key *key;
  uint64_t held; /* 1 + the number of these 32; 0: none */
  uint32_t chunk_keys[CYDP_GROUP_WORDS];
} cydp_keystream;

/* Returns whether this is a stream that the kernels in use have. */
bool cydp_stream_serves(cydp_stream stream);

/* Begins to read. Returns CYDP_ERROR_STREAM if the key's stream does not serve. `end` wipes the chunks' keys and all vector registers: call it when the words
 * have been used. */
cydp_status cydp_keystream_begin(cydp_keystream *keystream, const cydp_key *key);
void cydp_keystream_end(cydp_keystream *keystream);

/* Sets words to `groups` groups of a chunk's round, from group `first` on. A round has at
 * most 2^16 groups. */
void cydp_keystream_read(cydp_keystream *keystream, uint64_t chunk, uint32_t round,
                         size_t first, size_t groups, uint32_t *words);

#endif
