/* SPDX-License-Identifier: MIT
 * Places among keys against a linear search, for keys that are alike and for many. */
#include "columns/key_table.h"
#include "cydp.h"
#include "tests/check.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <string.h>

enum { KEYS = 3000, ROWS = 200000, WIDTH = 40 };

static uint64_t state = 1;
static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (uint32_t)((state >> 33) % below);
}

/* Distinct: number k in its last digits, behind a beginning that is the same for most. */
static size_t write_key(uint32_t k, uint8_t *to) {
  size_t length = k % 3 ? 7 + k % 29 : 7;
  memset(to, k % 2 ? 0 : 'a', length);
  for (size_t i = 0; i < 7; i++, k /= 10)
    to[length - 1 - i] = (uint8_t)('0' + k % 10);
  return length;
}

static void fill(const uint32_t *numbers, size_t n, uint8_t *text, int64_t *offsets) {
  offsets[0] = 0;
  for (size_t i = 0; i < n; i++)
    offsets[i + 1] = offsets[i] + (int64_t)write_key(numbers[i], text + offsets[i]);
}

static void check_match(unsigned threads) {
  static uint32_t numbers[ROWS], codes[ROWS];
  static uint8_t key_text[KEYS * WIDTH], text[ROWS * WIDTH], valid[ROWS];
  static int64_t key_offsets[KEYS + 1], offsets[ROWS + 1];
  for (uint32_t i = 0; i < KEYS; i++)
    numbers[i] = 2 * i;
  fill(numbers, KEYS, key_text, key_offsets);
  for (size_t i = 0; i < ROWS; i++) {
    numbers[i] = draw(4 * KEYS);
    valid[i] = (uint8_t)(draw(10) * 20);
  }
  fill(numbers, ROWS, text, offsets);
  const cydp_strings given = {.bytes = key_text, .offsets = key_offsets};
  const cydp_strings rows = {.bytes = text, .offsets = offsets};
  cydp_key_table *keys;
  CHECK(cydp_key_table_new(&given, KEYS, &keys) == CYDP_OK);
  for (int masked = 0; masked < 2; masked++) {
    CHECK(cydp_key_table_lookup(keys, &rows, masked ? valid : NULL, ROWS, threads,
                                codes) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++) {
      bool known = numbers[i] % 2 == 0 && numbers[i] < 2 * KEYS && (!masked || valid[i]);
      CHECK(codes[i] == (known ? numbers[i] / 2 : KEYS));
    }
  }
  cydp_key_table_free(keys);
}

/* Whatever the seeds, keys that differ in zeros or in little must find their slots. */
static void check_alike(void) {
  static uint8_t text[300 * 300 / 2];
  static int64_t offsets[301];
  for (size_t i = 0; i < 300; i++)
    offsets[i + 1] = offsets[i] + (int64_t)i;
  const cydp_strings zeros = {.bytes = text, .offsets = offsets};
  uint32_t codes[300];
  cydp_key_table *keys;
  CHECK(cydp_key_table_new(&zeros, 300, &keys) == CYDP_OK);
  CHECK(cydp_key_table_lookup(keys, &zeros, NULL, 300, 1, codes) == CYDP_OK);
  for (uint32_t i = 0; i < 300; i++)
    CHECK(codes[i] == i);
  cydp_key_table_free(keys);
}

/* A view that is not valid points nowhere. */
static void check_views(void) {
  static const uint8_t far[] = "seventeen letters";
  const uint8_t *const buffers[] = {far};
  const int32_t views[] = {17, 0, 0, 0, INT32_MAX, 1, INT32_MAX, 9, 0, 0, 0, 0};
  const uint8_t valid[] = {1, 0, 1};
  const cydp_strings rows = {.bytes = (const uint8_t *)views, .buffers = buffers};
  const cydp_strings given = {.bytes = far, .width = 17};
  uint32_t codes[3];
  cydp_key_table *keys;
  CHECK(cydp_key_table_new(&given, 1, &keys) == CYDP_OK);
  CHECK(cydp_key_table_lookup(keys, &rows, valid, 3, 1, codes) == CYDP_OK);
  CHECK(codes[0] == 0 && codes[1] == 1 && codes[2] == 1);
  cydp_key_table_free(keys);
}

/* Buckets without keys have a factor, too, as strings that are no keys may fall into them.
 * What is allocated is no zeros here, where the C library can be asked for that. */
static void check_empty_buckets(void) {
  static const uint8_t text[] = "abcdefg";
  const cydp_strings given = {.bytes = text, .width = 1};
  for (size_t n = 0; n < sizeof text; n++) {
    cydp_key_table *keys;
#if defined(__GLIBC__)
    mallopt(M_PERTURB, 0x55);
#endif
    CHECK(cydp_key_table_new(&given, n, &keys) == CYDP_OK);
#if defined(__GLIBC__)
    mallopt(M_PERTURB, 0);
#endif
    for (size_t bucket = 0; bucket < (size_t)1 << (64 - keys->bucket_shift); bucket++)
      CHECK(keys->factors[bucket] % 2 == 1);
    cydp_key_table_free(keys);
  }
}

static void check_equal_keys(size_t n) {
  static uint8_t text[5000];
  const cydp_strings equal = {.bytes = text, .width = 1};
  cydp_key_table *keys;
  CHECK(cydp_key_table_new(&equal, n, &keys) == (n > 1 ? CYDP_ERROR_DOMAIN : CYDP_OK));
  CHECK((keys == NULL) == (n > 1));
  cydp_key_table_free(keys);
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  check_match(1);
  check_match(3);
  check_alike();
  check_views();
  check_empty_buckets();
  for (size_t n = 0; n < 70; n++)
    check_equal_keys(n);
  check_equal_keys(5000);
  cydp_key_table *keys;
  CHECK(cydp_key_table_new(&(cydp_strings){.bytes = (const uint8_t *)""}, UINT32_MAX,
                           &keys) == CYDP_ERROR_DOMAIN);
  return 0;
}
