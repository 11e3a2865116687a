/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "histogram.h"

#include <float.h>
#include <math.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void test_small_case(void) {
  const double edges[] = {-1, 0, 0.1, 5};
  const double x[] = {-1,  -0.5, -5e-324, -0.0, 0, 0x1.999999999999p-4, /* below 0.1 */
                      0.1, 4,    5,       5,    5};
  int64_t counts[3] = {0};
  CHECK(cydp_histogram_edges_f64(x, LENGTH(x), edges, 3, counts) == CYDP_OK);
  CHECK(counts[0] == 3 && counts[1] == 3 && counts[2] == 5);
  CHECK(cydp_histogram_edges_f64(x, LENGTH(x), edges, 3, counts) == CYDP_OK);
  CHECK(counts[0] == 6 && counts[1] == 6 && counts[2] == 10); /* it adds */
}

static void test_outside_is_left_out(void) {
  const double edges[] = {0, 1, 3};
  const double x[] = {NAN,      -NAN,    INFINITY,    -INFINITY, DBL_MAX,
                      -DBL_MAX, -5e-324, 3 + 0x1p-51, 4,         -1};
  int64_t counts[2] = {0};
  CHECK(cydp_histogram_edges_f64(x, LENGTH(x), edges, 2, counts) == CYDP_OK);
  CHECK(counts[0] == 0 && counts[1] == 0);
}

static void test_infinite_edges(void) {
  const double edges[] = {-INFINITY, 0, INFINITY};
  const double x[] = {NAN, -NAN, -INFINITY, -DBL_MAX, -5e-324, 0, DBL_MAX, INFINITY};
  int64_t counts[2] = {0};
  CHECK(cydp_histogram_edges_f64(x, LENGTH(x), edges, 2, counts) == CYDP_OK);
  CHECK(counts[0] == 3 && counts[1] == 3);
}

/* A bin between equal edges is empty; the last one holds its single point. */
static void test_repeated_edges(void) {
  const double edges[] = {0, 0, 1, 1, 1, 2, 2};
  const double x[] = {-1, 0, 0, 0.5, 1, 1.5, 2, 2, 2, 3};
  int64_t counts[6] = {0};
  CHECK(cydp_histogram_edges_f64(x, LENGTH(x), edges, 6, counts) == CYDP_OK);
  CHECK(counts[0] == 0 && counts[1] == 3 && counts[2] == 0);
  CHECK(counts[3] == 0 && counts[4] == 2 && counts[5] == 3);

  const double point[] = {1, 1};
  int64_t count = 0;
  CHECK(cydp_histogram_edges_f64(x, LENGTH(x), point, 1, &count) == CYDP_OK);
  CHECK(count == 1);
}

static void test_integers(void) {
  const int64_t edges[] = {INT64_MIN, -1, 0, 10, INT64_MAX};
  const int64_t x[] = {INT64_MIN, INT64_MIN + 1, -2,       -1, 0, 9, 10,
                       11,        INT64_MAX - 1, INT64_MAX};
  int64_t counts[4] = {0};
  CHECK(cydp_histogram_edges_i64(x, LENGTH(x), edges, 4, counts) == CYDP_OK);
  CHECK(counts[0] == 3 && counts[1] == 1 && counts[2] == 2 && counts[3] == 4);

  /* 2^53 + 1 and its neighbours are one double, but three integers. */
  const int64_t big = INT64_C(1) << 53, near[] = {big, big + 1, big + 2};
  int64_t two[2] = {0};
  CHECK(cydp_histogram_edges_i64(near, 3, near, 2, two) == CYDP_OK);
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
    CHECK(cydp_histogram_edges_f64(x, n, edges, bins, counts) == CYDP_OK);
    CHECK(cydp_histogram_edges_i64(integers, n, integer_edges, bins, integer_counts) ==
          CYDP_OK);
    for (size_t j = 0; j < bins; j++) {
      CHECK(counts[j] == (j + 1 < bins ? 2 : 3));
      CHECK(integer_counts[j] == counts[j]);
    }
  }
}

static void test_few_and_many_bins(void) {
  enum { MOST = CYDP_WAYS_BINS + 1 };
  static double edges[MOST + 1], x[MOST];
  static int64_t counts[MOST];
  for (int j = 0; j <= MOST; j++)
    edges[j] = j;
  for (int j = 0; j < MOST; j++)
    x[j] = j + 0.25;
  CHECK(cydp_histogram_edges_f64(x, MOST, edges, MOST - 1, counts) == CYDP_OK);
  CHECK(cydp_histogram_edges_f64(x, MOST, edges, MOST, counts) == CYDP_OK);
  for (int j = 0; j < MOST; j++)
    CHECK(counts[j] == (j < MOST - 1 ? 2 : 1));
}

static void test_flushes(void) {
  const double edges[] = {0, 1, 2, 3};
  const int64_t integer_edges[] = {0, 1, 2, 3};
  const double x[] = {1, 1, 1, 1, 1, 0, 2, 1, 3, 1, 9, 1, 5, 1, 1, 1, 1, 1, -1, 3};
  int64_t integers[LENGTH(x)];
  for (size_t i = 0; i < LENGTH(x); i++)
    integers[i] = (int64_t)x[i];
  for (size_t rows = 1; rows <= LENGTH(x) + 1; rows++) {
    int64_t counts[3] = {0};
    CHECK(cydp_histogram_edges(x, false, LENGTH(x), edges, 3, counts, rows) == CYDP_OK);
    CHECK(counts[0] == 1 && counts[1] == 13 && counts[2] == 3);
    CHECK(cydp_histogram_edges(integers, true, LENGTH(x), integer_edges, 3, counts,
                               rows) == CYDP_OK);
    CHECK(counts[0] == 2 && counts[1] == 26 && counts[2] == 6);
  }
  CHECK(CYDP_FLUSH_ROWS <= UINT32_MAX);
}

static void test_empty_and_domain(void) {
  const double edges[] = {0, 1};
  const int64_t integer_edges[] = {0, 1};
  int64_t count = 7;
  CHECK(cydp_histogram_edges_f64(NULL, 0, edges, 1, &count) == CYDP_OK);
  CHECK(cydp_histogram_edges_i64(NULL, 0, integer_edges, 1, &count) == CYDP_OK);
  CHECK(cydp_histogram_edges_f64(NULL, 0, edges, 0, &count) == CYDP_ERROR_DOMAIN);
  CHECK(count == 7);
}

int main(void) {
  test_small_case();
  test_outside_is_left_out();
  test_infinite_edges();
  test_repeated_edges();
  test_integers();
  test_every_number_of_bins();
  test_few_and_many_bins();
  test_flushes();
  test_empty_and_domain();
  return 0;
}
