/* SPDX-License-Identifier: MIT
 *
 * Contribution bounding: what its passes share. Rows become records, in parts of users;
 * what depends on the form of a record is written once, in contributions_records.h, and
 * compiled for each of them. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_PASSES_H
#define CYDP_EXACT_CONTRIBUTIONS_PASSES_H

#include "cydp.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { CYDP_BOUND_PART_BITS = 10 }; /* at most: writing to more parts is slow */

/* A secret permutation of the numbers below 2^bits, which gives users their places. The
 * first bits of a place are the part of the user, the rest tells them apart in it. */
typedef struct cydp_user_order {
  uint64_t odd[2];
  uint64_t inverse[2]; /* of `odd`, modulo 2^64 */
  uint64_t all;        /* 2^bits - 1 */
  uint64_t rest;       /* 2^rest_bits - 1 */
  unsigned half;      /* of the bits, rounded up */
  unsigned rest_bits; /* 1 to 63 */
} cydp_user_order;

typedef struct cydp_bounding {
  const cydp_column *users;
  const cydp_partitions *partitions; /* or NULL: all rows are of one */
  const uint64_t *contents;          /* or NULL */
  const uint8_t *valid;              /* or NULL */
  size_t n;
  uint64_t max_partitions, max_rows;
  const uint64_t *key;
  uint8_t *mask;
  uint32_t *pairs;     /* or NULL */
  _Atomic(size_t) n_pairs; /* numbers that parts have taken */
  uint32_t *user_rows; /* or NULL; else nothing but these is found */

  cydp_user_order order;
  unsigned part_bits, partition_bits, row_bits;

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

enum { CYDP_BOUND_AT_ONCE = 32 }; /* numbers that may be read behind those of a part */

/* The rows of a part, those of each user together, in the order of rows. */
typedef struct cydp_part_rows {
  uint32_t *partitions, *rows;
  size_t n_users;
  uint32_t *begins; /* where the rows of each user begin, and the end */
  uint64_t *places; /* theirs, in the order of users */
} cydp_part_rows;

/* What depends on the form of a record. */
typedef struct cydp_record_form {
  size_t bytes;
  /* Writes the records of the slice that are of a chunk, row by row. */
  cydp_status (*scatter)(void *bounding, size_t chunk);
  /* Fills `to` with a part of n records, which it uses as memory, and `sorted` with as
   * many. `counts` and `others` have room for 2 n + 1 numbers. */
  void (*group)(const cydp_bounding *bounding, size_t part, void *records, void *sorted,
                size_t n, uint32_t *counts, uint32_t *others, cydp_part_rows *to);
} cydp_record_form;

extern const cydp_record_form cydp_record_narrow, cydp_record_wide, cydp_record_texts,
    cydp_record_long_texts;

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

/* A product with an odd number has upper bits that depend on all bits. */
static inline uint64_t cydp_place_of_user(cydp_user_order order, uint64_t user) {
  uint64_t x = user * order.odd[0] & order.all;
  x ^= x >> order.half;
  return x * order.odd[1] & order.all;
}

static inline uint64_t cydp_user_of_place(cydp_user_order order, uint64_t place) {
  uint64_t x = place * order.inverse[1] & order.all;
  x ^= x >> order.half; /* its own inverse: no bit moves twice */
  return x * order.inverse[0] & order.all;
}

static inline size_t cydp_part_of(cydp_user_order order, uint64_t place) {
  return (size_t)(place >> order.rest_bits);
}

/* The columns that a pass reads. */
typedef struct cydp_row_reader {
  const volatile uint64_t *users; /* loaded once: another thread may write to them */
  const volatile uint32_t *partitions; /* or NULL */
  const uint8_t *valid;                /* or NULL */
  uint64_t n_partitions;
} cydp_row_reader;

static inline cydp_row_reader cydp_read_rows(const cydp_bounding *bounding) {
  const cydp_partitions *partitions = bounding->partitions;
  return (cydp_row_reader){.users = bounding->users->ids,
                           .partitions = partitions ? partitions->codes : NULL,
                           .valid = bounding->valid,
                           .n_partitions = partitions ? partitions->n : 1};
}

/* Returns the partition of a row, or n_partitions or more if the row does not count. */
static inline uint32_t cydp_partition_at(cydp_row_reader reader, size_t row) {
  const uint32_t partition = reader.partitions ? reader.partitions[row] : 0;
  return reader.valid && !reader.valid[row] ? UINT32_MAX : partition;
}

#endif
