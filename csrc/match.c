/* SPDX-License-Identifier: MIT
 * Strings to their places among given keys. The keys alone stand in the hash table, and
 * they are public: no row can make it slow, so the hash may be a fast one, and it has no
 * secret. Bytes decide what is equal. */
#include "text.h"

#include <stdlib.h>

enum {
  CHUNK = 1 << 16, /* strings of a task */
  BLOCK = 256,     /* that are hashed at a time: finding would wait for each hash */
  LEAST_SLOTS = 16,
  PREFIX = 16 /* bytes that are compared as two words */
};

typedef struct prefix {
  uint64_t words[2]; /* zeros behind the end */
  size_t length;     /* of the whole string */
} prefix;

typedef struct matching {
  const cydp_strings *keys, *strings;
  size_t n_keys, n;
  prefix *prefixes; /* of the keys */
  uint32_t *slots;  /* a key's place plus one, or 0 */
  size_t mask;
  uint32_t *codes;
} matching;

/* Sixteen bytes of which the first are ones, from 16 - length on: a table, for a compiler
 * would branch on random lengths. */
static const uint8_t kept[2 * PREFIX] = {255, 255, 255, 255, 255, 255, 255, 255,
                                         255, 255, 255, 255, 255, 255, 255, 255};

/* Without a branch on the length, if 16 bytes may be read before `limit`. */
static inline prefix prefix_of(string s, const uint8_t *limit) {
  prefix first = {{0, 0}, s.length};
  size_t length = s.length < PREFIX ? s.length : PREFIX;
  if (limit - s.bytes >= PREFIX) {
    uint64_t ones[2];
    memcpy(ones, kept + PREFIX - length, PREFIX);
    memcpy(first.words, s.bytes, PREFIX);
    first.words[0] &= ones[0];
    first.words[1] &= ones[1];
    return first;
  }
  memcpy(first.words, s.bytes, length);
  return first;
}

static inline uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The odd constants are digits of pi. */
static inline uint64_t hash(string s, prefix first) {
  uint64_t h = fold(first.words[0] ^ UINT64_C(0x243f6a8885a308d3) ^ s.length,
                    first.words[1] ^ UINT64_C(0x13198a2e03707345));
  for (size_t i = PREFIX; i < s.length; i += 8) {
    uint64_t word = 0;
    memcpy(&word, s.bytes + i, s.length - i < 8 ? s.length - i : 8);
    h = fold(h ^ word, UINT64_C(0xa4093822299f31d1));
  }
  return fold(h, UINT64_C(0x082efa98ec4e6c89));
}

static inline bool same_prefix(const prefix *a, const prefix *b) {
  return (a->words[0] == b->words[0]) & (a->words[1] == b->words[1]) &
         (a->length == b->length);
}

/* The slot of the key that is equal, or an empty one. */
static size_t find(const matching *of, string s, const prefix *first, uint64_t hashed) {
  size_t at = (size_t)hashed & of->mask;
  for (; of->slots[at]; at = (at + 1) & of->mask) {
    size_t place = of->slots[at] - (size_t)1;
    if (same_prefix(of->prefixes + place, first) &&
        (s.length <= PREFIX || memcmp(string_at(of->keys, place).bytes + PREFIX,
                                      s.bytes + PREFIX, s.length - PREFIX) == 0))
      break;
  }
  return at;
}

/* Before which any byte may be read; strings in buffers of views end where they end. */
static const uint8_t *limit_of(const cydp_strings *strings, size_t n) {
  if (strings->buffers)
    return strings->bytes + 16 * n;
  return strings->bytes +
         (strings->offsets ? (size_t)strings->offsets[n] : n * strings->width);
}

static inline bool is_far(const cydp_strings *strings, string s) {
  return strings->buffers && s.length > INLINE;
}

static inline prefix prefix_at(const cydp_strings *strings, string s,
                               const uint8_t *limit) {
  return prefix_of(s, is_far(strings, s) ? s.bytes + s.length : limit);
}

static bool build(matching *of) {
  const uint8_t *limit = limit_of(of->keys, of->n_keys);
  size_t slots = LEAST_SLOTS;
  while (slots < 8 * of->n_keys)
    slots *= 2;
  of->mask = slots - 1;
  of->slots = calloc(slots, sizeof *of->slots);
  of->prefixes = calloc(of->n_keys + 1, sizeof *of->prefixes);
  if (!of->slots || !of->prefixes)
    return false;
  for (size_t place = 0; place < of->n_keys; place++) {
    string key = string_at(of->keys, place);
    of->prefixes[place] = prefix_at(of->keys, key, limit);
    size_t at = find(of, key, of->prefixes + place, hash(key, of->prefixes[place]));
    if (of->slots[at] == 0)
      of->slots[at] = (uint32_t)place + 1;
  }
  return true;
}

/* Nearly always the first slot is right. */
static void match_block(const matching *of, size_t first, size_t n,
                        const uint8_t *limit) {
  prefix prefixes[BLOCK];
  uint64_t hashes[BLOCK];
  for (size_t i = 0; i < n; i++) {
    string s = string_at(of->strings, first + i);
    prefixes[i] = prefix_at(of->strings, s, limit);
    hashes[i] = hash(s, prefixes[i]);
  }
  for (size_t i = 0; i < n; i++) {
    uint32_t slot = of->slots[(size_t)hashes[i] & of->mask];
    if (!slot || prefixes[i].length > PREFIX ||
        !same_prefix(of->prefixes + slot - 1, prefixes + i))
      slot =
          of->slots[find(of, string_at(of->strings, first + i), prefixes + i, hashes[i])];
    of->codes[first + i] = slot ? slot - 1 : (uint32_t)of->n_keys;
  }
}

static cydp_status match(void *self, size_t task) {
  const matching *of = self;
  const uint8_t *limit = limit_of(of->strings, of->n);
  size_t first = task * CHUNK, left = of->n - first;
  size_t end = first + (left < CHUNK ? left : CHUNK);
  for (; first < end; first += BLOCK)
    match_block(of, first, end - first < BLOCK ? end - first : BLOCK, limit);
  return CYDP_OK;
}

cydp_status cydp_match(const cydp_strings *keys, size_t n_keys,
                       const cydp_strings *strings, size_t n, unsigned threads,
                       uint32_t *codes) {
  if (n_keys >= UINT32_MAX)
    return CYDP_ERROR_DOMAIN;
  matching of = {
      .keys = keys, .strings = strings, .n_keys = n_keys, .n = n, .codes = codes};
  cydp_status status = CYDP_ERROR_MEMORY;
  if (build(&of))
    status = cydp_share(match, &of, n / CHUNK + (n % CHUNK != 0), threads);
  free(of.slots);
  free(of.prefixes);
  return status;
}
