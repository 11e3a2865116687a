/* SPDX-License-Identifier: MIT
 *
 * Counting indices in tables that stay in a cache: one or several of uint32, which are added
 * to the int64 counts before they wrap, or, for many counts, one of bytes; each wrap of a
 * byte is noted and adds 256. Index j + 1 belongs to counts[j]; indices 0 and size + 1 are
 * left out. */
#ifndef CYDP_EXACT_COUNT_TABLE_H
#define CYDP_EXACT_COUNT_TABLE_H

#include "base/mutex.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows between two flushes, few enough that no uint32 wraps; tests choose fewer. */
#define CYDP_FLUSH_ROWS ((size_t)UINT32_MAX)

enum {
  CYDP_WAYS = 4,  /* tables of uint32: with one, equal rows in succession would wait */
  CYDP_WAY = 256, /* counters of a table, at least */
  CYDP_SEVERAL_SIZE = 512, /* more counts are in one table: several leave the L1 cache */
  CYDP_WAYS_SIZE = 1 << 17, /* more counts are in bytes: a table leaves the L2 cache. Below,
                             * equal rows in succession wait longer for a byte */
  CYDP_WRAPS = 1024 /* noted at a time, and rows that are added at a time */
};

/* The counts that the threads of a call add to. */
typedef struct cydp_counts {
  int64_t *counts;
  size_t size;
  size_t flush_rows;
  cydp_mutex mutex;
} cydp_counts;

typedef struct cydp_count_table {
  cydp_counts *to;
  void *memory;             /* of the ways, or of the bytes */
  uint32_t *way[CYDP_WAYS]; /* may be one table; NULL: the counts are in bytes */
  uint8_t *bytes;
  size_t rows;                /* in the ways since the last flush */
  size_t n_wraps;             /* of bytes since the last flush */
  uint32_t wraps[CYDP_WRAPS]; /* their indices */
} cydp_count_table;

bool cydp_count_table_new(cydp_count_table *table, cydp_counts *to);

/* Counts n <= flush_rows indices, and at most CYDP_WRAPS, none above size + 1. Prefetches
 * the n numbers at `next`, so that memory is read all the time. */
void cydp_count_table_add(cydp_count_table *table, const uint32_t *indices, size_t n,
                          const void *next, size_t stride);

/* The same, where the numbers to be prefetched are of two columns. */
void cydp_count_table_add_two(cydp_count_table *table, const uint32_t *indices, size_t n,
                              const void *x, size_t x_bytes, const void *y,
                              size_t y_bytes);

/* Counts the n indices index_of[cells[i]] as above; at most CYDP_WAY - 2 counts. Sets zeros
 * to those rows i whose index is 0, in their order, and returns how many they are; `zeros`
 * has room for n + 1. */
size_t cydp_count_table_add_cells(cydp_count_table *table, const uint8_t *index_of,
                                  const uint32_t *cells, size_t n, const void *next,
                                  size_t stride, uint16_t *zeros);

/* Adds what is left to the counts, and frees the table. */
void cydp_count_table_end(cydp_count_table *table);

/* Returns how many rows each task of a call of n rows has. */
size_t cydp_count_table_rows(size_t n, size_t size, unsigned threads);

#endif
