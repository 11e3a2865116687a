/* SPDX-License-Identifier: MIT
 *
 * What the two histogram kernels share: their sub-tables, and the entries behind the
 * public ones, in which a test can choose how often these are flushed. */
#ifndef CYDP_HISTOGRAM_H
#define CYDP_HISTOGRAM_H

#include "cydp.h"

#include <stdlib.h>

/* Rows between two flushes, so that no uint32 wraps. */
#define CYDP_FLUSH_ROWS ((size_t)UINT32_MAX)

/* x, and the edges of the second, are int64 if `integers`, else double. */
cydp_status cydp_histogram_equal(const void *x, bool integers, size_t n,
                                 const double *edges, size_t bins, int64_t *counts,
                                 size_t flush_rows);
cydp_status cydp_histogram_edges(const void *x, bool integers, size_t n,
                                 const void *edges, size_t bins, int64_t *counts,
                                 size_t flush_rows);

/* Slot 0 takes NaN and what is below the edges, slot j + 1 bin j, slot bins + 1 what is
 * above. Equal rows in a row would wait for each other's store, hence four tables; one if
 * four would not stay in the cache: all of `way` is then the same. */
#define CYDP_WAYS 4
#define CYDP_WAYS_BINS 16384

typedef struct cydp_tables {
  uint32_t *way[CYDP_WAYS];
  size_t ways, bins;
} cydp_tables;

static inline bool cydp_tables_new(cydp_tables *tables, size_t bins) {
  tables->bins = bins;
  tables->ways = bins <= CYDP_WAYS_BINS ? CYDP_WAYS : 1;
  uint32_t *slots = calloc(tables->ways * (bins + 2), sizeof *slots);
  if (slots == NULL)
    return false;
  for (size_t w = 0; w < CYDP_WAYS; w++)
    tables->way[w] = slots + w % tables->ways * (bins + 2);
  return true;
}

/* Adds the tables to counts and clears them; the slots outside may wrap. */
static inline void cydp_tables_flush(cydp_tables *tables, int64_t *counts) {
  for (size_t w = 0; w < tables->ways; w++) {
    uint32_t *slots = tables->way[w] + 1;
    for (size_t j = 0; j < tables->bins; j++) {
      counts[j] += slots[j];
      slots[j] = 0;
    }
  }
}

static inline void cydp_tables_free(cydp_tables *tables) { free(tables->way[0]); }

#endif
