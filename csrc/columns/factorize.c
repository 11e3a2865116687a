/* SPDX-License-Identifier: MIT
 * Factorizes strings: a hash table of the first of each kind. The hash is keyed, so that
 * nobody can choose strings that collide; bytes decide which strings are equal.
 * docs/columns.md. */
#include "base/huge_pages.h"
#include "columns/strings.h"
#include "cydp.h"
#include "generator/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
  INDEX_BITS = 40,
  MOST_LENGTH = (1 << 24) - 1, /* that a slot holds */
  LEAST_SLOTS = 1024,
  MEAN_ROWS = 8, /* of a string, for which there is room at first */
  BLOCK = 256,
  START_WORDS = 2, /* of a string, in a slot */
  START_BYTES = 16
};

/* Returns a string's word from a byte on, with zeros behind the end. */
static uint64_t word_from(string s, size_t byte) {
  uint64_t word = 0;
  if (byte < s.length)
    memcpy(&word, s.bytes + byte,
           s.length - byte < sizeof word ? s.length - byte : sizeof word);
  return word;
}

/* Strings of a block, and what was read of them for their hashes. */
typedef struct string_block {
  uint64_t words[BLOCK][START_WORDS]; /* their first bytes */
  size_t lengths[BLOCK];
} string_block;

/* Whether a string has a word from a byte on. An empty one has a word, too: its hash is that
 * of no other label without the key. */
static bool has_word(size_t length, size_t byte) { return byte == 0 || byte < length; }

/* Hashes n <= BLOCK strings, word by word, as h(h(length, w1), w2) ...: all strings that
 * have a k-th word at a time. */
static void hash_strings(const cydp_strings *strings, size_t first, size_t n,
                         const uint64_t key[2], string_block *block, uint64_t *hashes) {
  uint64_t state[BLOCK], word[BLOCK];
  size_t which[BLOCK], left = n;
  const uint64_t *words[] = {state, word};
  memset(block->words, 0, sizeof block->words);
  for (size_t i = 0; i < n; i++) {
    hashes[i] = block->lengths[i] = string_at(strings, first + i).length;
    which[i] = i;
  }
  for (size_t byte = 0; left > 0; byte += sizeof *word) {
    size_t longer = 0;
    for (size_t i = 0; i < left; i++) {
      string s = string_at(strings, first + which[i]);
      if (!has_word(s.length, byte))
        continue;
      which[longer] = which[i];
      state[longer] = hashes[which[i]];
      word[longer] = word_from(s, byte);
      if (byte < START_BYTES)
        block->words[which[i]][byte / sizeof *word] = word[longer];
      longer++;
    }
    cydp_generator_kernels()->siphash(key, words, 2, longer, state);
    for (size_t i = 0; i < longer; i++)
      hashes[which[i]] = state[i];
    left = longer;
  }
}

/* Returns whether two strings with the same hash are equal. Another thread may have
 * written to them since they were hashed, so each word is read once, for the comparison
 * and for the hash: if a string no longer has its hash, the hashes alone decide. */
static bool equal_when_hashed(const cydp_strings *strings, size_t a, size_t b,
                              const uint64_t key[2], const uint64_t *hashes) {
  const string s[2] = {string_at(strings, a), string_at(strings, b)};
  const size_t longest = s[0].length > s[1].length ? s[0].length : s[1].length;
  uint64_t state[2] = {s[0].length, s[1].length}, word[2], hashed[2];
  const uint64_t *words[] = {state, word};
  bool equal = s[0].length == s[1].length;
  for (size_t byte = 0; has_word(longest, byte); byte += sizeof *word) {
    for (size_t k = 0; k < 2; k++)
      word[k] = word_from(s[k], byte);
    equal &= word[0] == word[1];
    cydp_generator_kernels()->siphash(key, words, 2, 2, hashed);
    for (size_t k = 0; k < 2; k++)
      state[k] = has_word(s[k].length, byte) ? hashed[k] : state[k];
  }
  return equal || state[0] != hashes[a] || state[1] != hashes[b];
}

/* The first string with a hash. Short ones are compared here; a string stands far away. */
typedef struct id_slot {
  uint64_t hash;
  uint64_t number; /* its index plus one, and its length above; 0: the slot is free */
  uint64_t words[START_WORDS]; /* its first bytes */
} id_slot;

