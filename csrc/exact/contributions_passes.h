/* SPDX-License-Identifier: MIT
 *
 * Contribution bounding: what its passes share. They are written once, in
 * contributions_rows.h, and compiled for records of 16 bytes and of 32. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_PASSES_H
#define CYDP_EXACT_CONTRIBUTIONS_PASSES_H

#include "cydp.h"

#include <stdatomic.h>

enum {
  CYDP_BOUND_BLOCK = 256,      /* rows hashed at a time */
  CYDP_BOUND_BUCKET_ROWS = 4,  /* that a bucket has on average */
  CYDP_BOUND_BUCKET_BITS = 15, /* at most, and then it has more rows */
  CYDP_BOUND_PART_BITS = 10,   /* at most: more parts, and writing to them is slow */
};

typedef struct cydp_bounding {
  const cydp_column *users, *partitions;
  const uint8_t *valid; /* or NULL */
  size_t n;
  uint64_t max_partitions, max_rows;
  const uint64_t *key;
  uint64_t odd[2];     /* secret: users are spread by them over parts and buckets */
  uint64_t inverse[2]; /* of these, modulo 2^64 */
  uint8_t *mask;
  unsigned part_bits;
  size_t chunks; /* of rows, each one task of a pass */
  size_t
      *starts; /* [chunk][part]: where its next record goes; at first how many they are */
  size_t *ends;  /* [chunk][part]: before which they stay */
  void *records; /* of the slice */
  size_t *parts; /* where each begins, and the end */
  size_t longest;
  size_t first, last;   /* the slice: parts from `first` to before `last` */
  _Atomic(size_t) next; /* the first of these that nobody has taken */
} cydp_bounding;

static inline size_t cydp_bounding_begin(const cydp_bounding *bounding, size_t chunk) {
  return (size_t)((unsigned __int128)bounding->n * chunk / bounding->chunks);
}

/* So many bits that 2^bits buckets have about `each` rows. */
static inline unsigned cydp_bounding_bits(size_t rows, size_t each, unsigned most) {
  unsigned bits = 0;
  while (bits < most && rows >> bits > each)
    bits++;
  return bits;
}

/* Tasks of a chunk (the first two) and of a thread. */
typedef struct cydp_bounding_passes {
  size_t record_bytes;
  cydp_status (*count)(void *of, size_t chunk);   /* adds to `starts` */
  cydp_status (*scatter)(void *of, size_t chunk); /* records of the slice, row by row */
  cydp_status (*keep)(void *of, size_t worker);   /* marks what stays in whole parts */
} cydp_bounding_passes;

extern const cydp_bounding_passes cydp_bounding_narrow, cydp_bounding_wide;

#endif
