/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "histogram.h"

#include <float.h>
#include <math.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The bin of x by exact comparison with every edge, or `bins`. */
static size_t bin(double x, const double *edges, size_t bins) {
  if (x == edges[bins])
    return bins - 1;
  for (size_t j = 0; j < bins; j++)
    if (edges[j] <= x && x < edges[j + 1])
      return j;
  return bins;
}

/* Every edge, its two neighbours and the middle of every bin. */
static void check_around_edges(const double *edges, size_t bins) {
  size_t n = 4 * bins + 3;
  double *x = malloc(n * sizeof *x);
  int64_t *counts = calloc(bins + 1, sizeof *counts);
  CHECK(x != NULL && counts != NULL);
  for (size_t j = 0; j <= bins; j++) {
    x[4 * j] = edges[j];
    x[4 * j + 1] = nextafter(edges[j], -INFINITY);
    x[4 * j + 2] = nextafter(edges[j], INFINITY);
    if (j < bins)
      x[4 * j + 3] = edges[j] / 2 + edges[j + 1] / 2;
  }
  CHECK(cydp_histogram_equal_f64(x, n, edges, bins, counts) == CYDP_OK);
  for (size_t i = 0; i < n; i++)
    counts[bin(x[i], edges, bins)]--;
  CHECK(counts[bins] == -2); /* the outer neighbours of the end edges */
  for (size_t j = 0; j < bins; j++)
    CHECK(counts[j] == 0);
  free(x);
  free(counts);
}

static void test_small_case(void) {
  const double edges[] = {0, 1, 2, 3};
  const double x[] = {-0.0, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3};
  int64_t counts[3] = {0};
  CHECK(cydp_histogram_equal_f64(x, LENGTH(x), edges, 3, counts) == CYDP_OK);
  CHECK(counts[0] == 3 && counts[1] == 2 && counts[2] == 4);
  CHECK(cydp_histogram_equal_f64(x, LENGTH(x), edges, 3, counts) == CYDP_OK);
  CHECK(counts[0] == 6 && counts[1] == 4 && counts[2] == 8); /* it adds */
}

