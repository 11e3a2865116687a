/* SPDX-License-Identifier: MIT
 * Every kernel's integers against a rounding by shifts of 128 bits; folds, threads,
 * groups. */
#include "cydp.h"
#include "exact/grid.h"
#include "exact/grid_sum.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
__extension__ typedef __int128 wide;

enum { MOST = 1 << 14 };
static union {
  double f64[MOST];
  float f32[MOST];
  int64_t i64[MOST];
  int32_t i32[MOST];
} x;
static size_t n;

static uint64_t random64(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int64_t clamped(const cydp_grid *grid, wide q) {
  return q < grid->lowest ? grid->lowest : q > grid->highest ? grid->highest : (int64_t)q;
}

/* m 2^k on the grid, |m| <= 2^63: one side and the rest of a division by a power of two.
 */
static int64_t exactly(const cydp_grid *grid, wide m, int k) {
  int shift = k - grid->exponent;
  if (m == 0)
    return clamped(grid, 0);
  if (shift >= 60) /* |q| >= 2^60 */
    return m < 0 ? grid->lowest : grid->highest;
  if (shift >= 0)
    return clamped(grid, m * ((wide)1 << shift));
  if (shift < -65) /* |q| < 1/4 */
    return clamped(grid, 0);
  wide step = (wide)1 << -shift, q = m >> -shift, rest = 2 * (m - q * step);
  return clamped(grid, q + (rest > step || (rest == step && (q & 1))));
}

static int64_t expected(const cydp_grid *grid, cydp_dtype dtype, size_t i) {
  if (dtype == CYDP_I64)
    return exactly(grid, x.i64[i], 0);
  if (dtype == CYDP_I32)
    return exactly(grid, x.i32[i], 0);
  double number = dtype == CYDP_F64 ? x.f64[i] : (double)x.f32[i];
  if (isnan(number))
    return 0;
  if (isinf(number))
    return number < 0 ? grid->lowest : grid->highest;
  int k;
  double m = frexp(number, &k);
  return exactly(grid, (int64_t)(m * 0x1p53), k - 53);
}

static void put(cydp_dtype dtype, double number) {
  if (n == MOST)
    return;
  if (dtype == CYDP_F64)
    x.f64[n++] = number;
  else if (dtype == CYDP_F32 && (fabs(number) <= (double)FLT_MAX || !isfinite(number)))
    x.f32[n++] = (float)number;
  else if (dtype == CYDP_I64 && fabs(number) < 0x1p63)
    x.i64[n++] = (int64_t)number;
  else if (dtype == CYDP_I32 && fabs(number) < 0x1p31)
    x.i32[n++] = (int32_t)number;
}

/* What is special, ties and their neighbours around 0 and the bounds, and any bits. */
static void fill(const cydp_grid *grid, cydp_dtype dtype) {
  const double special[] = {0,       -0.0,     NAN,     -NAN,      INFINITY,   -INFINITY,
                            DBL_MAX, -DBL_MAX, DBL_MIN, 0x1p-1074, -0x1p-1074, FLT_MAX,
                            0x1p31,  0x1p62,   -0x1p62, 0.5,       1.5};
  const int64_t around[] = {0, grid->lowest, grid->highest,
                            (grid->lowest + grid->highest) / 2};
  const int64_t whole[] = {INT64_MIN,
                           INT64_MIN + 1,
                           INT64_MAX,
                           INT64_MAX - 1,
                           INT64_C(1) << 62,
                           (INT64_C(1) << 62) + 1,
                           (INT64_C(3) << 61) - 1,
                           -(INT64_C(1) << 62),
                           -(INT64_C(1) << 62) - 1,
                           (INT64_C(1) << 53) + 1};
  double step = ldexp(1, grid->exponent);
  n = 0;
  for (size_t i = 0; i < LENGTH(special); i++)
    put(dtype, special[i]);
  for (size_t i = 0; i < LENGTH(around); i++)
    for (int half = -7; half <= 7; half++) {
      double at = ((double)around[i] + half * 0.5) * step;
      put(dtype, at);
      put(dtype, nextafter(at, INFINITY));
      put(dtype, nextafter(at, -INFINITY));
      if (dtype == CYDP_I64 && fabs(at) < 0x1p62)
        for (int64_t one = -1; one <= 1; one++)
          x.i64[n++] = (int64_t)at + one;
    }
  if (dtype == CYDP_I64)
    for (size_t i = 0; i < LENGTH(whole); i++)
      x.i64[n++] = whole[i];
  for (int i = 0; i < 400; i++) {
    put(dtype, ((double)random64() * 0x1p-63 - 1) * 2 * (double)grid->highest * step);
    uint64_t bits = random64();
    double any;
    memcpy(&any, &bits, sizeof any);
    put(dtype, any);
    if (dtype == CYDP_I64)
      x.i64[n++] = (int64_t)random64() >> (bits % 64);
  }
}

static const cydp_grid grids[] = {{0, 0, 1},
                                  {0, -100, 100},
                                  {0, 3, 5},
                                  {0, -5, -3},
                                  {0, 7, 7},
                                  {-1, -3, 9},
                                  {-29, 0, 1 << 29},
                                  {-51, -1, 1},
                                  {-52, -9, 9},
                                  {-60, 0, 5},
                                  {1, -100, 1000},
                                  {2, -77, 99},
                                  {10, -(1 << 29), 1 << 29},
                                  {12, -CYDP_GRID_MOST, CYDP_GRID_MOST},
                                  {0, -CYDP_GRID_MOST, CYDP_GRID_MOST},
                                  {-20, -CYDP_GRID_MOST, CYDP_GRID_MOST},
                                  {0, CYDP_GRID_MOST - 1, CYDP_GRID_MOST},
                                  {61, -4, 4},
                                  {62, -2, 2},
                                  {62, -1, 0},
                                  {63, -4, 4},
                                  {500, -9, 9},
                                  {1022, -4, 4},
                                  {-1000, -9, 9},
                                  {-1021, -9, 9},
                                  {0, 0, 0}};

static void kernels_round_exactly(const cydp_exact_table *kernels) {
  static int64_t q[MOST];
  for (size_t g = 0; g < LENGTH(grids); g++)
    for (int t = 0; t < 4; t++) {
      cydp_dtype dtype = (cydp_dtype)t;
      if (!cydp_grid_valid(grids + g, dtype))
        continue;
      fill(grids + g, dtype);
      size_t lengths[] = {0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33, n - 1, n};
      kernels->grid_round(grids + g, dtype, &x, n, q);
      for (size_t i = 0; i < n; i++)
        CHECK(q[i] == expected(grids + g, dtype, i));
      for (size_t l = 0; l < LENGTH(lengths); l++) {
        int64_t sum = 0;
        for (size_t i = 0; i < lengths[l]; i++)
          sum += q[i];
        CHECK(kernels->grid_sum(grids + g, dtype, &x, lengths[l]) == sum);
        q[lengths[l]] = 77;
        kernels->grid_round(grids + g, dtype, &x, lengths[l], q);
        CHECK(q[lengths[l]] == 77);
        kernels->grid_round(grids + g, dtype, &x, n, q);
      }
    }
}

static wide whole(cydp_int128 sum) { return sum.high * ((wide)1 << 64) + sum.low; }

/* Chunks of any length, threads of any number, and sums that int64 does not hold. */
static void sums_are_folded(void) {
  const size_t chunks[] = {1, 2, 7, 1000, 4095, 4096, SIZE_MAX};
  const cydp_grid all[] = {{0, -CYDP_GRID_MOST, CYDP_GRID_MOST}, {0, -CYDP_GRID_MOST, 5}};
  for (size_t g = 0; g < LENGTH(all); g++) {
    for (n = 0; n < MOST; n++)
      x.i64[n] = g ? INT64_MIN : INT64_MAX - (int64_t)(n % 3);
    wide sum = (wide)(g ? all[g].lowest : all[g].highest) * MOST;
    CHECK(sum > INT64_MAX || sum < INT64_MIN);
    for (size_t c = 0; c < LENGTH(chunks); c++)
      for (unsigned threads = 0; threads <= 16; threads += 5) {
        cydp_int128 out;
        CHECK(cydp_grid_sum_chunked(all + g, &x, CYDP_I64, MOST, chunks[c], threads, &out,
                                    NULL) == CYDP_OK);
        CHECK(whole(out) == sum);
      }
  }
  CHECK(cydp_grid_fold_rows(all) == 4095);
  CHECK(cydp_grid_fold_rows(&(cydp_grid){0, 0, 0}) == SIZE_MAX);
  CHECK(cydp_grid_fold_rows(&(cydp_grid){0, -1, 1 << 29}) ==
        (size_t)((UINT64_C(1) << 34) - 1));
}

static void squares_are_exact(void) {
  const cydp_grid most = {-3, -(INT64_C(1) << 31), INT64_C(1) << 31};
  fill(&most, CYDP_F64);
  wide sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    wide q = expected(&most, CYDP_F64, i);
    sum += q;
    squares += q * q;
  }
  cydp_int128 out, out_squares;
  for (size_t chunk = 1; chunk < 3 * MOST; chunk *= 3) {
    CHECK(cydp_grid_sum_chunked(&most, &x, CYDP_F64, n, chunk, 3, &out, &out_squares) ==
          CYDP_OK);
    CHECK(whole(out) == sum && whole(out_squares) == squares);
  }
  CHECK(squares > INT64_MAX);
  const cydp_grid more = {-3, -(INT64_C(1) << 31) - 1, 0};
  CHECK(cydp_grid_sum(&more, &x, CYDP_F64, n, 1, &out, &out_squares) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_sum(&more, &x, CYDP_F64, n, 1, &out, NULL) == CYDP_OK);
}

