/* SPDX-License-Identifier: MIT
 *
 * Contribution bounding: what its passes share. The passes are written once, in
 * contributions_rows.h, and compiled for records of 16 bytes and of 32. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_PASSES_H
#define CYDP_EXACT_CONTRIBUTIONS_PASSES_H

#include "cydp.h"

#include <stdatomic.h>

enum {
  CYDP_BOUND_BLOCK = 256,    /* rows hashed at a time */
  CYDP_BOUND_PART_BITS = 10, /* at most: writing to more parts is slow */
};

typedef struct cydp_bounding {
  const cydp_column *users, *partitions;
  const uint8_t *valid; /* or NULL */
  size_t n;
  uint64_t max_partitions, max_rows;
  const uint64_t *key, *contents; /* contents may be NULL */
  uint64_t odd[2];     /* secret: they spread users over parts and slots */
  uint64_t inverse[2]; /* of `odd`, modulo 2^64 */
  uint8_t *mask;
  uint32_t *pairs; /* or NULL */
  unsigned part_bits;
  size_t chunks; /* of rows; a task of a pass has one */
  /* [chunk][part]: place of the next record; at first the number of records */
  size_t *starts;
  size_t *ends;  /* [chunk][part]: the end of their places */
  void *records; /* of the slice */
  size_t *parts; /* where each part begins, and the end */
  size_t longest;
  size_t first, last;   /* the slice has the parts from `first` to before `last` */
  _Atomic(size_t) next; /* the first of these that no thread has taken */
} cydp_bounding;

static inline size_t cydp_bounding_begin(const cydp_bounding *bounding, size_t chunk) {
  return (size_t)((unsigned __int128)bounding->n * chunk / bounding->chunks);
}

/* Returns how many bits are needed for 2^bits buckets of about `each` rows, at most
 * `most`. */
static inline unsigned cydp_bounding_bits(size_t rows, size_t each, unsigned most) {
  unsigned bits = 0;
  while (bits < most && rows >> bits > each)
    bits++;
  return bits;
}

/* The passes; the first two are tasks for a chunk, the third for a thread. */
typedef struct cydp_bounding_passes {
  size_t record_bytes;
  cydp_status (*count)(void *self, size_t chunk); /* counts records, in `starts` */
  cydp_status (*scatter)(void *self,
                         size_t chunk); /* writes the records of the slice, row by row */
  cydp_status (*keep)(void *self,
                      size_t worker); /* marks the rows that stay, part by part */
} cydp_bounding_passes;

extern const cydp_bounding_passes cydp_bounding_narrow, cydp_bounding_wide;

#endif
