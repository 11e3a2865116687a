/* SPDX-License-Identifier: MIT
 * Codes of every type, in tables, in parts and few, with every kernel table. */
#include "cydp.h"
#include "exact/bincount.h"
#include "exact/count_table.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 20011, MOST = 40000 }; /* rows enough for parts */

/* The codes as a type, and the count of each below MOST; UINT64_MAX or the largest. */
static uint64_t as_type(cydp_dtype dtype, const int64_t *codes, void *out,
                        int64_t *expected) {
  uint64_t largest = 0;
  memset(expected, 0, MOST * sizeof *expected);
  for (size_t i = 0; i < ROWS; i++) {
    int64_t code = codes[i];
    switch (dtype) {
    case CYDP_I64:
      ((int64_t *)out)[i] = code;
      break;
    case CYDP_I32:
      code = ((int32_t *)out)[i] = (int32_t)code;
      break;
    case CYDP_I16:
      code = ((int16_t *)out)[i] = (int16_t)code;
      break;
    case CYDP_I8:
      code = ((int8_t *)out)[i] = (int8_t)code;
      break;
    case CYDP_U32:
      code = ((uint32_t *)out)[i] = (uint32_t)code;
      break;
    case CYDP_U16:
      code = ((uint16_t *)out)[i] = (uint16_t)code;
      break;
    default:
      code = ((uint8_t *)out)[i] = (uint8_t)code;
    }
    if (code >= 0 && code < MOST)
      expected[code]++;
    uint64_t seen = code < 0 ? UINT64_MAX : (uint64_t)code;
    largest = seen > largest ? seen : largest;
  }
  return largest;
}

/* Lengths around parts and tables; `near` chooses between these. */
static void check_all(cydp_dtype dtype, const int64_t *codes) {
  static int64_t expected[MOST], counts[MOST], out[ROWS];
  const size_t lengths[] = {1, 2, 100, 512, 513, 32766, 32767, 32768, MOST};
  const size_t nears[] = {0, SIZE_MAX}, flushes[] = {1, 3, 300, CYDP_FLUSH_ROWS};
  uint64_t expected_largest = as_type(dtype, codes, out, expected);
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
    for (size_t near = 0; near < 2; near++)
      for (size_t f = near && lengths[l] < 200 ? 0 : 3; f < 4; f++)
        for (unsigned threads = 1; threads < 4; threads += 2) {
          uint64_t largest = 1;
          memset(counts, 0, sizeof counts);
          CHECK(cydp_bincount_flushing(out, dtype, ROWS, lengths[l], flushes[f],
                                       nears[near], threads, counts,
                                       &largest) == CYDP_OK);
          CHECK(largest == expected_largest);
          CHECK(memcmp(counts, expected, lengths[l] * sizeof *counts) == 0);
          for (size_t c = lengths[l]; c < MOST; c++)
            CHECK(counts[c] == 0);
        }
}

static void test_every_type(void) {
  static int64_t codes[ROWS];
  uint64_t state = 1;
  for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_U8; dtype++) {
    for (int run = 0; run < 4; run++) {
      for (size_t i = 0; i < ROWS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t word = state >> 20;
        codes[i] = run == 0   ? (int64_t)(word % 100)
                   : run == 1 ? (int64_t)(word % (MOST + 10))
                   : run == 2 ? (int64_t)(state >> (state % 64)) /* negative ones too */
                              : 7;
      }
      if (run == 1) { /* the ends of parts */
        codes[1] = 32766;
        codes[2] = 32767;
        codes[3] = MOST - 1;
      }
      if (run == 3)
        codes[ROWS - 1] = -1;
      check_all(dtype, codes);
    }
  }
}

static void test_few_codes(void) {
  const int32_t codes[] = {9999, 3, 9999, 10000, -1, INT32_MAX};
  static int64_t counts[10000];
  uint64_t largest;
  memset(counts, 0, sizeof counts);
  CHECK(cydp_bincount(codes, CYDP_I32, 6, 10000, 2, counts, &largest) == CYDP_OK);
  CHECK(largest == UINT64_MAX && counts[9999] == 2 && counts[3] == 1 && counts[0] == 0);
}