static void ties_go_to_even_in_any_mode(void) {
  const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  const cydp_grid grid = {0, -9, 9};
  const double ties[] = {0.5, 1.5, 2.5, -0.5, -1.5, 3.25, 3.75, -3.75};
  const int64_t codes[] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (size_t m = 0; m < LENGTH(modes); m++) {
    cydp_int128 sum;
    int64_t units = 0;
    CHECK(fesetround(modes[m]) == 0);
    cydp_status status = cydp_grid_sum(&grid, ties, CYDP_F64, 8, 1, &sum, NULL);
    CHECK(cydp_grid_sum_groups(&grid, codes, CYDP_I64, ties, CYDP_F64, 8, 1, 1, &units) ==
          CYDP_OK);
    CHECK(fegetround() == modes[m]);
    CHECK(fesetround(FE_TONEAREST) == 0);
    CHECK(status == CYDP_OK && whole(sum) == 0 + 2 + 2 + 0 - 2 + 3 + 4 - 4);
    CHECK(units == 5);
  }
}

enum { ROWS = 1 << 18, GROUPS = 1000 };
static double numbers[ROWS];
static int64_t codes64[ROWS];
static int32_t codes32[ROWS];
static int16_t codes16[ROWS];
static uint8_t codes8[ROWS];

static void groups_are_summed(void) {
  const cydp_grid grid = {-20, -3000, CYDP_GRID_MOST >> 10};
  const unsigned threads[] = {0, 1, 2, 3, 16, 1000};
  static int64_t sums[GROUPS], sums8[100]; /* of the first, by other codes */
  static int64_t units[GROUPS + 1];
  memset(sums, 0, sizeof sums);
  memset(sums8, 0, sizeof sums8);
  for (size_t i = 0; i < ROWS; i++) {
    numbers[i] = i % 100 == 7 ? NAN : (double)(int64_t)random64() * 0x1p-50;
    codes32[i] = (int32_t)(random64() % (GROUPS + 20)) - 10;
    codes64[i] = codes16[i] = (int16_t)codes32[i];
    codes8[i] = (uint8_t)random64();
    if (codes32[i] == -10)
      codes64[i] = random64() % 2 ? INT64_MIN : INT64_C(1) << 32;
    if (codes32[i] == -9)
      codes32[i] = random64() % 2 ? INT32_MIN : INT32_MAX;
    int64_t q;
    cydp_grid_round_portable(&grid, CYDP_F64, numbers + i, 1, &q);
    if (codes32[i] >= 0 && codes32[i] < GROUPS)
      sums[codes32[i]] += q;
    if (codes8[i] < LENGTH(sums8))
      sums8[codes8[i]] += q;
  }
  const struct {
    cydp_dtype dtype;
    const void *codes;
  } of[] = {{CYDP_I64, codes64}, {CYDP_I32, codes32}, {CYDP_I16, codes16}};
  for (size_t t = 0; t < LENGTH(threads); t++)
    for (size_t c = 0; c < LENGTH(of); c++) {
      memset(units, 0, sizeof units);
      units[GROUPS] = 77;
      CHECK(cydp_grid_sum_groups(&grid, of[c].codes, of[c].dtype, numbers, CYDP_F64, ROWS,
                                 GROUPS, threads[t], units) == CYDP_OK);
      CHECK(memcmp(units, sums, sizeof sums) == 0 && units[GROUPS] == 77);
    }
  memset(units, 0, sizeof units);
  CHECK(cydp_grid_sum_groups(&grid, codes8, CYDP_U8, numbers, CYDP_F64, ROWS,
                             LENGTH(sums8), 1, units) == CYDP_OK);
  CHECK(memcmp(units, sums8, sizeof sums8) == 0 && units[LENGTH(sums8)] == 0);
  memcpy(units, sums, sizeof sums);
  CHECK(cydp_grid_sum_groups(&grid, codes32, CYDP_I32, numbers, CYDP_F64, ROWS, 0, 1,
                             units) == CYDP_OK);
  CHECK(memcmp(units, sums, sizeof sums) == 0);
}

