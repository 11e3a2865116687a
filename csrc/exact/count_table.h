/* SPDX-License-Identifier: MIT
 *
 * Counting slots in tables that stay in a cache: of uint32, added to the int64 counts
 * before they wrap, or where slots are many of bytes, each of whose wraps is noted and
 * adds 256. Slot j + 1 is that of counts[j]; what falls into slot 0 or size + 1 is left
 * out. */
#ifndef CYDP_EXACT_COUNT_TABLE_H
#define CYDP_EXACT_COUNT_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows between two flushes, so that no uint32 wraps; tests choose fewer. */
#define CYDP_FLUSH_ROWS ((size_t)UINT32_MAX)

enum {
  CYDP_WAYS = 4, /* tables of uint32: equal rows in a row would wait for each other */
  CYDP_WAYS_SIZE = 16384, /* more counts are in bytes */
  CYDP_WRAPS = 1024       /* noted at a time, and rows that are added at most */
};

/* What the threads of a call add to. */
typedef struct cydp_counts {
  int64_t *counts;
  size_t size;
  size_t flush_rows;
  pthread_mutex_t mutex;
} cydp_counts;

typedef struct cydp_count_table {
  cydp_counts *to;
  void *memory;             /* which has the ways, or the bytes */
  uint32_t *way[CYDP_WAYS]; /* if these are NULL, then */
  uint8_t *bytes;
  size_t rows;                /* in the ways since the last flush */
  size_t n_wraps;             /* of bytes, since the last flush: */
  uint32_t wraps[CYDP_WRAPS]; /* their slots */
} cydp_count_table;

bool cydp_count_table_new(cydp_count_table *table, cydp_counts *to);

/* n <= flush_rows and CYDP_WRAPS slots, none above size + 1. Asks for the n numbers at
 * `next`, so that memory is read all the time. */
void cydp_count_table_add(cydp_count_table *table, const uint32_t *indices, size_t n,
                          const void *next, size_t stride);

/* Adds what is left, and frees. */
void cydp_count_table_end(cydp_count_table *table);

/* Rows of each of the tasks that a call of n rows is shared out in. */
size_t cydp_count_table_rows(size_t n, size_t size, unsigned threads);

#endif
