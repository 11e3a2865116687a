/* SPDX-License-Identifier: MIT
 * Contribution bounding: the least of many hashes, in order.
 * docs/exact/contributions.md. */
#include "exact/contributions_order.h"
#include "exact/contributions_passes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEAST = 64 }; /* hashes that are kept in order while others are read */

void cydp_hash_order_free(cydp_hash_order *own) {
  free(own->places);
  free(own->other);
}

static bool reserve_sorting(cydp_hash_order *own, size_t n) {
  if (n <= own->room)
    return true;
  cydp_hash_order_free(own);
  own->places = malloc(n * sizeof *own->places);
  own->other = malloc(n * sizeof *own->other);
  own->room = own->places && own->other ? n : 0;
  return own->room == n;
}

/* Returns the limit of the `most` least distinct hashes; more may be below it. */
static uint64_t limit_of(const uint64_t *hashes, size_t n, uint64_t most) {
  uint64_t least[MOST_LEAST], limit = UINT64_MAX;
  size_t known = 0;
  if (n <= CYDP_FEW_HASHES || n <= most || most > MOST_LEAST)
    return limit;
  for (size_t i = 0; i < n; i++) {
    size_t place = known;
    if (hashes[i] >= limit)
      continue;
    while (place > 0 && least[place - 1] > hashes[i])
      place--;
    if (place > 0 && least[place - 1] == hashes[i])
      continue;
    known += known < most;
    memmove(least + place + 1, least + place, (known - 1 - place) * sizeof *least);
    least[place] = hashes[i];
    limit = known == most ? least[known - 1] : UINT64_MAX;
  }
  return limit;
}

/* Returns whether place a comes before b: by hash, then id, if there are ids, then place.
 */
static bool comes_before(const uint64_t *hashes, const uint32_t *ids, uint32_t a,
                         uint32_t b) {
  if (hashes[a] != hashes[b])
    return hashes[a] < hashes[b];
  if (ids && ids[a] != ids[b])
    return ids[a] < ids[b];
  return a < b;
}

/* Sorts what is nearly in order. */
static void insert_in_order(const uint64_t *hashes, const uint32_t *ids, uint32_t *places,
                            size_t n) {
  for (size_t i = 1; i < n; i++) {
    uint32_t at = places[i];
    size_t j = i;
    for (; j > 0 && comes_before(hashes, ids, at, places[j - 1]); j--)
      places[j] = places[j - 1];
    places[j] = at;
  }
}

/* Sorts at most CYDP_FEW_HASHES places by 26 bits of the hash and 5 of their order: each is
 * compared with all, without a branch. */
static void rank(const uint64_t *hashes, uint32_t *places, size_t n) {
  typedef int32_t vec __attribute__((vector_size(16)));
  _Alignas(16) int32_t keys[CYDP_FEW_HASHES];
  uint32_t sorted[CYDP_FEW_HASHES + 3];
  const size_t padded = (n + 3) / 4 * 4;
  for (size_t i = 0; i < n; i++)
    keys[i] = (int32_t)(hashes[places[i]] >> 38 << 5 | i);
  for (size_t i = n; i < padded; i++)
    keys[i] = INT32_MAX; /* only fills the vector */
  for (size_t i = 0; i < n; i += 4) {
    vec four, below = {0};
    memcpy(&four, keys + i, sizeof four);
    for (size_t j = 0; j < n; j++)
      below -= ((vec){0} + keys[j]) < four;
    for (size_t k = 0; k < 4 && i + k < n; k++)
      sorted[below[k]] = places[i + k];
  }
  memcpy(places, sorted, n * sizeof *places);
}

typedef struct full_key {
  uint64_t hash;
  uint32_t id, place;
} full_key;

static int compare(const void *left, const void *right) {
  const full_key *a = left, *b = right;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

/* Sorts places of which many have hashes that begin alike: mostly they are one pair's. */
static bool sort_fully(const uint64_t *hashes, const uint32_t *ids, uint32_t *places,
                       size_t n) {
  size_t same = 1;
  while (same < n && hashes[places[same]] == hashes[places[0]] &&
         (!ids || ids[places[same]] == ids[places[0]]))
    same++;
  if (same == n)
    return true; /* they are in the order of places */
  full_key *keys = malloc(n * sizeof *keys);
  if (!keys)
    return false;
  for (size_t i = 0; i < n; i++)
    keys[i] = (full_key){hashes[places[i]], ids ? ids[places[i]] : 0, places[i]};
  qsort(keys, n, sizeof *keys, compare);
  for (size_t i = 0; i < n; i++)
    places[i] = keys[i].place;
  free(keys);
  return true;
}

/* Sorts places, which are in order, by hash, id and place: hashes of distinct pairs are
 * spread evenly, so that buckets of a few are enough. */
static bool sort(const uint64_t *hashes, const uint32_t *ids, size_t n,
                 cydp_hash_order *own) {
  enum { MOST_BITS = 12 };
  size_t ends[((size_t)1 << MOST_BITS) + 1];
  uint32_t *places = own->places;
  if (n <= CYDP_FEW_HASHES) {
    rank(hashes, places, n);
    insert_in_order(hashes, ids, places, n);
    return true;
  }
  const unsigned bits = cydp_bounding_bits(n, 4, MOST_BITS), shift = 64 - bits;
  const size_t buckets = (size_t)1 << bits;
  memset(ends, 0, (buckets + 1) * sizeof *ends);
  for (size_t i = 0; i < n; i++)
    ends[(hashes[places[i]] >> shift) + 1]++;
  for (size_t bucket = 0; bucket < buckets; bucket++)
    ends[bucket + 1] += ends[bucket];
  for (size_t i = 0; i < n; i++)
    own->other[ends[hashes[places[i]] >> shift]++] = places[i];
  memcpy(places, own->other, n * sizeof *places);
  for (size_t bucket = 0, first = 0; bucket < buckets; first = ends[bucket++])
    if (ends[bucket] - first <= CYDP_FEW_HASHES)
      insert_in_order(hashes, ids, places + first, ends[bucket] - first);
    else if (!sort_fully(hashes, ids, places + first, ends[bucket] - first))
      return false;
  return true;
}

size_t cydp_least_in_order(const uint64_t *hashes, const uint32_t *ids, size_t n,
                             uint64_t most, cydp_hash_order *own) {
  const uint64_t limit = limit_of(hashes, n, most);
  size_t found = 0;
  if (!reserve_sorting(own, n))
    return SIZE_MAX;
  for (size_t i = 0; i < n; i++) {
    own->places[found] = (uint32_t)i;
    found += hashes[i] <= limit;
  }
  return sort(hashes, ids, found, own) ? found : SIZE_MAX;
}
