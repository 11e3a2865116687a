/* SPDX-License-Identifier: MIT */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 32 }; /* slots from the load of a counter, if it may be far, to its use */

bool cydp_tally_new(cydp_tally *tally, cydp_counts *to) {
  size_t slots = to->size + 2;
  *tally = (cydp_tally){.to = to, .ways = to->size <= CYDP_WAYS_SIZE ? CYDP_WAYS : 1};
  size_t bytes = tally->ways * slots * sizeof(uint32_t);
  uint32_t *table = cydp_large_allocate(bytes);
  if (table == NULL)
    return false;
  memset(table, 0, bytes);
  for (size_t w = 0; w < CYDP_WAYS; w++)
    tally->way[w] = table + w % tally->ways * slots;
  return true;
}

static void flush(cydp_tally *tally) {
  cydp_counts *to = tally->to;
  pthread_mutex_lock(&to->mutex);
  for (size_t w = 0; w < tally->ways; w++) {
    uint32_t *slots = tally->way[w] + 1;
    for (size_t j = 0; j < to->size; j++) {
      to->counts[j] += slots[j];
      slots[j] = 0;
    }
  }
  pthread_mutex_unlock(&to->mutex);
  tally->rows = 0;
}

static void add_near(const cydp_tally *tally, const uint32_t *slots, size_t n,
                     const char *next, size_t stride) {
  uint32_t *const way0 = tally->way[0], *const way1 = tally->way[1];
  uint32_t *const way2 = tally->way[2], *const way3 = tally->way[3];
  size_t i = 0;
  for (; n - i >= CYDP_WAYS; i += CYDP_WAYS) {
    __builtin_prefetch(next + i * stride);
    way0[slots[i]]++;
    way1[slots[i + 1]]++;
    way2[slots[i + 2]]++;
    way3[slots[i + 3]]++;
  }
  for (; i < n; i++)
    way0[slots[i]]++;
}

static void add_far(uint32_t *table, const uint32_t *slots, size_t n, const char *next,
                    size_t stride) {
  size_t i = 0;
  for (; n - i > AHEAD; i++) {
    if (i % 8 == 0)
      __builtin_prefetch(next + i * stride);
    __builtin_prefetch(table + slots[i + AHEAD], 1);
    table[slots[i]]++;
  }
  for (; i < n; i++)
    table[slots[i]]++;
}

void cydp_tally_add(cydp_tally *tally, const uint32_t *slots, size_t n, const void *next,
                    size_t stride) {
  if (n > tally->to->flush_rows - tally->rows)
    flush(tally);
  tally->rows += n;
  if (tally->ways == 1)
    add_far(tally->way[0], slots, n, next, stride);
  else
    add_near(tally, slots, n, next, stride);
}

void cydp_tally_end(cydp_tally *tally) {
  flush(tally);
  free(tally->way[0]);
}

/* Each task visits every count once, so let it have several rows for each. */
size_t cydp_tally_rows(size_t n, size_t size, unsigned threads) {
  if (threads < 2)
    return n;
  size_t rows = n / (8 * (size_t)threads) + 1;
  rows = rows < 65536 ? 65536 : rows;
  return rows < 4 * size ? 4 * size : rows;
}
