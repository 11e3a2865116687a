/* SPDX-License-Identifier: MIT
 * The code of every row against exact comparison with every edge, by every kernel and for
 * several threads: on edges, next to them, outside, NaN. The counts of the codes are those
 * of cydp_histogram. */
#include "cydp.h"
#include "exact/bins.h"
#include "exact/dtype.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 150001, FEW = 3001, MOST = 300, GUARDS = 16, AXES = 3 };
static const uint32_t guard = 0x5a5a5a5a;
static uint32_t codes[ROWS + GUARDS];
static int64_t counts[MOST * MOST], counted[MOST * MOST];

static uint64_t random_bits(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

/* The bin of x by comparison with every edge, or `count`. */
static size_t bin_of(double x, const double *edges, size_t count) {
  size_t below = 0;
  for (size_t j = 0; j <= count; j++)
    below += j < count ? edges[j] <= x : edges[j] < x;
  return below == 0 || below > count ? count : below - 1;
}

static size_t bin_of_integer(int64_t x, const int64_t *edges, size_t count) {
  size_t below = 0;
  for (size_t j = 0; j <= count; j++)
    below += j < count ? edges[j] <= x : edges[j] < x;
  return below == 0 || below > count ? count : below - 1;
}

/* Demands these codes of every kernel, and no write behind the last row. */
static void check_codes(const cydp_axis *axes, size_t n_axes, size_t n, size_t cells,
                        const uint32_t *expected) {
  const cydp_exact_table *kernels;
  CHECK(cells <= MOST * MOST);
  for (size_t i = 0; (kernels = cydp_exact_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    for (unsigned threads = 1; threads <= 3; threads++) {
      memset(codes, 0x5a, sizeof codes);
      CHECK(cydp_histogram_codes(axes, n_axes, n, threads, codes) == CYDP_OK);
      CHECK(memcmp(codes, expected, n * sizeof *codes) == 0);
      for (size_t k = 0; k < GUARDS; k++)
        CHECK(codes[n + k] == guard);
    }
    memset(counts, 0, cells * sizeof *counts);
    memset(counted, 0, cells * sizeof *counted);
    CHECK(cydp_histogram(axes, n_axes, n, 1, counts) == CYDP_OK);
    for (size_t k = 0; k < n; k++)
      if (codes[k] < cells)
        counted[codes[k]]++;
    CHECK(memcmp(counts, counted, cells * sizeof *counts) == 0);
  }
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
}

/* Sets number i of a type, and returns it as a double. */
static double put(cydp_dtype dtype, void *column, size_t i, double x) {
  if (dtype == CYDP_F64)
    return ((double *)column)[i] = x;
  if (dtype == CYDP_F32)
    return (double)(((float *)column)[i] = (float)x);
  const double most = dtype == CYDP_I64 ? 0x1p62 : 0x1p30;
  x = isnan(x) ? 7 : x < -most ? -most : x > most ? most : floor(x);
  if (dtype == CYDP_I64)
    return (double)(((int64_t *)column)[i] = (int64_t)x);
  return ((int32_t *)column)[i] = (int32_t)x;
}

/* A share of the numbers lies on edges or next to them, or is special. */
static double draw(const double *edges, size_t count, double share) {
  const double special[] = {NAN, -NAN, INFINITY, -INFINITY, 0, -0.0, 1e30, -1e30, 5e-324};
  const double edge = edges[random_bits() % (count + 1)];
  if (uniform() >= share)
    return (uniform() * 1.2 - 0.1) * 120;
  switch (random_bits() % 4) {
  case 0:
    return edge;
  case 1:
    return nextafter(edge, INFINITY);
  case 2:
    return nextafter(edge, -INFINITY);
  default:
    return special[random_bits() % (sizeof special / sizeof *special)];
  }
}

static void set_edges(int shape, size_t count, double *edges) {
  double sum = 0;
  for (size_t j = 0; j <= count; j++) {
    sum += 0.01 + uniform();
    edges[j] = shape == 0   ? (double)j * 100 / (double)count
               : shape == 1 ? sum                                       /* irregular */
               : shape == 2 ? pow(1.1, (double)j) - 20                  /* powers */
               : shape == 3 ? (double)(j / 2)                           /* repeated */
               : shape == 4 ? (j < count ? (double)j * 0x1p-60 : 1e300) /* clustered */
                            : (double)(j * j);                          /* integers */
  }
  if (shape == 1) {
    edges[0] = -INFINITY;
    edges[count] = INFINITY;
  }
}

static void test_numbers_of_one_column(void) {
  static double edges[MOST + 1], column[ROWS];
  static uint32_t expected[ROWS];
  static const size_t sizes[] = {1, 10, 254, MOST};
  static const size_t lengths[] = {0, 1, 100, FEW, 20001, 32 * CYDP_INDEX_BATCH + 15};
  for (int shape = 0; shape < 6; shape++)
    for (size_t s = 0; s < 4; s++)
      for (cydp_dtype dtype = CYDP_F64; dtype <= CYDP_I32; dtype++) {
        const size_t count = sizes[s];
        cydp_bins *bins;
        set_edges(shape, count, edges);
        CHECK(cydp_bins_new(edges, count, &bins) == CYDP_OK);
        const cydp_axis axis = {bins, column, dtype};
        for (size_t k = 0; k < 6; k++) {
          const double share = k % 2 ? 0.02 : 0.9; /* few or most rows are in doubt */
          for (size_t i = 0; i < lengths[k]; i++)
            expected[i] = (uint32_t)bin_of(
                put(dtype, column, i, draw(edges, count, share)), edges, count);
          check_codes(&axis, 1, lengths[k], count, expected);
        }
        cydp_bins_free(bins);
      }
}

/* In doubt by turns: few rows, then nearly all, then few. More rows than a task has. */
static void test_many_rows_by_cells(void) {
  static double edges[101], column[ROWS];
  static uint32_t expected[ROWS];
  cydp_bins *bins;
  set_edges(1, 100, edges);
  CHECK(cydp_bins_new(edges, 100, &bins) == CYDP_OK);
  const cydp_axis axis = {bins, column, CYDP_F64};
  for (size_t i = 0; i < ROWS; i++) {
    column[i] = draw(edges, 100, i / 20000 % 2 ? 0.9 : 0.03);
    expected[i] = (uint32_t)bin_of(column[i], edges, 100);
  }
  check_codes(&axis, 1, ROWS, 100, expected);
  cydp_bins_free(bins);
}

static void test_integer_edges(void) {
  enum { COUNT = 5 };
  const int64_t first = (INT64_C(1) << 53) - 1;
  const int64_t edges[COUNT + 1] = {INT64_MIN, -3,        0,
                                    first,     first + 2, INT64_MAX};
  static int64_t column[FEW];
  static uint32_t expected[FEW];
  cydp_bins *bins;
  CHECK(cydp_bins_new_i64(edges, COUNT, &bins) == CYDP_OK);
  const cydp_axis axis = {bins, column, CYDP_I64}, wrong = {bins, column, CYDP_F64};
  for (size_t i = 0; i < FEW; i++) {
    column[i] = (int64_t)((uint64_t)edges[i % (COUNT + 1)] + i / (COUNT + 1) % 3 - 1);
    expected[i] = (uint32_t)bin_of_integer(column[i], edges, COUNT);
  }
  check_codes(&axis, 1, FEW, COUNT, expected);
  CHECK(cydp_histogram_codes(&wrong, 1, FEW, 1, codes) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_histogram_codes(&axis, 0, FEW, 1, codes) == CYDP_ERROR_DOMAIN);
  cydp_bins_free(bins);
}

static void test_several_columns(void) {
  static double edges[AXES][31], columns[AXES][20001];
  static uint32_t expected[20001];
  static const size_t sizes[AXES] = {30, 7, 11};
  static const cydp_dtype dtypes[AXES] = {CYDP_F64, CYDP_I32, CYDP_F32};
  enum { N = 20001 };
  cydp_axis axes[AXES];
  cydp_bins *bins[AXES];
  for (size_t c = 0; c < AXES; c++) {
    set_edges(c == 0 ? 0 : c == 1 ? 5 : 2, sizes[c], edges[c]);
    CHECK(cydp_bins_new(edges[c], sizes[c], &bins[c]) == CYDP_OK);
    axes[c] = (cydp_axis){bins[c], columns[c], dtypes[c]};
  }
  for (size_t n_axes = 1; n_axes <= AXES; n_axes++) {
    size_t cells = 1;
    for (size_t c = 0; c < n_axes; c++)
      cells *= sizes[c];
    for (size_t i = 0; i < N; i++) {
      size_t cell = 0;
      bool outside = false;
      for (size_t c = 0; c < n_axes; c++) {
        double x = put(dtypes[c], columns[c], i, draw(edges[c], sizes[c], 0.3));
        size_t bin = bin_of(x, edges[c], sizes[c]);
        outside |= bin == sizes[c];
        cell = cell * sizes[c] + bin;
      }
      expected[i] = (uint32_t)(outside ? cells : cell);
    }
    check_codes(axes, n_axes, N, cells, expected);
  }
  for (size_t c = 0; c < AXES; c++)
    cydp_bins_free(bins[c]);
}

static void test_cells_of_most_bins(void) {
  static double edges[(1 << 16) + 1], column[2] = {0, 1 << 16};
  cydp_bins *bins;
  for (size_t j = 0; j <= 1 << 16; j++)
    edges[j] = (double)j;
  CHECK(cydp_bins_new(edges, 1 << 16, &bins) == CYDP_OK);
  const cydp_axis axes[2] = {{bins, column, CYDP_F64}, {bins, column, CYDP_F64}};
  CHECK(cydp_histogram_codes(axes, 2, 2, 1, codes) == CYDP_ERROR_DOMAIN); /* 2^32 cells */
  CHECK(cydp_histogram_codes(axes, 1, 2, 1, codes) == CYDP_OK);
  CHECK(codes[0] == 0 && codes[1] == (1 << 16) - 1);
  cydp_bins_free(bins);
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  test_numbers_of_one_column();
  test_many_rows_by_cells();
  test_integer_edges();
  test_several_columns();
  test_cells_of_most_bins();
  return 0;
}
