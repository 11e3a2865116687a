/* SPDX-License-Identifier: MIT
 * Integers of every type among keys that lie close to each other, against a search. */
#include "cydp.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 150001, KEYS = 50 }; /* rows of three tasks */

/* Writes the lower bytes of a value, and returns it as the type holds it. */
static int64_t put(cydp_dtype dtype, char *column, size_t i, int64_t value) {
  switch (dtype) {
  case CYDP_I64:
    return ((int64_t *)column)[i] = value;
  case CYDP_I32:
    return ((int32_t *)column)[i] = (int32_t)value;
  case CYDP_I16:
    return ((int16_t *)column)[i] = (int16_t)value;
  case CYDP_I8:
    return ((int8_t *)column)[i] = (int8_t)value;
  case CYDP_U32:
    return ((uint32_t *)column)[i] = (uint32_t)value;
  case CYDP_U16:
    return ((uint16_t *)column)[i] = (uint16_t)value;
  default:
    return ((uint8_t *)column)[i] = (uint8_t)value;
  }
}

/* Places are in another order than keys, and some distances are no key's. */
static void check(cydp_dtype dtype, int64_t least, bool in_order, bool masked) {
  static char column[8 * ROWS];
  static uint32_t codes[ROWS], expected[ROWS];
  static uint8_t valid[ROWS];
  uint32_t places[KEYS + 1];
  for (uint32_t d = 0; d <= KEYS; d++)
    places[d] = in_order ? d : d % 7 == 3 || d == KEYS ? 1000 : KEYS - d;
  for (size_t i = 0; i < ROWS; i++) {
    /* may wrap, to the other end of the integers */
    const uint64_t near = (uint64_t)least + i * 13 % 90 - 20;
    const int64_t value = put(dtype, column, i, (int64_t)near);
    valid[i] = i % 11 != 0;
    expected[i] = places[KEYS];
    for (uint32_t d = 0; d < KEYS && (valid[i] || !masked); d++)
      if (value == least + (int64_t)d)
        expected[i] = places[d];
  }
  for (unsigned threads = 1; threads < 4; threads++) {
    memset(codes, 0xff, sizeof codes);
    CHECK(cydp_dense_lookup(column, dtype, (uint64_t)least, KEYS,
                            in_order ? NULL : places, masked ? valid : NULL, ROWS,
                            threads, codes) == CYDP_OK);
    CHECK(memcmp(codes, expected, sizeof codes) == 0);
  }
}

int main(void) {
  const int64_t least[] = {-30, 0, 60, 100, INT64_MIN + 20, INT64_MAX - 70};
  uint32_t code = 7;
  for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_U8; dtype++)
    for (size_t k = 0; k < (dtype == CYDP_I64 ? 6 : 4); k++)
      for (int way = 0; way < 4; way++)
        check(dtype, least[k], way & 1, way & 2);
  CHECK(cydp_dense_lookup("", CYDP_F64, 0, 1, NULL, NULL, 0, 1, &code) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_dense_lookup("", CYDP_U8, 0, 1, NULL, NULL, 0, 1, &code) == CYDP_OK);
  CHECK(code == 7);
  return 0;
}
