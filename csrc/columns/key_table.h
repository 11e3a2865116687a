/* SPDX-License-Identifier: MIT
 *
 * Strings in a hash table without collisions: every lookup, of a key or not, compares one
 * entry. */
#ifndef CYDP_COLUMNS_KEY_TABLE_H
#define CYDP_COLUMNS_KEY_TABLE_H

#include "columns/strings.h"
#include "cydp.h"

enum { PREFIX = 16 /* bytes that are compared as two words */ };

typedef struct prefix {
  uint64_t words[2]; /* zeros behind the end */
} prefix;

typedef struct key {
  prefix first;
  uint64_t length; /* UINT64_MAX: the slot is empty */
  uint64_t index;
} key;

struct cydp_key_table {
  cydp_strings strings;
  size_t count;
  uint64_t seed[2];
  uint32_t *factors; /* odd, one for each bucket: the upper bits of a hash */
  key *slots;        /* a key's is at the upper bits of hash * factor */
  unsigned bucket_shift, slot_shift;
};

/* Returns the address before which any byte may be read; strings in buffers of views end
 * where they end. */
static inline const uint8_t *limit_of(const cydp_strings *strings, size_t n) {
  if (strings->buffers)
    return strings->bytes + 16 * n;
  return strings->bytes +
         (strings->offsets ? (size_t)strings->offsets[n] : n * strings->width);
}

/* Returns the first bytes. If 16 bytes may be read, without a branch on the length:
 * lengths may be random, and a branch mispredicted. */
static inline prefix prefix_of(const cydp_strings *strings, string s,
                               const uint8_t *limit) {
  static const _Alignas(2 * PREFIX) uint8_t kept[2 * PREFIX] = {
      255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  size_t length = s.length < PREFIX ? s.length : PREFIX;
  bool far = strings->buffers && s.length > INLINE;
  prefix first = {{0, 0}};
  if ((far ? (ptrdiff_t)s.length : limit - s.bytes) < PREFIX) {
    memcpy(first.words, s.bytes, length);
    return first;
  }
  const uint8_t *ones = kept + PREFIX - length;
  for (size_t i = 0; i < 2; i++) {
    uint64_t mask;
    memcpy(&mask, ones + 8 * i, sizeof mask);
    memcpy(&first.words[i], s.bytes + 8 * i, sizeof first.words[i]);
    first.words[i] &= mask;
  }
  return first;
}

static inline uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Returns the 8 bytes from i on, or the last 8, of a string longer than a prefix. */
static inline uint64_t word_at(string s, size_t i) {
  uint64_t word;
  memcpy(&word, s.bytes + (i < s.length - 8 ? i : s.length - 8), sizeof word);
  return word;
}

/* Returns a string's hash. Strings that differ have different hashes under nearly every
 * seed; strings that differ only in zeros at their end, under every seed. */
static inline uint64_t hash_of(const cydp_key_table *keys, string s, prefix first) {
  uint64_t h = fold(first.words[0] ^ keys->seed[0], first.words[1] ^ keys->seed[1]);
  for (size_t i = PREFIX; i < s.length; i += 8)
    h = fold(h ^ word_at(s, i), keys->seed[1]);
  return (h ^ s.length) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline const key *slot_of(const cydp_key_table *keys, uint64_t hash) {
  return keys->slots +
         (hash * keys->factors[hash >> keys->bucket_shift] >> keys->slot_shift);
}

/* Returns whether the key in a slot begins with these bytes and has this length. */
static inline bool is_prefix(const key *slot, prefix first, size_t length) {
  return ((slot->first.words[0] ^ first.words[0]) |
          (slot->first.words[1] ^ first.words[1]) | (slot->length ^ length)) == 0;
}

/* Returns whether a key, longer than a prefix, equals a string of the same length that
 * begins alike. */
static inline bool ends_alike(const cydp_key_table *keys, const key *slot, string s) {
  string other = string_at(&keys->strings, (size_t)slot->index);
  uint64_t differ = 0;
  for (size_t i = PREFIX; i < s.length && !differ; i += 8)
    differ = word_at(s, i) ^ word_at(other, i);
  return !differ;
}

#endif
