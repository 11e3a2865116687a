/* SPDX-License-Identifier: MIT
 * Chooses the method that finds bin indices for some edges. Each method is tried on the
 * edges themselves, so that no bound on rounding errors is needed: docs/exact/bins.md. */
#include "exact/bins.h"
#include "cydp.h"
#include "exact/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SPREAD = 32,             /* buckets a bin, at most, */
  LEAST_BUCKETS = 1 << 12, /* if these are more than LEAST_BUCKETS */
  MOST_BUCKETS = 1 << 22,
  PADDING = 4
};

typedef union edge_array {
  const double *f64;
  const int64_t *i64;
} edge_array;

/* Returns the number whose bucket the kernels compute. */
static double position(edge_array edges, bool integers, size_t j) {
  return integers ? (double)edges.i64[j] : edges.f64[j];
}

/* Returns whether all edges between the ends are lo + j step to the last bit, and edge j
 * is the only one in bucket j; sets the buckets. */
static bool is_even(cydp_bins *bins, const double *edges, bool single) {
  size_t count = bins->count;
  double lo = edges[0], hi = edges[count], step = (hi - lo) / (double)count;
  cydp_buckets even = {.origin = lo - step / 2,
                       .scale = (double)count / (hi - lo),
                       .last = (double)count,
                       .lo = lo,
                       .step = step,
                       .hi = hi,
                       .single = single};
  if (!(isfinite(even.scale) && isfinite(even.origin)))
    return false;
  for (size_t j = 0; j <= count; j++)
    if (cydp_bucket(&even, edges[j]) != j ||
        (j < count && cydp_even_edge(&even, (double)j) != edges[j]))
      return false;
  bins->buckets = even;
  return true;
}

/* Sets buckets of equal width between the first and the last finite edge, without the
 * table. */
static bool set_buckets(cydp_bins *bins, edge_array edges, bool integers,
                        size_t buckets) {
  size_t first = 0, last = bins->count;
  while (first < last && !isfinite(position(edges, integers, first)))
    first++;
  while (first < last && !isfinite(position(edges, integers, last)))
    last--;
  double lo = position(edges, integers, first), hi = position(edges, integers, last);
  bins->buckets = (cydp_buckets){.origin = lo,
                                 .scale = (double)buckets / (hi - lo),
                                 .last = (double)(buckets - 1),
                                 .integers = integers};
  return isfinite(bins->buckets.scale) && bins->buckets.scale > 0;
}

/* Sets buckets of 2^shift keys each. */
static bool set_key_buckets(cydp_bins *bins, size_t buckets) {
  bins->least = bins->keys[0];
  bins->greatest = bins->keys[bins->count];
  bins->shift = 0;
  while ((bins->greatest - bins->least) >> bins->shift >= buckets)
    bins->shift++;
  return true;
}

static uint32_t bucket_of_edge(const cydp_bins *bins, edge_array edges, size_t j) {
  if (bins->method == CYDP_KEY_BUCKETS)
    return cydp_key_bucket(bins, bins->keys[j]);
  return cydp_bucket(&bins->buckets, position(edges, bins->buckets.integers, j));
}

/* Returns the largest number of edges in one bucket. */
static unsigned largest_bucket(const cydp_bins *bins, edge_array edges) {
  unsigned most = 0, run = 0;
  uint32_t last = UINT32_MAX;
  for (size_t j = 0; j <= bins->count; j++) {
    uint32_t bucket = bucket_of_edge(bins, edges, j);
    run = bucket == last ? run + 1 : 1;
    most = run > most ? run : most;
    last = bucket;
  }
  return most;
}

static cydp_status fill_buckets(cydp_bins *bins, edge_array edges, size_t buckets) {
  size_t count = bins->count;
  bins->before = malloc(buckets * sizeof *bins->before);
  bins->below = malloc((count + 1 + PADDING) * sizeof *bins->below);
  if (bins->before == NULL || bins->below == NULL)
    return CYDP_ERROR_MEMORY;
  size_t j = 0;
  for (size_t bucket = 0; bucket < buckets; bucket++) {
    while (j <= count && bucket_of_edge(bins, edges, j) < bucket)
      j++;
    bins->before[bucket] = (uint32_t)j;
  }
  for (j = 0; j < count; j++)
    bins->below[j] = bins->keys[j] - 1;
  bins->below[count] = bins->keys[count]; /* the last bin is closed */
  for (j = count + 1; j <= count + PADDING; j++)
    bins->below[j] = UINT64_MAX;
  return CYDP_OK;
}

