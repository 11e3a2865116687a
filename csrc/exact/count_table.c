/* SPDX-License-Identifier: MIT */
#include "exact/count_table.h"
#include "base/huge_pages.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* slots from the load of a byte, if it may be far, to its use */

bool cydp_count_table_new(cydp_count_table *tally, cydp_counts *to) {
  size_t slots = to->size + 2;
  bool near = to->size <= CYDP_WAYS_SIZE;
  size_t bytes = near ? CYDP_WAYS * slots * sizeof(uint32_t) : slots;
  *tally = (cydp_count_table){.to = to, .table = cydp_huge_pages_allocate(bytes)};
  if (tally->table == NULL)
    return false;
  memset(tally->table, 0, bytes);
  if (!near)
    tally->bytes = tally->table;
  for (size_t w = 0; near && w < CYDP_WAYS; w++)
    tally->way[w] = (uint32_t *)tally->table + w * slots;
  return true;
}

static void flush_near(cydp_count_table *tally) {
  cydp_counts *to = tally->to;
  pthread_mutex_lock(&to->mutex);
  for (size_t w = 0; w < CYDP_WAYS; w++) {
    uint32_t *slots = tally->way[w] + 1;
    for (size_t j = 0; j < to->size; j++) {
      to->counts[j] += slots[j];
      slots[j] = 0;
    }
  }
  pthread_mutex_unlock(&to->mutex);
  tally->rows = 0;
}

/* The rows of the bytes that have wrapped. */
static void flush_wraps(cydp_count_table *tally) {
  cydp_counts *to = tally->to;
  pthread_mutex_lock(&to->mutex);
  for (size_t i = 0; i < tally->n_wraps; i++) {
    size_t j = tally->wraps[i] - (size_t)1;
    if (j < to->size)
      to->counts[j] += UINT8_MAX + 1;
  }
  pthread_mutex_unlock(&to->mutex);
  tally->n_wraps = 0;
}

static void add_near(const cydp_count_table *tally, const uint32_t *slots, size_t n,
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

static inline void add_far_one(cydp_count_table *tally, uint8_t *bytes, uint32_t slot) {
  if (__builtin_add_overflow(bytes[slot], 1, &bytes[slot]))
    tally->wraps[tally->n_wraps++] = slot;
}

static void add_far(cydp_count_table *tally, const uint32_t *slots, size_t n,
                    const char *next, size_t stride) {
  uint8_t *const bytes = tally->bytes;
  size_t i = 0;
  for (; n - i > 2 * AHEAD; i += AHEAD) {
    __builtin_prefetch(next + i * stride);
    for (size_t j = i; j < i + AHEAD; j++) {
      __builtin_prefetch(bytes + slots[j + AHEAD], 1);
      add_far_one(tally, bytes, slots[j]);
    }
  }
  for (; i < n; i++)
    add_far_one(tally, bytes, slots[i]);
}

void cydp_count_table_add(cydp_count_table *tally, const uint32_t *slots, size_t n,
                          const void *next, size_t stride) {
  if (tally->bytes) {
    if (n > CYDP_WRAPS - tally->n_wraps)
      flush_wraps(tally);
    add_far(tally, slots, n, next, stride);
  } else {
    if (n > tally->to->flush_rows - tally->rows)
      flush_near(tally);
    tally->rows += n;
    add_near(tally, slots, n, next, stride);
  }
}

static void flush_bytes(cydp_count_table *tally) {
  cydp_counts *to = tally->to;
  flush_wraps(tally);
  pthread_mutex_lock(&to->mutex);
  for (size_t j = 0; j < to->size; j++)
    to->counts[j] += tally->bytes[j + 1];
  pthread_mutex_unlock(&to->mutex);
}

void cydp_count_table_end(cydp_count_table *tally) {
  if (tally->bytes)
    flush_bytes(tally);
  else
    flush_near(tally);
  free(tally->table);
}

/* Each task visits every count once, so let it have several rows for each. */
size_t cydp_count_table_rows(size_t n, size_t size, unsigned threads) {
  if (threads < 2)
    return n;
  size_t rows = n / (8 * (size_t)threads) + 1;
  rows = rows < 65536 ? 65536 : rows;
  return rows < 4 * size ? 4 * size : rows;
}
