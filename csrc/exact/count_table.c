/* SPDX-License-Identifier: MIT
 * Count tables; contracts in count_table.h. docs/exact/bins.md. */
#include "exact/count_table.h"
#include "base/huge_pages.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* indices between the prefetch of a byte and its use */

/* Rows to prefetch of one column, or of two. */
typedef struct next_rows {
  const char *x;
  size_t x_bytes; /* of a row */
  const char *y;  /* or NULL */
  size_t y_bytes;
} next_rows;

/* Returns how many tables of uint32 there are. */
static size_t ways_of(const cydp_counts *to) {
  return to->size <= CYDP_SEVERAL_SIZE ? CYDP_WAYS : 1;
}

bool cydp_count_table_new(cydp_count_table *table, cydp_counts *to) {
  size_t indices = to->size + 2;
  bool near = to->size <= CYDP_WAYS_SIZE;
  size_t way = indices > CYDP_WAY ? indices : CYDP_WAY;
  size_t ways = ways_of(to);
  size_t bytes = near ? ways * way * sizeof(uint32_t) : indices;
  *table = (cydp_count_table){.to = to, .memory = cydp_huge_pages_allocate(bytes)};
  if (table->memory == NULL)
    return false;
  memset(table->memory, 0, bytes);
  if (!near)
    table->bytes = table->memory;
  for (size_t w = 0; near && w < CYDP_WAYS; w++)
    table->way[w] = (uint32_t *)table->memory + w % ways * way;
  return true;
}

static void flush_near(cydp_count_table *table) {
  cydp_counts *to = table->to;
  cydp_mutex_lock(&to->mutex);
  for (size_t w = 0; w < ways_of(to); w++) {
    uint32_t *indices = table->way[w] + 1;
    for (size_t j = 0; j < to->size; j++) {
      to->counts[j] += indices[j];
      indices[j] = 0;
    }
  }
  cydp_mutex_unlock(&to->mutex);
  table->rows = 0;
}

/* Adds the rows of the bytes that have wrapped. */
static void flush_wraps(cydp_count_table *table) {
  cydp_counts *to = table->to;
  cydp_mutex_lock(&to->mutex);
  for (size_t i = 0; i < table->n_wraps; i++) {
    size_t j = table->wraps[i] - (size_t)1;
    if (j < to->size)
      to->counts[j] += UINT8_MAX + 1;
  }
  cydp_mutex_unlock(&to->mutex);
  table->n_wraps = 0;
}

static inline void prefetch_rows(const next_rows *rows, size_t i) {
  __builtin_prefetch(rows->x + i * rows->x_bytes);
  if (rows->y)
    __builtin_prefetch(rows->y + i * rows->y_bytes);
}

static inline void add_near(const cydp_count_table *table, const uint32_t *indices,
                            size_t n, next_rows rows) {
  uint32_t *const way0 = table->way[0], *const way1 = table->way[1];
  uint32_t *const way2 = table->way[2], *const way3 = table->way[3];
  size_t i = 0;
  for (; n - i >= CYDP_WAYS; i += CYDP_WAYS) {
    prefetch_rows(&rows, i);
    way0[indices[i]]++;
    way1[indices[i + 1]]++;
    way2[indices[i + 2]]++;
    way3[indices[i + 3]]++;
  }
  for (; i < n; i++)
    way0[indices[i]]++;
}

static inline void add_far_one(cydp_count_table *table, uint8_t *bytes, uint32_t index) {
  if (__builtin_add_overflow(bytes[index], 1, &bytes[index]))
    table->wraps[table->n_wraps++] = index;
}

static inline void add_far(cydp_count_table *table, const uint32_t *indices, size_t n,
                           next_rows rows) {
  uint8_t *const bytes = table->bytes;
  size_t i = 0;
  for (; n - i > 2 * AHEAD; i += AHEAD) {
    prefetch_rows(&rows, i);
    for (size_t j = i; j < i + AHEAD; j++) {
      __builtin_prefetch(bytes + indices[j + AHEAD], 1);
      add_far_one(table, bytes, indices[j]);
    }
  }
  for (; i < n; i++)
    add_far_one(table, bytes, indices[i]);
}

static inline void add(cydp_count_table *table, const uint32_t *indices, size_t n,
                       next_rows rows) {
  if (table->bytes) {
    if (n > CYDP_WRAPS - table->n_wraps)
      flush_wraps(table);
    add_far(table, indices, n, rows);
  } else {
    if (n > table->to->flush_rows - table->rows)
      flush_near(table);
    table->rows += n;
    add_near(table, indices, n, rows);
  }
}

void cydp_count_table_add(cydp_count_table *table, const uint32_t *indices, size_t n,
                          const void *next, size_t stride) {
  add(table, indices, n, (next_rows){.x = next, .x_bytes = stride});
}

void cydp_count_table_add_two(cydp_count_table *table, const uint32_t *indices, size_t n,
                              const void *x, size_t x_bytes, const void *y,
                              size_t y_bytes) {
  add(table, indices, n, (next_rows){x, x_bytes, y, y_bytes});
}

/* One address for all tables, as they lie one behind the other. */
/* How many rows of index 0 were counted. */
static inline uint32_t zeros_of(const uint32_t *ways) {
  return ways[0] + ways[CYDP_WAY] + ways[2 * CYDP_WAY] + ways[3 * CYDP_WAY];
}

/* Rows of index 0 are few: only groups of rows that counted one are searched for it. */
size_t cydp_count_table_add_cells(cydp_count_table *table, const uint8_t *index_of,
                                  const uint32_t *cells, size_t n, const void *next,
                                  size_t stride, uint16_t *restrict zeros) {
  enum { GROUP = 16, AT_ONCE = 8 };
  uint32_t *restrict const ways = table->way[0];
  const char *ahead = next;
  size_t found = 0, i = 0;
  if (n > table->to->flush_rows - table->rows)
    flush_near(table);
  table->rows += n;
  uint32_t before = zeros_of(ways);
  for (; n - i >= GROUP; i += GROUP) {
    for (size_t j = i; j < i + GROUP; j += AT_ONCE) {
      __builtin_prefetch(ahead + j * stride);
      for (size_t k = 0; k < AT_ONCE; k++)
        ways[index_of[cells[j + k]] + k % CYDP_WAYS * CYDP_WAY]++;
    }
    const uint32_t after = zeros_of(ways);
    if (after != before) {
      for (size_t j = i; j < i + GROUP; j++) {
        zeros[found] = (uint16_t)j;
        found += index_of[cells[j]] == 0;
      }
      before = after;
    }
  }
  for (; i < n; i++) {
    const uint8_t index = index_of[cells[i]];
    zeros[found] = (uint16_t)i;
    found += index == 0;
    ways[index]++;
  }
  return found;
}

static void flush_bytes(cydp_count_table *table) {
  cydp_counts *to = table->to;
  flush_wraps(table);
  cydp_mutex_lock(&to->mutex);
  for (size_t j = 0; j < to->size; j++)
    to->counts[j] += table->bytes[j + 1];
  cydp_mutex_unlock(&to->mutex);
}

void cydp_count_table_end(cydp_count_table *table) {
  if (table->bytes)
    flush_bytes(table);
  else
    flush_near(table);
  free(table->memory);
}

/* Each task visits every count once, so it gets several rows for each. */
size_t cydp_count_table_rows(size_t n, size_t size, unsigned threads) {
  if (threads < 2)
    return n;
  size_t rows = n / (8 * (size_t)threads) + 1;
  rows = rows < 65536 ? 65536 : rows;
  return rows < 4 * size ? 4 * size : rows;
}
