/* SPDX-License-Identifier: MIT
 * Cell tables against exact comparison with every edge, at numbers in every cell, on
 * edges and next to them, by every kernel. A table with one wrong byte is rejected. */
#include "cydp.h"
#include "exact/bins.h"
#include "exact/cell_table.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROBES = 3 * CYDP_CELLS + 4 * CYDP_CELLS_MOST_BINS + 64 };

typedef struct probes {
  double x[MOST_PROBES];
  uint8_t index[MOST_PROBES]; /* by comparison */
  uint32_t cell[MOST_PROBES];
  size_t n;
} probes;
static probes all;

/* By comparison with every edge: the last counts below x only. */
static uint8_t index_of(double x, const double *edges, size_t count) {
  size_t index = 0;
  for (size_t j = 0; j < count; j++)
    index += edges[j] <= x;
  index += edges[count] < x;
  return (uint8_t)(index ? index : count + 1);
}

static void put(double x, const double *edges, size_t count) {
  CHECK(all.n < MOST_PROBES);
  all.index[all.n] = index_of(x, edges, count);
  all.x[all.n++] = x;
}

static double of_upper(int64_t upper) {
  uint64_t bits = (uint64_t)(uint32_t)(upper < 0 ? upper ^ INT32_MAX : upper) << 32;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Sets numbers on edges, next to them, special ones, and three of each cell. */
static void probe(const cydp_cells *cells, const double *edges, size_t count) {
  const double special[] = {NAN,     -NAN,     INFINITY,  -INFINITY, 0,
                            -0.0,    DBL_MAX,  -DBL_MAX,  5e-324,    -5e-324,
                            DBL_MIN, -DBL_MIN, -0x1p-1023};
  all.n = 0;
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    put(special[i], edges, count);
  for (size_t j = 0; j <= count; j++) {
    put(edges[j], edges, count);
    put(-edges[j], edges, count);
    put(nextafter(edges[j], INFINITY), edges, count);
    put(nextafter(edges[j], -INFINITY), edges, count);
  }
  for (size_t c = 0; c < CYDP_CELLS; c++)
    for (int part = 0; part < 3; part++) {
      double x =
          cells->width.origin + ((double)c + 0.25 + 0.25 * part) / cells->width.scale;
      int64_t upper = cells->least + ((int64_t)c << cells->shift);
      upper += part * ((INT64_C(1) << cells->shift) - 1) / 2;
      if (cells->bits && upper > cells->greatest)
        continue;
      put(cells->bits ? of_upper(upper) : x, edges, count);
    }
}

/* Whether the index of each cell without an edge is that of the numbers in it, and an
 * edge has numbers on both sides in cells in doubt or in different cells. */
static bool is_right(const cydp_cell_table *table) {
  for (size_t i = 0; i < all.n; i++) {
    uint8_t index = table->index[all.cell[i]];
    if (index != CYDP_IN_DOUBT && index != all.index[i])
      return false;
  }
  return true;
}

static void check_mutants(cydp_cell_table *table) {
  static bool seen[CYDP_CELLS];
  memset(seen, 0, sizeof seen);
  for (size_t i = 0; i < all.n; i++)
    seen[all.cell[i]] = true;
  for (size_t c = 1; c < CYDP_CELLS; c++) {
    uint8_t index = table->index[c];
    if (!seen[c] || (index != CYDP_IN_DOUBT && c % 97))
      continue;
    for (int off = -1; off <= 1; off++) { /* in doubt: the index before, and after */
      uint8_t near = index == CYDP_IN_DOUBT ? table->index[c - 1] : index;
      uint8_t mutant = (uint8_t)(near + off);
      if (mutant == CYDP_IN_DOUBT || mutant == index)
        continue;
      table->index[c] = mutant;
      CHECK(!is_right(table));
    }
    table->index[c] = index;
  }
}

/* Edges far enough from the ends of cells have rejected mutants. */
static void check(const double *edges, size_t count, bool mutants) {
  static cydp_cell_table table;
  cydp_bins *bins;
  CHECK(cydp_bins_new(edges, count, &bins) == CYDP_OK);
  CHECK(cydp_cell_table_set(&table, bins, CYDP_F64));
  CHECK(table.cells.bits == (bins->method == CYDP_KEY_BUCKETS));
  probe(&table.cells, edges, count);
  const cydp_exact_table *kernels;
  for (size_t k = 0; (kernels = cydp_exact_kernels_at(k)); k++) {
    for (size_t i = 0, n; i < all.n; i += n) { /* every length of a rest */
      n = all.n - i < CYDP_INDEX_BATCH ? all.n - i : i % CYDP_INDEX_BATCH + 1;
      kernels->cells(&table.cells, CYDP_F64, all.x + i, n, all.cell + i);
    }
    for (size_t i = 0; i < all.n; i++)
      CHECK(all.cell[i] < CYDP_CELLS);
    CHECK(is_right(&table));
  }
  size_t in_doubt = 0;
  for (size_t c = 0; c < CYDP_CELLS; c++)
    in_doubt += table.index[c] == CYDP_IN_DOUBT;
  CHECK(in_doubt <= count + 1);
  if (mutants)
    check_mutants(&table);
  cydp_bins_free(bins);
}

static double uniform(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static void test_edges_of_many_kinds(void) {
  double edges[CYDP_CELLS_MOST_BINS + 1];
  const size_t counts[] = {3, 100, CYDP_CELLS_MOST_BINS};
  for (size_t k = 0; k < 3; k++) {
    size_t count = counts[k];
    for (int shape = 0; shape < 9; shape++) {
      double sum = shape == 1 ? -1e6 : 0.1;
      for (size_t j = 0; j <= count; j++) {
        double at = (double)j / (double)count;
        sum += 0.1 + uniform();
        edges[j] = shape < 2    ? sum                                  /* irregular */
                   : shape == 2 ? pow(1.17, (double)j + uniform() / 2) /* rising powers */
                   : shape == 3 ? ldexp(1 + at / 2, (int)(8 * at) * 8 - 30)
                   : shape == 4 ? (j % 3 ? sum : (double)(j / 9)) /* repeated ones */
                   : shape == 5 ? ldexp(floor(at * 1e6 + uniform()), -1074)
                   : shape == 6 ? (j ? 1 + (double)(j * j) * 0x1p-52 : -1)
                   : shape == 7 ? sum * 1e305 / (double)count - 1e304
                                : sum;
        if (j > 0 && edges[j] < edges[j - 1])
          edges[j] = edges[j - 1];
      }
      if (shape == 8) {
        edges[0] = -INFINITY;
        edges[count] = INFINITY;
      }
      check(edges, count, shape < 2);
    }
  }
}

/* Zero is an edge, and the ends of a table are those of all numbers. */
static void test_keys_of_both_signs(void) {
  double edges[101];
  for (int j = 0; j <= 100; j++) {
    int k = j - 50;
    edges[j] = k == 0 ? -0.0 : copysign(pow(10, (abs(k) - 25) * 0.7), k);
  }
  check(edges, 100, false);
  edges[0] = -INFINITY;
  edges[100] = INFINITY;
  check(edges, 100, false);
  edges[1] = -DBL_MAX;
  edges[99] = DBL_MAX;
  check(edges, 100, false);
}

static void test_bins_without_a_table(void) {
  enum { MANY = CYDP_CELLS_MOST_BINS + 1 };
  static cydp_cell_table table;
  double edges[MANY + 1];
  for (int j = 0; j <= MANY; j++)
    edges[j] = j * j;
  const double even[] = {0, 1, 2, 3}, point[] = {1, 1};
  const double widest[] = {-DBL_MAX, 1, 2, DBL_MAX / 2, DBL_MAX};
  const struct {
    const double *edges;
    size_t count;
  } cases[] = {{edges, MANY}, {even, 3}};
  check(point, 1, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cydp_bins *bins;
    CHECK(cydp_bins_new(cases[i].edges, cases[i].count, &bins) == CYDP_OK);
    CHECK(!cydp_cell_table_set(&table, bins, CYDP_F64));
    cydp_bins_free(bins);
  }
  cydp_bins *bins;
  CHECK(cydp_bins_new(widest, 4, &bins) == CYDP_OK);
  if (bins->method == CYDP_SEARCH) /* the width of its cells is infinite */
    CHECK(!cydp_cell_table_set(&table, bins, CYDP_F64));
  cydp_bins_free(bins);
}

/* How many edges are at or below x, the last bin being closed; rows outside have the
 * number of bins + 1. */
static uint8_t index_of_integer(const double *edges, size_t count, int64_t x) {
  size_t below = 0;
  for (size_t j = 0; j <= count; j++)
    below += (double)x >= edges[j];
  if ((double)x == edges[count])
    return (uint8_t)count;
  return (uint8_t)(below == 0 || below > count ? count + 1 : below);
}

/* No integer is in doubt where edges are integers: the byte is its index. */
static void check_integers(const double *edges, size_t count, bool serve) {
  enum { N = CYDP_INDEX_BATCH };
  static cydp_cell_table table;
  int64_t wide[N];
  int32_t narrow[N];
  uint32_t cell[2][N];
  cydp_bins *bins;
  const cydp_exact_table *kernels;
  CHECK(cydp_bins_new(edges, count, &bins) == CYDP_OK);
  CHECK(cydp_cell_table_set(&table, bins, CYDP_I64));
  if (!serve) {
    size_t in_doubt = 0;
    for (size_t c = 0; c < CYDP_CELLS; c++)
      in_doubt += table.index[c] == CYDP_IN_DOUBT;
    CHECK(in_doubt > 0);
    cydp_bins_free(bins);
    return;
  }
  for (size_t c = 0; c < CYDP_CELLS; c++)
    CHECK(table.index[c] != CYDP_IN_DOUBT);
  const int64_t first = (int64_t)edges[0] - 40, last = (int64_t)edges[count] + 40;
  for (size_t k = 0; (kernels = cydp_exact_kernels_at(k)); k++)
    for (int64_t x = first; x <= last; x += N) {
      for (int i = 0; i < N; i++) {
        wide[i] = i % 64 == 63 ? (i % 128 == 63 ? INT64_MIN : INT64_MAX) : x + i;
        narrow[i] = i % 64 == 63 ? (i % 128 == 63 ? INT32_MIN : INT32_MAX)
                                 : (int32_t)(x + i);
      }
      kernels->cells(&table.cells, CYDP_I64, wide, N, cell[0]);
      kernels->cells(&table.cells, CYDP_I32, narrow, N, cell[1]);
      for (int i = 0; i < N; i++) {
        CHECK(table.index[cell[0][i]] == index_of_integer(edges, count, wide[i]));
        CHECK(table.index[cell[1][i]] == index_of_integer(edges, count, narrow[i]));
      }
    }
  cydp_bins_free(bins);
}

static void test_integer_columns(void) {
  const double ages[] = {0, 5, 13, 18, 25, 35, 50, 65, 80, 120};
  const double repeated[] = {-7, -7, 3, 3, 3, 4, 9, 9};
  const double widest[] = {-8000, -3, 8, 8381}; /* CYDP_CELLS - 3 integers */
  const double wider[] = {-8000, -3, 8, 8382}, halves[] = {0, 2.5, 4, 9},
               far[] = {0x1p53, 0x1p53 + 4, 0x1p53 + 6, 0x1p53 + 20};
  check_integers(ages, 9, true);
  check_integers(repeated, 7, true);
  check_integers(widest, 3, true);
  check_integers(wider, 3, false);
  check_integers(halves, 3, false);
  check_integers(far, 3, false);
}

int main(void) {
  test_integer_columns();
  CHECK(cydp_init() == CYDP_OK);
  test_edges_of_many_kinds();
  test_keys_of_both_signs();
  test_bins_without_a_table();
  return 0;
}
