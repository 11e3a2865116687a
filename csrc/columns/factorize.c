/* SPDX-License-Identifier: MIT
 * Factorizes strings: a hash table of the first of each kind. The hash is keyed, so that
 * nobody can choose strings that collide; bytes decide which strings are equal.
 * docs/columns.md. */
#include "base/huge_pages.h"
#include "columns/string_hashes.h"
#include "cydp.h"

#include <stdlib.h>
#include <string.h>

enum {
  INDEX_BITS = 40,
  MOST_LENGTH = (1 << 24) - 1, /* that a slot holds */
  LEAST_SLOTS = 1024,
  MEAN_ROWS = 8, /* of a string, for which there is room at first */
  BLOCK = CYDP_STRING_BLOCK
};

/* The first string with a hash. Short ones are compared here; a string stands far away. */
typedef struct id_slot {
  uint64_t hash;
  uint64_t number; /* its index plus one, and its length above; 0: the slot is free */
  uint64_t words[CYDP_START_WORDS]; /* its first bytes */
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

static id_slot slot_of(const cydp_string_block *block, size_t first, size_t i, uint64_t hash) {
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

static size_t index_of(const id_slot *slot) {
  return (size_t)(slot->number & ((UINT64_C(1) << INDEX_BITS) - 1)) - 1;
}

static uint64_t find_or_add(id_table *table, const cydp_strings *strings, id_slot sought,
                            const uint64_t key[2], const uint64_t *hashes) {
  const size_t index = index_of(&sought);
  size_t at = (size_t)sought.hash & table->mask;
  for (; table->slots[at].number; at = (at + 1) & table->mask) {
    const size_t other = index_of(&table->slots[at]);
    if (begin_alike(&table->slots[at], &sought) &&
        (sought.number >> INDEX_BITS <= CYDP_START_BYTES ||
         equal_strings(string_at(strings, other), string_at(strings, index)) ||
         cydp_equal_when_hashed(strings, other, index, key, hashes)))
      return other;
  }
  table->slots[at] = sought;
  table->used++;
  return index;
}

/* Finds the strings of a block; a block that was hashed after it has asked for its slots. */
static bool find_block(id_table *table, const cydp_strings *strings, size_t first, size_t n,
                       const uint64_t key[2], const cydp_string_block *block,
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
  cydp_string_block blocks[2];
  bool enough = make_room(&table, n / MEAN_ROWS);
  for (size_t first = 0; first < n + BLOCK && enough; first += BLOCK) {
    const size_t m = first >= n ? 0 : n - first < BLOCK ? n - first : BLOCK;
    cydp_hash_block(strings, first, m, key, &blocks[first / BLOCK % 2], hashes + first);
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