/* A negative code is told from a large one in whichever place it is: in a vector, and in
 * the rest of the rows. */
static void test_one_negative_code(void) {
  enum { N = 41 };
  int64_t wide[N], counts[8];
  int32_t narrow[N];
  for (size_t place = 0; place < N; place++) {
    for (size_t i = 0; i < N; i++)
      wide[i] = narrow[i] = i == place ? INT32_MIN + (int32_t)i : 7;
    uint64_t of_wide, of_narrow;
    memset(counts, 0, sizeof counts);
    CHECK(cydp_bincount(wide, CYDP_I64, N, 8, 1, counts, &of_wide) == CYDP_OK);
    CHECK(cydp_bincount(narrow, CYDP_I32, N, 8, 1, counts, &of_narrow) == CYDP_OK);
    CHECK(of_wide == UINT64_MAX && of_narrow == UINT64_MAX);
    CHECK(counts[7] == 2 * (N - 1) && counts[0] == 0);
    narrow[place] = INT32_MAX;
    CHECK(cydp_bincount(narrow, CYDP_I32, N, 8, 1, counts, &of_narrow) == CYDP_OK);
    CHECK(of_narrow == INT32_MAX);
  }
}

/* More rows than one task has. */
static void test_threads(void) {
  enum { MANY = 300001 };
  int32_t *codes = malloc(MANY * sizeof *codes);
  CHECK(codes != NULL);
  for (int i = 0; i < MANY; i++)
    codes[i] = i % 1000;
  codes[7] = 5000; /* in the first chunk alone */
  for (unsigned threads = 1; threads <= 16; threads++) {
    int64_t counts[1000] = {0};
    uint64_t largest;
    CHECK(cydp_bincount(codes, CYDP_I32, MANY, 1000, threads, counts, &largest) ==
          CYDP_OK);
    CHECK(largest == 5000);
    for (int c = 0; c < 1000; c++)
      CHECK(counts[c] == 300 + (c == 0) - (c == 7));
  }
  free(codes);
}

/* Bytes that wrap, oftener than is noted at a time; by outside codes as well. */
static void test_wraps(void) {
  enum { MANY = 1 << 20, LENGTH = 20000 };
  static int32_t codes[MANY];
  static int64_t counts[LENGTH];
  for (int i = 0; i < MANY; i++)
    codes[i] = i % 4 == 0 ? LENGTH + 5 : i % 4 == 1 ? LENGTH - 1 : i / 256 % 2 ? 0 : 300;
  for (unsigned threads = 1; threads <= 3; threads++) {
    uint64_t largest;
    memset(counts, 0, sizeof counts);
    CHECK(cydp_bincount(codes, CYDP_I32, MANY, LENGTH, threads, counts, &largest) ==
          CYDP_OK);
    CHECK(largest == LENGTH + 5 && counts[LENGTH - 1] == MANY / 4);
    CHECK(counts[0] == MANY / 4 && counts[300] == MANY / 4);
    for (int c = 0; c < LENGTH - 1; c++)
      CHECK(c == 0 || c == 300 || counts[c] == 0);
  }
}

static void test_empty_and_domain(void) {
  int64_t count = 7;
  uint64_t largest = 1;
  CHECK(cydp_bincount(NULL, CYDP_I32, 0, 1, 1, &count, &largest) == CYDP_OK);
  CHECK(count == 7 && largest == 0);
  CHECK(cydp_bincount(NULL, CYDP_F64, 0, 1, 1, &count, &largest) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bincount(NULL, CYDP_F32, 0, 1, 1, &count, &largest) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bincount(NULL, CYDP_I32, 0, UINT32_MAX - 1, 1, &count, &largest) ==
        CYDP_ERROR_DOMAIN);
}

int main(void) {
  const cydp_exact_table *kernels;
  for (size_t i = 0; (kernels = cydp_exact_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    test_every_type();
    test_few_codes();
    test_one_negative_code();
    test_wraps();
  }
  test_threads();
  test_empty_and_domain();
  return 0;
}
