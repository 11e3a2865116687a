/* SPDX-License-Identifier: MIT
 * Factorizes strings: a hash table of the first of each kind. The hash is keyed, so that
 * nobody can choose strings that collide; bytes decide which strings are equal.
 * docs/columns.md. */
#include "columns/strings.h"
#include "cydp.h"
#include "generator/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { INDEX_BITS = 40, LEAST_SLOTS = 1024, BLOCK = 256 };
#define INDEX ((UINT64_C(1) << INDEX_BITS) - 1)

/* Returns a string's word from a byte on, with zeros behind the end. */
static uint64_t word_from(string s, size_t byte) {
  uint64_t word = 0;
  if (byte < s.length)
    memcpy(&word, s.bytes + byte,
           s.length - byte < sizeof word ? s.length - byte : sizeof word);
  return word;
}

/* Hashes n <= BLOCK strings, word by word, as h(h(length, w1), w2) ...: all strings that
 * have a k-th word at a time. */
static void hash_strings(const cydp_strings *strings, size_t first, size_t n,
                         const uint64_t key[2], uint64_t *hashes) {
  uint64_t state[BLOCK], word[BLOCK];
  size_t which[BLOCK], left = n;
  const uint64_t *words[] = {state, word};
  for (size_t i = 0; i < n; i++) {
    hashes[i] = string_at(strings, first + i).length;
    which[i] = i;
  }
  for (size_t byte = 0; left > 0; byte += sizeof *word) {
    size_t longer = 0;
    for (size_t i = 0; i < left; i++) {
      string s = string_at(strings, first + which[i]);
      if (s.length <= byte)
        continue;
      which[longer] = which[i];
      state[longer] = hashes[which[i]];
      word[longer++] = word_from(s, byte);
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
  for (size_t byte = 0; byte < longest; byte += sizeof *word) {
    for (size_t k = 0; k < 2; k++)
      word[k] = word_from(s[k], byte);
    equal &= word[0] == word[1];
    cydp_generator_kernels()->siphash(key, words, 2, 2, hashed);
    for (size_t k = 0; k < 2; k++)
      state[k] = byte < s[k].length ? hashed[k] : state[k];
  }
  return equal || state[0] != hashes[a] || state[1] != hashes[b];
}

/* A slot holds a string's index plus one, and above it other bits of the hash; or 0. */
typedef struct id_table {
  uint64_t *slots;
  size_t mask, used;
} id_table;

static size_t free_slot(const id_table *table, uint64_t hash) {
  size_t at = (size_t)hash & table->mask;
  while (table->slots[at])
    at = (at + 1) & table->mask;
  return at;
}

static bool grow(id_table *table, const uint64_t *hashes) {
  id_table grown = {.mask = table->slots ? 2 * table->mask + 1 : LEAST_SLOTS - 1,
                    .used = table->used};
  grown.slots = calloc(grown.mask + 1, sizeof *grown.slots);
  if (!grown.slots)
    return false;
  for (size_t i = 0; table->slots && i <= table->mask; i++)
    if (table->slots[i])
      grown.slots[free_slot(&grown, hashes[(table->slots[i] & INDEX) - 1])] =
          table->slots[i];
  free(table->slots);
  *table = grown;
  return true;
}

static uint64_t find_or_add(id_table *table, const cydp_strings *strings, uint64_t index,
                            const uint64_t key[2], const uint64_t *hashes) {
  uint64_t entry = (hashes[index] & ~INDEX) | (index + 1);
  string sought = string_at(strings, index);
  size_t at = (size_t)hashes[index] & table->mask;
  for (; table->slots[at]; at = (at + 1) & table->mask) {
    uint64_t other = (table->slots[at] & INDEX) - 1;
    if ((table->slots[at] ^ entry) <= INDEX && hashes[other] == hashes[index] &&
        (equal_strings(string_at(strings, other), sought) ||
         equal_when_hashed(strings, other, index, key, hashes)))
      return other;
  }
  table->slots[at] = entry;
  table->used++;
  return index;
}

cydp_status cydp_factorize(const cydp_strings *strings, size_t n, const uint64_t key[2],
                           uint64_t *ids, uint64_t *hashes) {
  if ((uint64_t)n >= INDEX)
    return CYDP_ERROR_DOMAIN;
  id_table table = {0};
  bool enough = grow(&table, hashes);
  for (size_t i = 0; i < n && enough; i++) {
    if (i % BLOCK == 0)
      hash_strings(strings, i, n - i < BLOCK ? n - i : BLOCK, key, hashes + i);
    ids[i] = find_or_add(&table, strings, i, key, hashes);
    if (2 * table.used > table.mask)
      enough = grow(&table, hashes);
  }
  free(table.slots);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}
