/* SPDX-License-Identifier: MIT
 *
 * Near-equal bins: the nearest edge is computed, one comparison with it decides.
 *
 * Let p = (x - lo) bins / (hi - lo) be the real position of x, and t the computed one.
 * The bounds on hi - lo keep the scale normal, so t is p after four roundings (and an
 * underflow is below 2^-900): for x in [lo, hi], |t - p| < 2^-49 bins <= 2^-17 in any
 * rounding mode. With j = floor(t + 1/2), p is within 1/2 + 2^-16 of j. Every edge i is
 * within 1/8 of position i, so that edge j - 1 is below x (j - 1 + 1/8 < j - 1/2 - 2^-16)
 * and edge j + 1 above it: only edge j is in doubt. What lies outside [lo, hi] is clamped
 * to the end edge on its side, which decides as well. */
#include "histogram.h"

#include <math.h>
#include <string.h>

typedef struct grid {
  const double *edges; /* the last one just above hi, which closes the last bin */
  double lo, scale, bins;
} grid;

/* Two at a time, by masks: from scalars gcc makes branches, whatever is written. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));

/* One load: a second one could see what another thread has written meanwhile. */
static inline double load(const void *x, bool integers, size_t i) {
  if (integers)
    return (double)((const volatile int64_t *)x)[i];
  return ((const volatile double *)x)[i];
}

/* Truncated, the number of the nearest edge: between 0 and bins for every x. */
static inline pair nearest(const grid *g, pair x) {
  const pair bins = {g->bins, g->bins};
  pair t = (x - g->lo) * g->scale;
  t = (pair)((mask)t & (mask)(t > 0.0)); /* NaN too becomes 0 */
  mask within = (mask)(t < bins);
  t = (pair)(((mask)t & within) | ((mask)bins & ~within));
  return t + 0.5;
}

/* 0 for NaN and below, bin + 1 inside, bins + 1 above. */
static inline int64_t slot(const grid *g, double x, double near) {
  int64_t j = (int64_t)near;
  return j + (x >= g->edges[j]);
}

static inline void count(const grid *of, const void *x, bool integers, size_t first,
                         size_t end, const cydp_tables *tables) {
  const grid g = *of;
  uint32_t *const way0 = tables->way[0], *const way1 = tables->way[1];
  uint32_t *const way2 = tables->way[2], *const way3 = tables->way[3];
  size_t i = first;
  for (; end - i >= CYDP_WAYS; i += CYDP_WAYS) {
    pair a = {load(x, integers, i), load(x, integers, i + 1)};
    pair b = {load(x, integers, i + 2), load(x, integers, i + 3)};
    pair near_a = nearest(&g, a), near_b = nearest(&g, b);
    way0[slot(&g, a[0], near_a[0])]++;
    way1[slot(&g, a[1], near_a[1])]++;
    way2[slot(&g, b[0], near_b[0])]++;
    way3[slot(&g, b[1], near_b[1])]++;
  }
  for (; i < end; i++) {
    pair a = {load(x, integers, i), 0.0};
    way0[slot(&g, a[0], nearest(&g, a)[0])]++;
  }
}

cydp_status cydp_histogram_equal(const void *x, bool integers, size_t n,
                                 const double *edges, size_t bins, int64_t *counts,
                                 size_t flush_rows) {
  if (bins == 0 || (uint64_t)bins > UINT64_C(1) << 32)
    return CYDP_ERROR_DOMAIN;
  double span = edges[bins] - edges[0];
  if (!(span >= 0x1p-900 && span <= 0x1p1000))
    return CYDP_ERROR_DOMAIN;

  double *closed = malloc((bins + 1) * sizeof *closed);
  if (closed == NULL)
    return CYDP_ERROR_MEMORY;
  cydp_tables tables;
  if (!cydp_tables_new(&tables, bins)) {
    free(closed);
    return CYDP_ERROR_MEMORY;
  }
  memcpy(closed, edges, bins * sizeof *closed);
  closed[bins] = nextafter(edges[bins], INFINITY);

  const grid g = {closed, edges[0], (double)bins / span, (double)bins};
  for (size_t i = 0; i < n;) {
    size_t end = n - i < flush_rows ? n : i + flush_rows;
    if (integers)
      count(&g, x, true, i, end, &tables);
    else
      count(&g, x, false, i, end, &tables);
    cydp_tables_flush(&tables, counts);
    i = end;
  }
  cydp_tables_free(&tables);
  free(closed);
  return CYDP_OK;
}

cydp_status cydp_histogram_equal_f64(const double *x, size_t n, const double *edges,
                                     size_t bins, int64_t *counts) {
  return cydp_histogram_equal(x, false, n, edges, bins, counts, CYDP_FLUSH_ROWS);
}

cydp_status cydp_histogram_equal_i64(const int64_t *x, size_t n, const double *edges,
                                     size_t bins, int64_t *counts) {
  return cydp_histogram_equal(x, true, n, edges, bins, counts, CYDP_FLUSH_ROWS);
}