typedef struct id_table {
  id_slot *slots;
  size_t mask, used;
} id_table;

/* Makes room for so many more strings: at most 3 of 4 slots are taken. */
static bool make_room(id_table *table, size_t more) {
  size_t size = table->slots ? table->mask + 1 : LEAST_SLOTS;
  while (4 * (table->used + more) > 3 * size)
    size *= 2;
  if (table->slots && size == table->mask + 1)
    return true;
  id_table grown = {cydp_huge_pages_zeros(size * sizeof *grown.slots), size - 1,
                    table->used};
  if (!grown.slots)
    return false;
  for (size_t i = 0; table->slots && i <= table->mask; i++) {
    size_t at = (size_t)table->slots[i].hash & grown.mask;
    if (!table->slots[i].number)
      continue;
    while (grown.slots[at].number)
      at = (at + 1) & grown.mask;
    grown.slots[at] = table->slots[i];
  }
  free(table->slots);
  *table = grown;
  return true;
}

static id_slot slot_of(const string_block *block, size_t first, size_t i, uint64_t hash) {
  const uint64_t length = block->lengths[i];
  id_slot slot = {hash, first + i + 1, {0}};
  slot.number |= (length < MOST_LENGTH ? length : MOST_LENGTH) << INDEX_BITS;
  memcpy(slot.words, block->words[i], sizeof slot.words);
  return slot;
}

static bool begin_alike(const id_slot *a, const id_slot *b) {
  return a->hash == b->hash && a->number >> INDEX_BITS == b->number >> INDEX_BITS &&
         memcmp(a->words, b->words, sizeof a->words) == 0;
}

static uint64_t index_of(const id_slot *slot) {
  return (slot->number & ((UINT64_C(1) << INDEX_BITS) - 1)) - 1;
}

static uint64_t find_or_add(id_table *table, const cydp_strings *strings, id_slot sought,
                            const uint64_t key[2], const uint64_t *hashes) {
  const uint64_t index = index_of(&sought);
  size_t at = (size_t)sought.hash & table->mask;
  for (; table->slots[at].number; at = (at + 1) & table->mask) {
    const uint64_t other = index_of(&table->slots[at]);
    if (begin_alike(&table->slots[at], &sought) &&
        (sought.number >> INDEX_BITS <= START_BYTES ||
         equal_strings(string_at(strings, other), string_at(strings, index)) ||
         equal_when_hashed(strings, other, index, key, hashes)))
      return other;
  }
  table->slots[at] = sought;
  table->used++;
  return index;
}

/* Finds the strings of a block; a block that was hashed after it has asked for its slots. */
static bool find_block(id_table *table, const cydp_strings *strings, size_t first, size_t n,
                       const uint64_t key[2], const string_block *block,
                       const uint64_t *hashes, uint64_t *ids) {
  if (!make_room(table, BLOCK))
    return false;
  for (size_t i = 0; i < n; i++)
    ids[first + i] = find_or_add(
        table, strings, slot_of(block, first, i, hashes[first + i]), key, hashes);
  return true;
}

cydp_status cydp_factorize(const cydp_strings *strings, size_t n, const uint64_t key[2],
                           uint64_t *ids, uint64_t *hashes) {
  if (((uint64_t)n + 1) >> INDEX_BITS > 0)
    return CYDP_ERROR_DOMAIN;
  id_table table = {0};
  string_block blocks[2];
  bool enough = make_room(&table, n / MEAN_ROWS);
  for (size_t first = 0; first < n + BLOCK && enough; first += BLOCK) {
    const size_t m = first >= n ? 0 : n - first < BLOCK ? n - first : BLOCK;
    hash_strings(strings, first, m, key, &blocks[first / BLOCK % 2], hashes + first);
    for (size_t i = 0; i < m; i++)
      __builtin_prefetch(table.slots + (hashes[first + i] & table.mask));
    if (first > 0)
      enough = find_block(&table, strings, first - BLOCK,
                          n - (first - BLOCK) < BLOCK ? n - (first - BLOCK) : BLOCK, key,
                          &blocks[first / BLOCK % 2 ^ 1], hashes, ids);
  }
  free(table.slots);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}
