/* SPDX-License-Identifier: MIT
 * Strings of one width as codes: a hash table of the first of each kind. The hash is
 * keyed, so that nobody can choose strings that collide; bytes decide what is equal. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 40, LEAST_SLOTS = 1024 };
#define PLACE ((UINT64_C(1) << PLACE_BITS) - 1)

/* A string of any length as words of a hash of pairs: h(h(h(length, 0), w1), w2) ... */
static void hash_strings(const uint8_t *strings, size_t width, size_t n,
                         const uint64_t key[2], uint64_t *name) {
  enum { BLOCK = 256 };
  uint64_t state[BLOCK], next[BLOCK];
  const uint64_t *words[] = {state, next};
  for (size_t first = 0; first < n; first += BLOCK) {
    size_t some = n - first < BLOCK ? n - first : BLOCK;
    for (size_t i = 0; i < some; i++)
      state[i] = width;
    for (size_t byte = 0; byte < width; byte += sizeof *next) {
      size_t bytes = width - byte < sizeof *next ? width - byte : sizeof *next;
      for (size_t i = 0; i < some; i++) {
        next[i] = 0;
        memcpy(next + i, strings + (first + i) * width + byte, bytes);
      }
      cydp_kernels_in_use()->siphash(key, words, 2, some, state);
    }
    memcpy(name + first, state, some * sizeof *name);
  }
}

/* A slot holds a place plus one, and above it other bits of the hash; or 0. */
typedef struct table {
  uint64_t *slots;
  size_t mask, used;
} table;

static size_t free_slot(const table *of, uint64_t hash) {
  size_t at = (size_t)hash & of->mask;
  while (of->slots[at])
    at = (at + 1) & of->mask;
  return at;
}

static bool grow(table *of, const uint64_t *name) {
  table larger = {.mask = of->slots ? 2 * of->mask + 1 : LEAST_SLOTS - 1,
                  .used = of->used};
  larger.slots = calloc(larger.mask + 1, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; of->slots && i <= of->mask; i++)
    if (of->slots[i])
      larger.slots[free_slot(&larger, name[(of->slots[i] & PLACE) - 1])] = of->slots[i];
  free(of->slots);
  *of = larger;
  return true;
}

static uint64_t find_or_add(table *of, const uint8_t *strings, size_t width,
                            uint64_t place, uint64_t hash) {
  uint64_t entry = (hash & ~PLACE) | (place + 1);
  size_t at = (size_t)hash & of->mask;
  for (; of->slots[at]; at = (at + 1) & of->mask) {
    uint64_t other = (of->slots[at] & PLACE) - 1;
    if ((of->slots[at] ^ entry) <= PLACE &&
        memcmp(strings + other * width, strings + place * width, width) == 0)
      return other;
  }
  of->slots[at] = entry;
  of->used++;
  return place;
}

cydp_status cydp_encode(const uint8_t *strings, size_t width, size_t n,
                        const uint64_t key[2], uint64_t *code, uint64_t *name) {
  if ((uint64_t)n >= PLACE)
    return CYDP_ERROR_DOMAIN;
  table of = {0};
  bool enough = grow(&of, name);
  hash_strings(strings, width, n, key, name);
  for (size_t i = 0; i < n && enough; i++) {
    code[i] = find_or_add(&of, strings, width, i, name[i]);
    if (2 * of.used > of.mask)
      enough = grow(&of, name);
  }
  free(of.slots);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}
