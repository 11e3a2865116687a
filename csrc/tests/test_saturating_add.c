/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "cydp.h"

static int64_t add(int64_t value, int64_t noise) {
  cydp_add_noise(&value, &noise, 1);
  return value;
}

int main(void) {
  const int64_t end = CYDP_VALUE_BOUND - 1;
  CHECK(add(3, -5) == -2);
  CHECK(add(end, 0) == end);
  CHECK(add(end, 1) == end);
  CHECK(add(INT64_MAX, 0) == end && add(INT64_MIN, 0) == -end);
  CHECK(add(INT64_MAX, INT64_MAX) == end && add(INT64_MIN, INT64_MIN + 1) == -end);
  CHECK(add(INT64_MIN, INT64_MAX) == end && add(INT64_MAX, INT64_MIN + 1) == -end);
  CHECK(add(INT64_MIN, CYDP_VALUE_BOUND + 5) == 5);
  CHECK(add(0, INT64_MIN) == -end);
  /* The ends of the noise reach the ends of the result from every value. */
  CHECK(add(-CYDP_VALUE_BOUND, INT64_MAX) == end);
  CHECK(add(CYDP_VALUE_BOUND, -INT64_MAX) == -end);
}
