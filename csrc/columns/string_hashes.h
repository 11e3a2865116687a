/* SPDX-License-Identifier: MIT
 *
 * Keyed hashes of strings, in blocks, and what equality is left to bytes. docs/columns.md. */
#ifndef CYDP_COLUMNS_STRING_HASHES_H
#define CYDP_COLUMNS_STRING_HASHES_H

#include "columns/strings.h"
#include "cydp.h"

#include <stdbool.h>

enum {
  CYDP_STRING_BLOCK = 256,
  CYDP_START_WORDS = 2, /* of a string, that are kept beside its hash */
  CYDP_START_BYTES = 16
};

/* Strings of a block, and what was read of them for their hashes. */
typedef struct cydp_string_block {
  uint64_t words[CYDP_STRING_BLOCK][CYDP_START_WORDS]; /* their first bytes */
  size_t lengths[CYDP_STRING_BLOCK];
} cydp_string_block;

/* Returns a string's word from a byte on, with zeros behind the end. */
static inline uint64_t cydp_word_from(string s, size_t byte) {
  uint64_t word = 0;
  if (byte >= s.length)
    return 0;
  const size_t left = s.length - byte;
  if (left >= sizeof word)
    memcpy(&word, s.bytes + byte, sizeof word);
  else if (s.length >= sizeof word) { /* the end of the last eight bytes */
    memcpy(&word, s.bytes + s.length - sizeof word, sizeof word);
    word >>= 8 * (sizeof word - left);
  } else
    for (size_t i = left; i-- > 0;)
      word = word << 8 | s.bytes[byte + i];
  return word;
}

/* Hashes n <= CYDP_STRING_BLOCK strings from `first` on, each by itself. */
void cydp_hash_block(const cydp_strings *strings, size_t first, size_t n,
                     const uint64_t key[2], cydp_string_block *block, uint64_t *hashes);

/* Returns whether strings a and b, which had the same hash, are equal. Another thread may
 * have written to them since: each word is read once, for the comparison and for the hash,
 * and if a string no longer has its hash, the hashes alone decide. */
bool cydp_equal_when_hashed(const cydp_strings *strings, size_t a, size_t b,
                            const uint64_t key[2], const uint64_t *hashes);

#endif
