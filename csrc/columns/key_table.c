/* SPDX-License-Identifier: MIT
 * A key table, by hash and displace (Belazzougui, Botelho, Dietzfelbinger: Hash,
 * displace, and compress, ESA 2009): the keys of a bucket share a factor, for which a
 * search tries values until all of them find free slots. The buckets with the most keys
 * choose first. Keys are public, but somebody may have made them to collide: hence a
 * random seed, and another one if any bucket finds no factor. docs/columns.md. */
#include "columns/key_table.h"
#include "base/aligned.h"
#include "cydp.h"
#include "generator/entropy.h"

#include <stdlib.h>

enum {
  LEAST_BITS = 4,
  BUCKET_BITS = 2, /* 4 slots a bucket; at most half of the slots are used */
  SLOTS_A_BUCKET = 1 << BUCKET_BITS,
  MOST_KEYS = 64, /* of a bucket, at most */
  MOST_FACTORS = 1 << 16,
  MOST_SEEDS = 64
};

/* The keys of bucket b are order[first[b]] to before order[first[b + 1]]. */
typedef struct buckets {
  size_t count;
  uint64_t *hashes;
  uint32_t *order, *first;
} buckets;

static string key_at(const cydp_key_table *keys, size_t index, prefix *first) {
  string s = string_at(&keys->strings, index);
  *first = prefix_of(&keys->strings, s, limit_of(&keys->strings, keys->count));
  return s;
}

/* Sorts the keys by the upper bits of their hashes, counting. */
static void sort_keys(const cydp_key_table *keys, buckets *all) {
  memset(all->first, 0, (all->count + 2) * sizeof *all->first);
  for (size_t index = 0; index < keys->count; index++) {
    prefix first;
    string s = key_at(keys, index, &first);
    all->hashes[index] = hash_of(keys, s, first);
    all->first[(all->hashes[index] >> keys->bucket_shift) + 2]++;
  }
  for (size_t b = 2; b < all->count + 2; b++)
    all->first[b] += all->first[b - 1];
  for (size_t index = 0; index < keys->count; index++)
    all->order[all->first[(all->hashes[index] >> keys->bucket_shift) + 1]++] =
        (uint32_t)index;
}

static bool has_equal(const cydp_key_table *keys, const buckets *all, size_t b) {
  size_t end = all->first[b + 1];
  end = end - all->first[b] < MOST_KEYS ? end : (size_t)all->first[b] + MOST_KEYS;
  for (size_t i = all->first[b]; i < end; i++)
    for (size_t j = all->first[b]; j < i; j++)
      if (all->hashes[all->order[i]] == all->hashes[all->order[j]] &&
          equal_strings(string_at(&keys->strings, all->order[i]),
                        string_at(&keys->strings, all->order[j])))
        return true;
  return false;
}

static bool place_bucket(cydp_key_table *keys, const buckets *all, size_t b) {
  const uint32_t *order = all->order + all->first[b];
  size_t n = all->first[b + 1] - all->first[b];
  for (uint32_t f = 0; f < MOST_FACTORS; f++) {
    uint64_t factor = keys->factors[b] = 2 * f * UINT32_C(0x9e3779b1) + 1;
    size_t placed = 0;
    for (; placed < n; placed++) {
      key *slot = keys->slots + (all->hashes[order[placed]] * factor >> keys->slot_shift);
      if (slot->length != UINT64_MAX)
        break;
      prefix first;
      string s = key_at(keys, order[placed], &first);
      *slot = (key){first, s.length, order[placed]};
    }
    if (placed == n)
      return true;
    while (placed-- > 0)
      keys->slots[all->hashes[order[placed]] * factor >> keys->slot_shift].length =
          UINT64_MAX;
  }
  return false;
}

/* Places all buckets; returns false if the seed does not serve. Strings that are no keys may
 * fall into buckets without keys, which have any factor. */
static bool place_all(cydp_key_table *keys, const buckets *all) {
  size_t size = 0;
  for (size_t b = 0; b < all->count; b++) {
    keys->factors[b] = 1;
    size_t n = all->first[b + 1] - all->first[b];
    size = n > size ? n : size;
  }
  bool placed = size <= MOST_KEYS;
  for (; placed && size > 0; size--)
    for (size_t b = 0; placed && b < all->count; b++)
      if (all->first[b + 1] - all->first[b] == size)
        placed = place_bucket(keys, all, b);
  return placed;
}

static cydp_status try_seeds(cydp_key_table *keys, buckets *all, size_t slots) {
  for (int seed = 0; seed < MOST_SEEDS; seed++) {
    cydp_status status = cydp_entropy(keys->seed, sizeof keys->seed);
    if (status != CYDP_OK)
      return status;
    for (size_t i = 0; i < slots; i++)
      keys->slots[i] = (key){.length = UINT64_MAX};
    sort_keys(keys, all);
    for (size_t b = 0; b < all->count; b++)
      if (has_equal(keys, all, b))
        return CYDP_ERROR_DOMAIN;
    if (place_all(keys, all))
      return CYDP_OK;
  }
  return CYDP_ERROR_ENTROPY; /* random seeds would not all fail */
}

/* Builds a table of 2^bits slots. */
static cydp_status build(cydp_key_table *keys, unsigned bits) {
  const size_t slots = (size_t)1 << bits;
  buckets all = {.count = slots / SLOTS_A_BUCKET,
                 .hashes = malloc((keys->count + 1) * sizeof *all.hashes),
                 .order = malloc((keys->count + 1) * sizeof *all.order)};
  all.first = malloc((all.count + 2) * sizeof *all.first);
  keys->factors = malloc(all.count * sizeof *keys->factors);
  keys->slots = cydp_aligned_allocate(sizeof(key), slots * sizeof(key));
  cydp_status status = CYDP_ERROR_MEMORY;
  if (keys->factors && keys->slots && all.hashes && all.order && all.first)
    status = try_seeds(keys, &all, slots);
  free(all.hashes);
  free(all.order);
  free(all.first);
  return status;
}

cydp_status cydp_key_table_new(const cydp_strings *strings, size_t n,
                               cydp_key_table **keys) {
  if (n >= UINT32_MAX)
    return CYDP_ERROR_DOMAIN;
  unsigned bits = LEAST_BITS;
  while ((size_t)1 << bits < 2 * n)
    bits++;
  *keys = malloc(sizeof **keys);
  if (!*keys)
    return CYDP_ERROR_MEMORY;
  **keys = (cydp_key_table){.strings = *strings,
                            .count = n,
                            .bucket_shift = 64 - (bits - BUCKET_BITS),
                            .slot_shift = 64 - bits};
  cydp_status status = build(*keys, bits);
  if (status != CYDP_OK) {
    cydp_key_table_free(*keys);
    *keys = NULL;
  }
  return status;
}

void cydp_key_table_free(cydp_key_table *keys) {
  if (!keys)
    return;
  free(keys->factors);
  cydp_aligned_free(keys->slots);
  free(keys);
}
