/* SPDX-License-Identifier: MIT
 * Which way to the slots fits some edges. Each is tried on the edges themselves, so no
 * bound on rounding errors is needed: docs/exact.md. */
#include "exact/bins.h"
#include "cydp.h"
#include "exact/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SPREAD = 32,           /* at most so many cells a bin, */
  LEAST_CELLS = 1 << 12, /* if they are more than these */
  MOST_CELLS = 1 << 22,
  PADS = 4
};

typedef union edges {
  const double *f64;
  const int64_t *i64;
} edges;

/* The number that the kernels compute cells of. */
static double position(edges of, bool integers, size_t j) {
  return integers ? (double)of.i64[j] : of.f64[j];
}

/* Whether all edges between the ends are, to the last bit, lo + j step, and edge j the
 * only one in cell j. */
static bool is_even(cydp_bins *bins, const double *of, bool single) {
  size_t count = bins->count;
  double lo = of[0], hi = of[count], step = (hi - lo) / (double)count;
  cydp_cells even = {.origin = lo - step / 2,
                     .scale = (double)count / (hi - lo),
                     .last = (double)count,
                     .lo = lo,
                     .step = step,
                     .hi = hi,
                     .single = single};
  if (!(isfinite(even.scale) && isfinite(even.origin)))
    return false;
  for (size_t j = 0; j <= count; j++)
    if (cydp_cell(&even, of[j]) != j ||
        (j < count && cydp_even_edge(&even, (double)j) != of[j]))
      return false;
  bins->cells = even;
  return true;
}

/* Cells of equal width between the first and last finite edge, without the table. */
static bool set_grid(cydp_bins *bins, edges of, bool integers, size_t cells) {
  size_t first = 0, last = bins->count;
  while (first < last && !isfinite(position(of, integers, first)))
    first++;
  while (first < last && !isfinite(position(of, integers, last)))
    last--;
  double lo = position(of, integers, first), hi = position(of, integers, last);
  bins->cells = (cydp_cells){.origin = lo,
                             .scale = (double)cells / (hi - lo),
                             .last = (double)(cells - 1),
                             .integers = integers};
  return isfinite(bins->cells.scale) && bins->cells.scale > 0;
}

/* Cells of 2^shift keys each. */
static bool set_key_grid(cydp_bins *bins, size_t cells) {
  bins->least = bins->keys[0];
  bins->greatest = bins->keys[bins->count];
  bins->shift = 0;
  while ((bins->greatest - bins->least) >> bins->shift >= cells)
    bins->shift++;
  return true;
}

static uint32_t cell_of_edge(const cydp_bins *bins, edges of, size_t j) {
  if (bins->way == CYDP_KEY_CELLS)
    return cydp_key_cell(bins, bins->keys[j]);
  return cydp_cell(&bins->cells, position(of, bins->cells.integers, j));
}

/* The most edges that share a cell. */
static unsigned crowd(const cydp_bins *bins, edges of) {
  unsigned most = 0, here = 0;
  uint32_t last = UINT32_MAX;
  for (size_t j = 0; j <= bins->count; j++) {
    uint32_t cell = cell_of_edge(bins, of, j);
    here = cell == last ? here + 1 : 1;
    most = here > most ? here : most;
    last = cell;
  }
  return most;
}

static cydp_status fill_cells(cydp_bins *bins, edges of, size_t cells) {
  size_t count = bins->count;
  bins->before = malloc(cells * sizeof *bins->before);
  bins->below = malloc((count + 1 + PADS) * sizeof *bins->below);
  if (bins->before == NULL || bins->below == NULL)
    return CYDP_ERROR_MEMORY;
  size_t j = 0;
  for (size_t cell = 0; cell < cells; cell++) {
    while (j <= count && cell_of_edge(bins, of, j) < cell)
      j++;
    bins->before[cell] = (uint32_t)j;
  }
  for (j = 0; j < count; j++)
    bins->below[j] = bins->keys[j] - 1;
  bins->below[count] = bins->keys[count]; /* the last bin is closed */
  for (j = count + 1; j <= count + PADS; j++)
    bins->below[j] = UINT64_MAX;
  return CYDP_OK;
}

/* The way with the fewest edges a cell that needs few cells. */
static cydp_status set_cells(cydp_bins *bins, edges of, bool integers) {
  size_t most_cells = SPREAD * (bins->count + 1);
  most_cells = most_cells < LEAST_CELLS ? LEAST_CELLS : most_cells;
  most_cells = most_cells > MOST_CELLS ? MOST_CELLS : most_cells;
  if (bins->keys[0] == 0) /* nothing is below it */
    return CYDP_OK;
  for (unsigned most = 2; most <= 4; most += 2)
    for (cydp_way way = CYDP_CELLS; way <= CYDP_KEY_CELLS; way++)
      for (size_t cells = 2 * bins->count; cells <= most_cells; cells *= 2) {
        bins->way = way;
        if (!(way == CYDP_CELLS ? set_grid(bins, of, integers, cells)
                                : set_key_grid(bins, cells)))
          break;
        if (crowd(bins, of) <= most) {
          bins->most = most;
          return fill_cells(bins, of, cells);
        }
      }
  bins->way = CYDP_SEARCH;
  return CYDP_OK;
}

static cydp_status new_bins(edges of, bool integers, size_t count, cydp_bins **out) {
  if (count == 0 || count > CYDP_MOST_BINS)
    return CYDP_ERROR_DOMAIN;
  cydp_bins *bins = calloc(1, sizeof *bins);
  if (bins == NULL)
    return CYDP_ERROR_MEMORY;
  bins->count = count;
  bins->way = CYDP_EVEN;
  bins->cells.integers = integers;
  cydp_status status = CYDP_OK;
  if (integers || !(is_even(bins, of.f64, false) || is_even(bins, of.f64, true))) {
    bins->way = CYDP_SEARCH;
    bins->keys = malloc((count + 1) * sizeof *bins->keys);
    status = bins->keys == NULL ? CYDP_ERROR_MEMORY : CYDP_OK;
    for (size_t j = 0; j <= count && status == CYDP_OK; j++)
      bins->keys[j] = integers ? cydp_key_i64(of.i64[j]) : cydp_key_f64(of.f64[j]);
    if (status == CYDP_OK)
      status = set_cells(bins, of, integers);
  }
  if (status != CYDP_OK) {
    cydp_bins_free(bins);
    return status;
  }
  *out = bins;
  return CYDP_OK;
}

cydp_status cydp_bins_new(const double *edges_f64, size_t count, cydp_bins **bins) {
  return new_bins((edges){.f64 = edges_f64}, false, count, bins);
}

cydp_status cydp_bins_new_i64(const int64_t *edges_i64, size_t count, cydp_bins **bins) {
  return new_bins((edges){.i64 = edges_i64}, true, count, bins);
}

void cydp_bins_free(cydp_bins *bins) {
  if (bins == NULL)
    return;
  free(bins->keys);
  free(bins->below);
  free(bins->before);
  free(bins);
}