/* So many that their table is far; in some blocks none is outside. */
static void many_groups_are_summed(void) {
  enum { MANY = 1 << 17, ALL = 1 << 22 }; /* each thread has some rows */
  static int64_t sums[MANY], units[MANY];
  static double amounts[ALL];
  static int32_t groups[ALL];
  const cydp_grid grid = {0, -100, 100};
  for (unsigned threads = 1; threads < 3; threads++) {
    memset(sums, 0, sizeof sums);
    memset(units, 0, sizeof units);
    for (size_t i = 0; i < ALL; i++) {
      amounts[i] = (double)(random64() % 100);
      groups[i] = (int32_t)(random64() % (i % 5000 < 3000 ? MANY : MANY + 2000));
      if (groups[i] < MANY)
        sums[groups[i]] += (int64_t)amounts[i];
    }
    CHECK(cydp_grid_sum_groups(&grid, groups, CYDP_I32, amounts, CYDP_F64, ALL - 3, MANY,
                               threads, units) == CYDP_OK);
    for (size_t i = ALL - 3; i < ALL; i++)
      if (groups[i] < MANY)
        sums[groups[i]] -= (int64_t)amounts[i];
    CHECK(memcmp(units, sums, sizeof sums) == 0);
  }
}

static void bad_grids_are_refused(void) {
  const cydp_grid bad[] = {{0, 1, 0},
                           {0, -CYDP_GRID_MOST - 1, 0},
                           {0, 0, CYDP_GRID_MOST + 1},
                           {0, INT64_MIN, INT64_MAX},
                           {-1022, 0, 1},
                           {1023, 0, 1},
                           {INT32_MIN, 0, 1}};
  cydp_int128 sum;
  int64_t units = 0, code = 0;
  double number = 1;
  for (size_t g = 0; g < LENGTH(bad); g++) {
    CHECK(cydp_grid_sum(bad + g, &number, CYDP_F64, 1, 1, &sum, NULL) ==
          CYDP_ERROR_DOMAIN);
    CHECK(cydp_grid_sum_groups(bad + g, &code, CYDP_I64, &number, CYDP_F64, 1, 1, 1,
                               &units) == CYDP_ERROR_DOMAIN);
  }
  const cydp_grid coarse = {63, 0, 1}, most = {0, 0, CYDP_GRID_MOST}, one = {0, 0, 1};
  CHECK(cydp_grid_sum(&coarse, &code, CYDP_I64, 1, 1, &sum, NULL) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_sum(&coarse, &code, CYDP_I32, 1, 1, &sum, NULL) == CYDP_OK);
  CHECK(cydp_grid_sum_groups(&most, codes64, CYDP_I64, numbers, CYDP_F64, 4096, 1, 1,
                             &units) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_sum_groups(&one, &code, CYDP_F64, &number, CYDP_F64, 1, 1, 1, &units) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_grid_sum_groups(&one, &code, CYDP_I64, &number, CYDP_F64, 1, UINT32_MAX - 1,
                             1, &units) == CYDP_ERROR_DOMAIN);
  CHECK(units == 0);
}

int main(void) {
  const cydp_exact_table *kernels;
  for (size_t i = 0; (kernels = cydp_exact_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    kernels_round_exactly(kernels);
    sums_are_folded();
    squares_are_exact();
    ties_go_to_even_in_any_mode();
    groups_are_summed();
    many_groups_are_summed();
  }
  bad_grids_are_refused();
}