static void test_outside_is_left_out(void) {
  const double edges[] = {0, 1, 2, 3};
  const double x[] = {NAN,      -NAN,    INFINITY,    -INFINITY, DBL_MAX,
                      -DBL_MAX, -5e-324, 3 + 0x1p-51, 3.4,       -0.4};
  int64_t counts[3] = {0};
  CHECK(cydp_histogram_equal_f64(x, LENGTH(x), edges, 3, counts) == CYDP_OK);
  CHECK(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
}

static void test_empty_and_one_bin(void) {
  const double edges[] = {-1, 1};
  int64_t count = 7;
  CHECK(cydp_histogram_equal_f64(NULL, 0, edges, 1, &count) == CYDP_OK);
  CHECK(count == 7);
  check_around_edges(edges, 1);
}

static void test_awkward_grids(void) {
  const struct {
    double lo, hi;
    size_t bins;
  } grids[] = {
      {0.1, 0.7, 6},           {-1.0 / 3, 1e9, 1000},
      {1e15, 1e15 + 1000, 97}, /* edges rounded to 1/8 */
      {-0x1p999, 0x1p999, 10}, /* the widest */
      {0, 0x1p-900, 3},        /* the narrowest */
  };
  for (size_t g = 0; g < LENGTH(grids); g++) {
    double edges[1001], lo = grids[g].lo, hi = grids[g].hi;
    size_t bins = grids[g].bins;
    for (size_t j = 0; j <= bins; j++)
      edges[j] = j < bins ? lo + (double)j * ((hi - lo) / (double)bins) : hi;
    check_around_edges(edges, bins);
  }
}

/* Inner edges as far from their positions as the contract allows. */
static void test_uneven_edges(void) {
  double edges[101];
  for (int j = 0; j <= 100; j++)
    edges[j] = j + (j % 100 == 0 ? 0 : j % 3 == 0 ? 0.1249 : j % 3 == 1 ? -0.1249 : 0);
  check_around_edges(edges, 100);
}

static void test_few_and_many_bins(void) {
  enum { MOST = CYDP_WAYS_BINS + 1 };
  static double edges[MOST + 1], x[MOST];
  static int64_t counts[MOST];
  for (int j = 0; j <= MOST; j++)
    edges[j] = j;
  for (int j = 0; j < MOST; j++)
    x[j] = j + 0.25;
  CHECK(cydp_histogram_equal_f64(x, MOST, edges, MOST - 1, counts) == CYDP_OK);
  CHECK(cydp_histogram_equal_f64(x, MOST, edges, MOST, counts) == CYDP_OK);
  for (int j = 0; j < MOST; j++)
    CHECK(counts[j] == (j < MOST - 1 ? 2 : 1));
}

static void test_flushes(void) {
  const double edges[] = {0, 1, 2, 3};
  const double x[] = {1, 1, 1, 1, 1, 0, 2, 1, 3, 1, NAN, 1, 5};
  for (size_t rows = 1; rows <= LENGTH(x) + 1; rows++) {
    int64_t counts[3] = {0};
    CHECK(cydp_histogram_equal(x, false, LENGTH(x), edges, 3, counts, rows) == CYDP_OK);
    CHECK(counts[0] == 1 && counts[1] == 8 && counts[2] == 2);
  }
  CHECK(CYDP_FLUSH_ROWS <= UINT32_MAX);
}

static void test_integers(void) {
  const double edges[] = {-2, -0.5, 1, 2.5, 4};
  const int64_t x[] = {-3, -2, -1, 0, 1, 2, 3, 4, 5, INT64_MIN, INT64_MAX};
  int64_t counts[4] = {0};
  CHECK(cydp_histogram_equal_i64(x, LENGTH(x), edges, 4, counts) == CYDP_OK);
  CHECK(counts[0] == 2 && counts[1] == 1 && counts[2] == 2 && counts[3] == 2);

  const double ends[] = {-0x1p63, 0x1p63}; /* INT64_MAX rounds to the upper one */
  int64_t all = 0;
  CHECK(cydp_histogram_equal_i64(x, LENGTH(x), ends, 1, &all) == CYDP_OK);
  CHECK(all == LENGTH(x));
}

static void test_domain(void) {
  const double wrong[][2] = {{0, 0},        {1, 0},   {0, 0x1p-901},       {0, 0x1p1001},
                             {0, INFINITY}, {NAN, 1}, {-DBL_MAX, DBL_MAX}, {0, NAN}};
  const double edges[] = {0, 1};
  const double x = 0.5;
  int64_t count = 0;
  for (size_t i = 0; i < LENGTH(wrong); i++)
    CHECK(cydp_histogram_equal_f64(&x, 1, wrong[i], 1, &count) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_histogram_equal_f64(&x, 1, edges, 0, &count) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_histogram_equal_f64(&x, 1, edges, ((size_t)1 << 32) + 1, &count) ==
        CYDP_ERROR_DOMAIN);
  CHECK(count == 0);
}

/* Edges against the contract: any counts, but no access outside. */
static void test_broken_edges(void) {
  const double edges[] = {0, NAN, -INFINITY, 1e300, 1};
  const double x[] = {-1, 0, 0.3, 0.5, 0.7, 1, 2, NAN, INFINITY, -INFINITY, 1e300};
  int64_t counts[4] = {0};
  CHECK(cydp_histogram_equal_f64(x, LENGTH(x), edges, 4, counts) == CYDP_OK);
  CHECK(counts[0] + counts[1] + counts[2] + counts[3] <= (int64_t)LENGTH(x));
}

int main(void) {
  test_small_case();
  test_outside_is_left_out();
  test_empty_and_one_bin();
  test_awkward_grids();
  test_uneven_edges();
  test_few_and_many_bins();
  test_flushes();
  test_integers();
  test_domain();
  test_broken_edges();
  return 0;
}
