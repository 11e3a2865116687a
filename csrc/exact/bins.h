/* SPDX-License-Identifier: MIT
 *
 * Bins, prepared once: how the index of a number is found. Index 0 is for NaN and numbers
 * below the edges, index j + 1 for bin j, index `count` + 1 for numbers above. Why every
 * method finds the index that exact comparisons with all edges find:
 * docs/exact/bins.md. */
#ifndef CYDP_EXACT_BINS_H
#define CYDP_EXACT_BINS_H

#include "cydp.h"
#include "exact/kernels.h"

typedef enum cydp_index_method {
  CYDP_CODES,       /* a bin for each code */
  CYDP_EVEN,        /* one edge a bucket, which the bucket gives */
  CYDP_BUCKETS,     /* few edges a bucket, buckets of equal width */
  CYDP_KEY_BUCKETS, /* the same, buckets of equally many numbers */
  CYDP_SEARCH       /* binary search */
} cydp_index_method;

/* Returns an integer that is ordered as the number is: key(x) < key(y) if and only if x <
 * y. NaN has the key 0, as it has the bucket 0: below all numbers. */
static inline uint64_t cydp_key_f64(double x) {
  union {
    double number;
    uint64_t bits;
  } parts = {.number = x + 0.0}; /* there is one zero */
  uint64_t sign = (uint64_t)1 << 63;
  uint64_t flips = -(parts.bits >> 63) | sign;
  return (parts.bits ^ flips) & -(uint64_t)(x == x);
}
static inline uint64_t cydp_key_i64(int64_t x) { return (uint64_t)x ^ (uint64_t)1 << 63; }

static inline double cydp_number_of_key(uint64_t key, bool integers) {
  uint64_t sign = (uint64_t)1 << 63;
  union {
    uint64_t bits;
    double number;
  } parts = {.bits = key & sign ? key ^ sign : ~key};
  return integers ? (double)(int64_t)(key ^ sign) : parts.number;
}

static inline uint32_t cydp_bucket(const cydp_buckets *buckets, double x) {
  double t = (x - buckets->origin) * buckets->scale;
  t = t > 0 ? t : 0; /* NaN too */
  t = t < buckets->last ? t : buckets->last;
  return (uint32_t)(int32_t)t;
}

/* Returns x's cell, if cells->bits. */
static inline uint32_t cydp_cell_by_bits(const cydp_cells *cells, double x) {
  union {
    double number;
    uint64_t bits;
  } parts = {.number = x + 0.0}; /* there is one zero */
  int32_t upper = (int32_t)(parts.bits >> 32);
  upper ^= (int32_t)((uint32_t)(upper >> 31) >> 1);
  upper = upper > cells->least ? upper : cells->least;
  upper = upper < cells->greatest ? upper : cells->greatest;
  return ((uint32_t)upper - (uint32_t)cells->least) >> cells->shift;
}

/* Returns edge j, if it is not the last one. */
static inline double cydp_even_edge(const cydp_buckets *buckets, double j) {
  double edge = j * buckets->step + buckets->lo;
  return buckets->single ? (double)(float)edge : edge;
}

struct cydp_bins {
  size_t count;
  cydp_index_method method;
  cydp_buckets buckets; /* CYDP_EVEN, CYDP_BUCKETS */
  uint64_t *keys;       /* of the edges */
  /* The edges in buckets: x is at or above edge j if its key is above below[j]. Ends in
   * numbers that no key is above. */
  uint64_t *below;
  uint32_t *before;  /* for each bucket, the number of edges in the buckets before it */
  unsigned most;     /* edges in a bucket, at most: 2 or 4 */
  uint64_t least;    /* CYDP_KEY_BUCKETS: the least key, */
  uint64_t greatest; /* the greatest, */
  unsigned shift;    /* and a bucket has 2^shift keys */
};

static inline uint32_t cydp_key_bucket(const cydp_bins *bins, uint64_t key) {
  key = key < bins->least ? bins->least : key;
  key = key > bins->greatest ? bins->greatest : key;
  return (uint32_t)((key - bins->least) >> bins->shift);
}

#endif