/* Chooses the method with the fewest edges a bucket that needs few buckets. */
static cydp_status choose_method(cydp_bins *bins, edge_array edges, bool integers) {
  size_t most_buckets = SPREAD * (bins->count + 1);
  most_buckets = most_buckets < LEAST_BUCKETS ? LEAST_BUCKETS : most_buckets;
  most_buckets = most_buckets > MOST_BUCKETS ? MOST_BUCKETS : most_buckets;
  if (bins->keys[0] == 0) /* no key is below 0 */
    return CYDP_OK;
  for (unsigned most = 2; most <= 4; most += 2)
    for (cydp_index_method method = CYDP_BUCKETS; method <= CYDP_KEY_BUCKETS; method++)
      for (size_t buckets = 2 * bins->count; buckets <= most_buckets; buckets *= 2) {
        bins->method = method;
        if (!(method == CYDP_BUCKETS ? set_buckets(bins, edges, integers, buckets)
                                     : set_key_buckets(bins, buckets)))
          break;
        if (largest_bucket(bins, edges) <= most) {
          bins->most = most;
          return fill_buckets(bins, edges, buckets);
        }
      }
  bins->method = CYDP_SEARCH;
  return CYDP_OK;
}

/* Whether count + 1 edges never fall; NaN is neither above nor below a number. */
static bool never_fall(edge_array edges, bool integers, size_t count) {
  bool hold = true;
  for (size_t j = 0; j < count; j++)
    hold &= integers ? edges.i64[j] <= edges.i64[j + 1]
                     : edges.f64[j] <= edges.f64[j + 1];
  return hold;
}

static cydp_status new_bins(edge_array edges, bool integers, size_t count,
                            cydp_bins **out) {
  if (count == 0 || count > CYDP_MOST_BINS || !never_fall(edges, integers, count))
    return CYDP_ERROR_DOMAIN;
  cydp_bins *bins = calloc(1, sizeof *bins);
  if (bins == NULL)
    return CYDP_ERROR_MEMORY;
  bins->count = count;
  bins->method = CYDP_EVEN;
  bins->buckets.integers = integers;
  cydp_status status = CYDP_OK;
  if (integers || !(is_even(bins, edges.f64, false) || is_even(bins, edges.f64, true))) {
    bins->method = CYDP_SEARCH;
    bins->keys = malloc((count + 1) * sizeof *bins->keys);
    status = bins->keys == NULL ? CYDP_ERROR_MEMORY : CYDP_OK;
    for (size_t j = 0; j <= count && status == CYDP_OK; j++)
      bins->keys[j] = integers ? cydp_key_i64(edges.i64[j]) : cydp_key_f64(edges.f64[j]);
    if (status == CYDP_OK)
      status = choose_method(bins, edges, integers);
  }
  if (status != CYDP_OK) {
    cydp_bins_free(bins);
    return status;
  }
  *out = bins;
  return CYDP_OK;
}

cydp_status cydp_bins_new(const double *edges_f64, size_t count, cydp_bins **bins) {
  return new_bins((edge_array){.f64 = edges_f64}, false, count, bins);
}

cydp_status cydp_bins_new_i64(const int64_t *edges_i64, size_t count, cydp_bins **bins) {
  return new_bins((edge_array){.i64 = edges_i64}, true, count, bins);
}

cydp_status cydp_bins_of_codes(size_t count, cydp_bins **bins) {
  if (count == 0 || count > CYDP_MOST_BINS)
    return CYDP_ERROR_DOMAIN;
  *bins = calloc(1, sizeof **bins);
  if (*bins == NULL)
    return CYDP_ERROR_MEMORY;
  (*bins)->count = count;
  (*bins)->method = CYDP_CODES;
  return CYDP_OK;
}

void cydp_bins_free(cydp_bins *bins) {
  if (bins == NULL)
    return;
  free(bins->keys);
  free(bins->below);
  free(bins->before);
  free(bins);
}
