/* SPDX-License-Identifier: MIT
 *
 * Bins, prepared once: how the slot of a number is found. Slot 0 takes NaN and what is
 * below the edges, slot j + 1 bin j, slot `count` + 1 what is above. Why every way gives
 * the slot that exact comparisons with all edges give: docs/exact.md. */
#ifndef CYDP_EXACT_BINS_H
#define CYDP_EXACT_BINS_H

#include "cydp.h"
#include "exact/kernels.h"

typedef enum cydp_index_method {
  CYDP_EVEN,        /* one edge a cell, itself computed from the cell */
  CYDP_BUCKETS,     /* few edges a cell, cells of equal width */
  CYDP_KEY_BUCKETS, /* the same, cells of equally many numbers */
  CYDP_SEARCH       /* binary search */
} cydp_index_method;

/* Integers that are ordered as the numbers are: key(x) < key(y) if and only if x < y. NaN
 * has the key 0, as it has the cell 0: below all numbers. */
static inline uint64_t cydp_key_f64(double x) {
  union {
    double number;
    uint64_t bits;
  } of = {.number = x + 0.0}; /* there is one zero */
  uint64_t sign = (uint64_t)1 << 63;
  uint64_t flips = -(of.bits >> 63) | sign;
  return (of.bits ^ flips) & -(uint64_t)(x == x);
}
static inline uint64_t cydp_key_i64(int64_t x) { return (uint64_t)x ^ (uint64_t)1 << 63; }

static inline uint32_t cydp_bucket(const cydp_buckets *buckets, double x) {
  double t = (x - buckets->origin) * buckets->scale;
  t = t > 0 ? t : 0; /* NaN too */
  t = t < buckets->last ? t : buckets->last;
  return (uint32_t)(int32_t)t;
}

/* Edge j, but for the last one. */
static inline double cydp_even_edge(const cydp_buckets *buckets, double j) {
  double edge = j * buckets->step + buckets->lo;
  return buckets->single ? (double)(float)edge : edge;
}

struct cydp_bins {
  size_t count;
  cydp_index_method method;
  cydp_buckets buckets; /* CYDP_EVEN, CYDP_BUCKETS */
  uint64_t *keys;       /* of the edges */
  uint64_t *below;      /* the edges in cells: x is at or above edge j if its key is above
                     * below[j]; ends in numbers that no key is above */
  uint32_t *before;     /* for each cell, how many edges there are in the cells before */
  unsigned most;        /* edges in a cell: 1, 2 or 4 */
  uint64_t least; /* CYDP_KEY_BUCKETS: key of the first cell, of the last, log2 width */
  uint64_t greatest;
  unsigned shift;
};

static inline uint32_t cydp_key_bucket(const cydp_bins *bins, uint64_t key) {
  key = key < bins->least ? bins->least : key;
  key = key > bins->greatest ? bins->greatest : key;
  return (uint32_t)((key - bins->least) >> bins->shift);
}

#endif
