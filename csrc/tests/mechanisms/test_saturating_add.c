/* SPDX-License-Identifier: MIT
 * Value plus noise at the ends. */
#include "cydp.h"
#include "tests/check.h"

static int64_t add(int64_t value, int64_t noise, bool may_saturate) {
  cydp_add_noise(&value, 1, may_saturate, &noise);
  return noise;
}

int main(void) {
  const int64_t bound = CYDP_VALUE_BOUND;
  CHECK(add(2, -3, true) == -1);
  CHECK(add(2, -3, false) == -1);
  /* Noise that may have been cut. */
  CHECK(add(INT64_MAX, 0, true) == bound - 1);
  CHECK(add(INT64_MIN, 0, true) == -bound + 1);
  CHECK(add(INT64_MAX, INT64_MAX, true) == bound - 1);
  CHECK(add(INT64_MIN, -INT64_MAX, true) == -bound + 1);
  CHECK(add(-bound, INT64_MAX, true) == bound - 1);
  CHECK(add(bound, -INT64_MAX, true) == -bound + 1);
  CHECK(add(bound, -1, true) == bound - 1);
  CHECK(add(bound, -2, true) == bound - 2);
  CHECK(add(INT64_MAX, -2, true) == bound - 2); /* clamped before noise is added */
  CHECK(add(INT64_MIN, 2, true) == -bound + 2);
  /* Noise that has not. */
  CHECK(add(INT64_MAX, 0, false) == INT64_MAX);
  CHECK(add(INT64_MIN, 0, false) == INT64_MIN);
  CHECK(add(INT64_MAX, 1, false) == INT64_MAX);
  CHECK(add(INT64_MIN, -bound, false) == INT64_MIN);
  CHECK(add(INT64_MAX, -bound, false) == INT64_MAX - bound);
  CHECK(add(INT64_MIN, bound, false) == INT64_MIN + bound);
  return 0;
}
