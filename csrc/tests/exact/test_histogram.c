/* SPDX-License-Identifier: MIT */
#include "cydp.h"
#include "exact/bins.h"
#include "exact/cell_table.h"
#include "exact/count_table.h"
#include "exact/dtype.h"
#include "exact/histogram.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Counts the rows so often that cell tables are used, by every kernel table: each row
 * counts as often. */
static void check_many_rows(const cydp_axis *axis, size_t n, const int64_t *once,
                            size_t size, size_t flush_rows) {
  size_t bytes = n * cydp_dtype_bytes(axis->dtype),
         copies = CYDP_CELLS_LEAST_ROWS / n + 1;
  char *x = malloc(copies * bytes);
  int64_t *counts = malloc(size * sizeof *counts);
  CHECK(x != NULL && counts != NULL);
  for (size_t i = 0; i < copies; i++)
    memcpy(x + i * bytes, axis->x, bytes);
  const cydp_axis many = {axis->bins, x, axis->dtype};
  const cydp_exact_table *kernels;
  for (size_t i = 0; (kernels = cydp_exact_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    memset(counts, 0, size * sizeof *counts);
    CHECK(cydp_histogram_flushing(&many, 1, copies * n, flush_rows, 1, counts) ==
          CYDP_OK);
    for (size_t j = 0; j < size; j++)
      CHECK(counts[j] == once[j] * (int64_t)copies);
  }
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
  free(counts);
  free(x);
}

/* Counts by every kernel table, flushing so often; all must agree. Adds to counts. */
static void count(const cydp_axis *axes, size_t n_axes, size_t n, int64_t *counts,
                  size_t size, size_t flush_rows) {
  int64_t *again = malloc(size * sizeof *again);
  CHECK(again != NULL);
  const cydp_exact_table *kernels;
  for (size_t i = 1; (kernels = cydp_exact_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    memcpy(again, counts, size * sizeof *again);
    CHECK(cydp_histogram_flushing(axes, n_axes, n, flush_rows, 1, again) == CYDP_OK);
    CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
    int64_t *best = malloc(size * sizeof *best);
    CHECK(best != NULL);
    memcpy(best, counts, size * sizeof *best);
    CHECK(cydp_histogram_flushing(axes, n_axes, n, flush_rows, 2, best) == CYDP_OK);
    CHECK(memcmp(best, again, size * sizeof *best) == 0);
    free(best);
  }
  if (n_axes == 1) {
    memset(again, 0, size * sizeof *again);
    CHECK(cydp_histogram_flushing(axes, 1, n, flush_rows, 1, again) == CYDP_OK);
    check_many_rows(axes, n, again, size, flush_rows);
  }
  CHECK(cydp_histogram_flushing(axes, n_axes, n, flush_rows, 3, counts) == CYDP_OK);
  free(again);
}

static void count_f64(const double *x, size_t n, const double *edges, size_t size,
                      int64_t *counts) {
  cydp_bins *bins;
  CHECK(cydp_bins_new(edges, size, &bins) == CYDP_OK);
  const cydp_axis axis = {bins, x, CYDP_F64};
  count(&axis, 1, n, counts, size, CYDP_FLUSH_ROWS);
  cydp_bins_free(bins);
}

static void count_i64(const int64_t *x, size_t n, const int64_t *edges, size_t size,
                      int64_t *counts) {
  cydp_bins *bins;
  CHECK(cydp_bins_new_i64(edges, size, &bins) == CYDP_OK);
  const cydp_axis axis = {bins, x, CYDP_I64};
  count(&axis, 1, n, counts, size, CYDP_FLUSH_ROWS);
  cydp_bins_free(bins);
}

static cydp_index_method way_of(const double *edges, size_t size) {
  cydp_bins *bins;
  CHECK(cydp_bins_new(edges, size, &bins) == CYDP_OK);
  cydp_index_method way = bins->method;
  cydp_bins_free(bins);
  return way;
}

/* The bin of x by exact comparison with every edge, or `size`. */
static size_t bin(double x, const double *edges, size_t size) {
  if (x == edges[size]) /* the last bin is closed, but equal edges before it are not */
    for (size_t j = size; j-- > 0;)
      if (edges[j] <= x && (edges[j] < edges[j + 1] || j == size - 1))
        return j;
  for (size_t j = 0; j < size; j++)
    if (edges[j] <= x && x < edges[j + 1])
      return j;
  return size;
}

/* Every edge, its two neighbours, the middle of every bin, and what is special. */
static void check_around_edges(const double *edges, size_t size) {
  const double special[] = {NAN,  -NAN,    INFINITY, -INFINITY, 0,
                            -0.0, DBL_MAX, -DBL_MAX, 5e-324};
  size_t n = 4 * size + 3;
  double *x = malloc((n + LENGTH(special)) * sizeof *x);
  int64_t *counts = calloc(size + 1, sizeof *counts);
  CHECK(x != NULL && counts != NULL);
  for (size_t j = 0; j <= size; j++) {
    x[4 * j] = edges[j];
    x[4 * j + 1] = nextafter(edges[j], -INFINITY);
    x[4 * j + 2] = nextafter(edges[j], INFINITY);
    if (j < size)
      x[4 * j + 3] = edges[j] / 2 + edges[j + 1] / 2;
  }
  memcpy(x + n, special, sizeof special);
  n += LENGTH(special);
  count_f64(x, n, edges, size, counts);
  for (size_t i = 0; i < n; i++)
    counts[bin(x[i], edges, size)]--;
  for (size_t j = 0; j < size; j++)
    CHECK(counts[j] == 0);
  free(x);
  free(counts);
}

static void test_small_case(void) {
  const double edges[] = {-1, 0, 0.1, 5};
  const double x[] = {-1,  -0.5, -5e-324, -0.0, 0, 0x1.999999999999p-4, /* below 0.1 */
                      0.1, 4,    5,       5,    5};
  int64_t counts[3] = {0};
  count_f64(x, LENGTH(x), edges, 3, counts);
  CHECK(counts[0] == 3 && counts[1] == 3 && counts[2] == 5);
  count_f64(x, LENGTH(x), edges, 3, counts);
  CHECK(counts[0] == 6 && counts[1] == 6 && counts[2] == 10); /* it adds */
}

static void test_outside_is_left_out(void) {
  const double edges[] = {0, 1, 3};
  const double x[] = {NAN,      -NAN,    INFINITY,    -INFINITY, DBL_MAX,
                      -DBL_MAX, -5e-324, 3 + 0x1p-51, 4,         -1};
  int64_t counts[2] = {0};
  count_f64(x, LENGTH(x), edges, 2, counts);
  CHECK(counts[0] == 0 && counts[1] == 0);
}

static void test_infinite_edges(void) {
  const double edges[] = {-INFINITY, 0, INFINITY};
  const double x[] = {NAN, -NAN, -INFINITY, -DBL_MAX, -5e-324, 0, DBL_MAX, INFINITY};
  int64_t counts[2] = {0};
  count_f64(x, LENGTH(x), edges, 2, counts);
  CHECK(counts[0] == 3 && counts[1] == 3);
}

/* A bin between equal edges is empty; the last one holds its single point. */
static void test_repeated_edges(void) {
  const double edges[] = {0, 0, 1, 1, 1, 2, 2};
  const double x[] = {-1, 0, 0, 0.5, 1, 1.5, 2, 2, 2, 3};
  int64_t counts[6] = {0};
  count_f64(x, LENGTH(x), edges, 6, counts);
  CHECK(counts[0] == 0 && counts[1] == 3 && counts[2] == 0);
  CHECK(counts[3] == 0 && counts[4] == 2 && counts[5] == 3);

  const double point[] = {1, 1};
  int64_t count = 0;
  count_f64(x, LENGTH(x), point, 1, &count);
  CHECK(count == 1);
}

static void test_integers(void) {
  const int64_t edges[] = {INT64_MIN, -1, 0, 10, INT64_MAX};
  const int64_t x[] = {INT64_MIN, INT64_MIN + 1, -2,       -1, 0, 9, 10,
                       11,        INT64_MAX - 1, INT64_MAX};
  int64_t counts[4] = {0};
  count_i64(x, LENGTH(x), edges, 4, counts);
  CHECK(counts[0] == 3 && counts[1] == 1 && counts[2] == 2 && counts[3] == 4);

  /* 2^53 + 1 and its neighbours are one double, but three integers. */
  const int64_t big = INT64_C(1) << 53, near[] = {big, big + 1, big + 2};
  int64_t two[2] = {0};
  count_i64(near, 3, near, 2, two);
  CHECK(two[0] == 1 && two[1] == 2);
}

/* Every shape of the search: rows on each edge and just above it. */
static void test_every_number_of_bins(void) {
  enum { MOST = 70 };
  double edges[MOST + 1], x[2 * MOST + 3];
  int64_t integer_edges[MOST + 1], integers[2 * MOST + 3];
  for (int j = 0; j <= MOST; j++) {
    integer_edges[j] = 2 * j * j;
    edges[j] = (double)integer_edges[j];
  }
  for (size_t bins = 1; bins <= MOST; bins++) {
    int64_t counts[MOST] = {0}, integer_counts[MOST] = {0};
    size_t n = 0;
    integers[n++] = -1;
    for (size_t j = 0; j <= bins; j++) {
      integers[n++] = integer_edges[j];
      integers[n++] = integer_edges[j] + 1;
    }
    for (size_t i = 0; i < n; i++)
      x[i] = (double)integers[i];
    count_f64(x, n, edges, bins, counts);
    count_i64(integers, n, integer_edges, bins, integer_counts);
    for (size_t j = 0; j < bins; j++) {
      CHECK(counts[j] == (j + 1 < bins ? 2 : 3));
      CHECK(integer_counts[j] == counts[j]);
    }
  }
}

static void test_few_and_many_bins(void) {
  enum { MOST = CYDP_WAYS_SIZE + 1 };
  static double edges[MOST + 1], x[MOST];
  static int64_t counts[MOST];
  for (int j = 0; j <= MOST; j++)
    edges[j] = j;
  for (int j = 0; j < MOST; j++)
    x[j] = j + 0.25;
  const size_t sizes[] = {CYDP_SEVERAL_SIZE, CYDP_SEVERAL_SIZE + 1, MOST - 1, MOST};
  for (size_t k = 0; k < LENGTH(sizes); k++) {
    memset(counts, 0, sizeof counts);
    count_f64(x, MOST, edges, sizes[k], counts);
    for (size_t j = 0; j < MOST; j++)
      CHECK(counts[j] == (j < sizes[k]));
  }
}

static void test_flushes(void) {
  const double edges[] = {0, 1, 2, 3}, uneven[] = {0, 1, 2.25, 3};
  const double x[] = {1, 1, 1, 1, 1, 0, 2, 1, 3, 1, NAN, 1, 5, 1, 1, 1, 1, 1, -1, 3};
  for (size_t rows = 1; rows <= LENGTH(x) + 1; rows++)
    for (int run = 0; run < 2; run++) {
      cydp_bins *bins;
      int64_t counts[3] = {0};
      CHECK(cydp_bins_new(run ? uneven : edges, 3, &bins) == CYDP_OK);
      const cydp_axis axis = {bins, x, CYDP_F64};
      count(&axis, 1, LENGTH(x), counts, 3, rows);
      CHECK(counts[0] == 1 && counts[1] == 13 + run && counts[2] == 3 - run);
      cydp_bins_free(bins);
    }
  CHECK(CYDP_FLUSH_ROWS <= UINT32_MAX);
}

static void test_even_edges(void) {
  const struct {
    double lo, hi;
    size_t bins;
  } grids[] = {
      {0.1, 0.7, 6},     {-1.0 / 3, 1e9, 1000},   {1e15, 1e15 + 1000, 97},
      {-1, 2, 7},        {-0x1p999, 0x1p999, 10}, {0, 0x1p-900, 3},
      {0, 0x1p-1060, 3}, {-DBL_MAX, DBL_MAX, 4},
  };
  for (size_t g = 0; g < LENGTH(grids); g++)
    for (int single = 0; single < 2; single++) {
      double edges[1001], lo = grids[g].lo, hi = grids[g].hi;
      size_t bins = grids[g].bins;
      for (size_t j = 0; j <= bins; j++) {
        edges[j] = j < bins ? lo + (double)j * ((hi - lo) / (double)bins) : hi;
        if (single && g < 4)
          edges[j] = (double)(float)edges[j];
      }
      if (g == 3 || (g < 6 && !single))
        CHECK(way_of(edges, bins) == CYDP_EVEN);
      if (isfinite(hi - lo))
        check_around_edges(edges, bins);
    }
}

/* Inner edges off their places: no longer computed, but looked up. */
static void test_nearly_even_edges(void) {
  double edges[101];
  for (int j = 0; j <= 100; j++)
    edges[j] = j + (j % 100 == 0 ? 0 : j % 3 == 0 ? 0.1249 : j % 3 == 1 ? -0.1249 : 0);
  CHECK(way_of(edges, 100) == CYDP_BUCKETS);
  check_around_edges(edges, 100);
}

/* Clusters, rising powers, repeated edges, subnormal ones, infinite ones. */
static void test_uneven_edges(void) {
  double edges[101];
  for (int j = 0; j <= 100; j++)
    edges[j] = pow(1.3, j);
  CHECK(way_of(edges, 100) == CYDP_KEY_BUCKETS);
  check_around_edges(edges, 100);
  edges[100] = INFINITY;
  CHECK(way_of(edges, 100) == CYDP_KEY_BUCKETS);
  check_around_edges(edges, 100);
  for (int j = 0; j <= 100; j++)
    edges[j] = j < 50 ? 1 + j * 0x1p-52 : j < 80 ? 1e10 + j * 0x1p-10 : 1e300 + j * 1e290;
  CHECK(way_of(edges, 100) == CYDP_SEARCH);
  check_around_edges(edges, 100);
  for (int j = 0; j <= 100; j++)
    edges[j] = j * 5e-324 * (1 + j % 2) + (j % 2 ? 0 : 5e-324 * j);
  for (int j = 1; j <= 100; j++)
    edges[j] = edges[j] < edges[j - 1] ? edges[j - 1] : edges[j];
  check_around_edges(edges, 100);
  for (int j = 0; j <= 100; j++)
    edges[j] = j / 3 - 10;
  check_around_edges(edges, 100);
  for (int j = 0; j <= 100; j++)
    edges[j] = j / 20;
  CHECK(way_of(edges, 100) == CYDP_SEARCH);
  check_around_edges(edges, 100);
  for (int j = 0; j <= 100; j++)
    edges[j] = j == 0 ? -INFINITY : j == 100 ? INFINITY : j + 0.3 * (j % 4);
  CHECK(way_of(edges, 100) == CYDP_BUCKETS);
  check_around_edges(edges, 100);
}

/* The other types give what their values give as doubles. */
static void test_types(void) {
  enum { ROWS = 1003 };
  static double doubles[ROWS];
  static float floats[ROWS];
  static int64_t longs[ROWS];
  static int32_t ints[ROWS];
  const double even[] = {-100, 0, 100, 200, 300};
  const double cells[] = {-99.5, 0, 17, 17.25, 300};
  const double searched[] = {0, 0, 0, 0, 0, 1e9, 1e9};
  const struct {
    const double *edges;
    size_t bins;
  } cases[] = {{even, 4}, {cells, 4}, {searched, 6}};
  for (int i = 0; i < ROWS; i++)
    ints[i] = i < 500    ? i - 120
              : i < 1000 ? (int32_t)((uint32_t)i * 2654435761U)
                         : INT32_MIN;
  for (size_t c = 0; c < LENGTH(cases); c++)
    for (cydp_dtype dtype = CYDP_F64; dtype <= CYDP_I32; dtype++) {
      for (int i = 0; i < ROWS; i++) {
        longs[i] =
            dtype == CYDP_I64 ? ints[i] * INT64_C(4294967291) >> (i % 50) : ints[i];
        floats[i] = (float)ints[i] / (i % 2 ? 1 : 64);
        doubles[i] = dtype == CYDP_F32   ? (double)floats[i]
                     : dtype == CYDP_I64 ? (double)longs[i]
                                         : ints[i];
      }
      const void *x[] = {doubles, floats, longs, ints};
      int64_t counts[6] = {0};
      cydp_bins *bins;
      CHECK(cydp_bins_new(cases[c].edges, cases[c].bins, &bins) == CYDP_OK);
      const cydp_axis axis = {bins, x[dtype], dtype};
      count(&axis, 1, ROWS, counts, cases[c].bins, CYDP_FLUSH_ROWS);
      for (int i = 0; i < ROWS; i++) {
        size_t j = bin(doubles[i], cases[c].edges, cases[c].bins);
        if (j < cases[c].bins)
          counts[j]--;
      }
      for (size_t j = 0; j < cases[c].bins; j++)
        CHECK(counts[j] == 0);
      cydp_bins_free(bins);
    }
}

/* Every int64 that rounds awkwardly to double, as the compiler rounds it. */
static void test_rounding_of_integers(void) {
  enum { ROWS = 64 * 10 };
  int64_t x[ROWS];
  for (int i = 0; i < ROWS; i++) {
    int64_t power = (int64_t)(UINT64_C(1) << (i / 10));
    int64_t off[] = {0,   1,   -1,  power >> 53, power >> 54, 3, -(power >> 54),
                     511, 513, -512};
    x[i] = (int64_t)((uint64_t)power + (uint64_t)off[i % 10]);
  }
  for (int i = 0; i < ROWS; i++) {
    double here = (double)x[i];
    const double edges[] = {nextafter(here, -INFINITY), here, nextafter(here, INFINITY),
                            nextafter(here, INFINITY) * 4 + 1e30};
    int64_t counts[3] = {0};
    cydp_bins *bins;
    CHECK(cydp_bins_new(edges, 3, &bins) == CYDP_OK);
    int64_t same[8] = {x[i], x[i], x[i], x[i], x[i], x[i], x[i], x[i]};
    const cydp_axis axis = {bins, same, CYDP_I64};
    count(&axis, 1, 8, counts, 3, CYDP_FLUSH_ROWS);
    CHECK(counts[0] == 0 && counts[1] == 8 && counts[2] == 0);
    cydp_bins_free(bins);
  }
}

static void test_several_columns(void) {
  enum { ROWS = 2000 };
  static double x[ROWS];
  static int32_t y[ROWS];
  static float z[ROWS];
  const double edges_x[] = {0, 1, 2, 3}, edges_y[] = {0, 1, 5},
               edges_z[] = {-1, 0, 1, 2, 9};
  int64_t counts[3 * 2 * 4] = {0}, expected[3 * 2 * 4] = {0};
  cydp_bins *bins[3];
  CHECK(cydp_bins_new(edges_x, 3, &bins[0]) == CYDP_OK);
  CHECK(cydp_bins_new(edges_y, 2, &bins[1]) == CYDP_OK);
  CHECK(cydp_bins_new(edges_z, 4, &bins[2]) == CYDP_OK);
  for (int i = 0; i < ROWS; i++) {
    x[i] = i % 37 == 0 ? (double)NAN : (i % 17) * 0.25 - 0.5;
    y[i] = i % 11 - 2;
    z[i] = (float)(i % 29) / 2 - 2;
    size_t a = bin(x[i], edges_x, 3), b = bin(y[i], edges_y, 2);
    size_t c = bin((double)z[i], edges_z, 4);
    if (a < 3 && b < 2 && c < 4)
      expected[(a * 2 + b) * 4 + c]++;
  }
  const cydp_axis axes[] = {
      {bins[0], x, CYDP_F64}, {bins[1], y, CYDP_I32}, {bins[2], z, CYDP_F32}};
  count(axes, 3, ROWS, counts, LENGTH(counts), 100);
  CHECK(memcmp(counts, expected, sizeof counts) == 0);
  for (int i = 0; i < 3; i++)
    cydp_bins_free(bins[i]);
}

/* Codes of every type, below, among and above the codes that are counted, alone and with a
 * column of numbers. */
static void test_codes(void) {
  enum { ROWS = 3001, CODES = 100 };
  static int8_t codes[ROWS * 8];
  static double x[ROWS];
  const double edges[] = {0, 1, 5};
  cydp_bins *of_codes, *of_x;
  CHECK(cydp_bins_of_codes(CODES, &of_codes) == CYDP_OK);
  CHECK(cydp_bins_new(edges, 2, &of_x) == CYDP_OK);
  for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_U8; dtype++) {
    const size_t bytes = cydp_dtype_bytes(dtype);
    int64_t alone[CODES] = {0}, both[CODES * 2] = {0};
    int64_t counts[CODES] = {0}, counts_of_both[CODES * 2] = {0};
    for (int i = 0; i < ROWS; i++) {
      const int64_t code = i * 7 % 128 - 14; /* in little-endian bytes of any type */
      memcpy((char *)codes + (size_t)i * bytes, &code, bytes);
      x[i] = i % 11 - 3;
      const size_t b = bin(x[i], edges, 2);
      if (code >= 0 && code < CODES) {
        alone[code]++;
        if (b < 2)
          both[code * 2 + (int64_t)b]++;
      }
    }
    const cydp_axis axes[] = {{of_codes, codes, dtype}, {of_x, x, CYDP_F64}};
    count(axes, 1, ROWS, counts, CODES, 100);
    count(axes, 2, ROWS, counts_of_both, LENGTH(counts_of_both), 100);
    CHECK(memcmp(counts, alone, sizeof alone) == 0);
    CHECK(memcmp(counts_of_both, both, sizeof both) == 0);
  }
  int64_t counts[CODES];
  const cydp_axis numbers = {of_codes, x, CYDP_F64};
  CHECK(cydp_histogram(&numbers, 1, ROWS, 1, counts) == CYDP_ERROR_DOMAIN);
  cydp_bins_free(of_x);
  cydp_bins_free(of_codes);
  CHECK(cydp_bins_of_codes(0, &of_codes) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bins_of_codes(CYDP_MOST_BINS + 1, &of_codes) == CYDP_ERROR_DOMAIN);
}

/* More rows than one task has. */
static void test_threads(void) {
  enum { ROWS = 300001 };
  double *x = malloc(ROWS * sizeof *x);
  CHECK(x != NULL);
  for (int i = 0; i < ROWS; i++)
    x[i] = (i % 1000) * 0.01;
  const double edges[] = {0, 2.5, 5};
  cydp_bins *bins;
  CHECK(cydp_bins_new(edges, 2, &bins) == CYDP_OK);
  const cydp_axis axis = {bins, x, CYDP_F64};
  int64_t one[2] = {0};
  CHECK(cydp_histogram(&axis, 1, ROWS, 1, one) == CYDP_OK && one[0] > 0 && one[1] > 0);
  for (unsigned threads = 2; threads <= 16; threads++) {
    int64_t counts[2] = {0};
    CHECK(cydp_histogram(&axis, 1, ROWS, threads, counts) == CYDP_OK);
    CHECK(counts[0] == one[0] && counts[1] == one[1]);
  }
  cydp_bins_free(bins);
  free(x);
}

static void test_empty_and_domain(void) {
  const double edges[] = {0, 1};
  const int64_t integer_edges[] = {0, 1};
  int64_t count = 7;
  cydp_bins *bins = NULL, *integers = NULL;
  CHECK(cydp_bins_new(edges, 0, &bins) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bins_new(edges, CYDP_MOST_BINS + 1, &bins) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bins_new((double[]){0, 2, 1}, 2, &bins) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bins_new((double[]){0, NAN}, 1, &bins) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bins_new((double[]){0, NAN, 1, 2}, 3, &bins) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bins_new_i64((int64_t[]){0, 2, 1}, 2, &bins) == CYDP_ERROR_DOMAIN);
  CHECK(bins == NULL);
  cydp_bins_free(bins);
  CHECK(cydp_bins_new(edges, 1, &bins) == CYDP_OK);
  CHECK(cydp_bins_new_i64(integer_edges, 1, &integers) == CYDP_OK);
  cydp_axis axis = {bins, NULL, CYDP_F64};
  CHECK(cydp_histogram(&axis, 1, 0, 1, &count) == CYDP_OK && count == 7);
  CHECK(cydp_histogram(&axis, 0, 0, 1, &count) == CYDP_ERROR_DOMAIN);
  axis.dtype = CYDP_I16;
  CHECK(cydp_histogram(&axis, 1, 0, 1, &count) == CYDP_ERROR_DOMAIN);
  axis = (cydp_axis){integers, NULL, CYDP_F64};
  CHECK(cydp_histogram(&axis, 1, 0, 1, &count) == CYDP_ERROR_DOMAIN);
  axis.dtype = CYDP_I64;
  CHECK(cydp_histogram(&axis, 1, 0, 1, &count) == CYDP_OK && count == 7);
  cydp_bins_free(integers);
  cydp_bins_free(bins);

  static double many[1 << 16];
  for (int j = 0; j < 1 << 16; j++)
    many[j] = j;
  CHECK(cydp_bins_new(many, (1 << 16) - 1, &bins) == CYDP_OK);
  const cydp_axis axes[] = {{bins, NULL, CYDP_F64}, {bins, NULL, CYDP_F64}};
  CHECK(cydp_histogram(axes, 2, 0, 1, &count) == CYDP_ERROR_DOMAIN);
  cydp_bins_free(bins);
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  test_small_case();
  test_outside_is_left_out();
  test_infinite_edges();
  test_repeated_edges();
  test_integers();
  test_every_number_of_bins();
  test_few_and_many_bins();
  test_flushes();
  test_even_edges();
  test_nearly_even_edges();
  test_uneven_edges();
  test_types();
  test_rounding_of_integers();
  test_several_columns();
  test_codes();
  test_threads();
  test_empty_and_domain();
  return 0;
}
