/* SPDX-License-Identifier: MIT
 * What a kernel may write: values that it was not to touch, and what it says of lanes. */
#ifndef CYDP_TESTS_SAMPLERS_LANES_H
#define CYDP_TESTS_SAMPLERS_LANES_H

#include "samplers/kernels.h"
#include "tests/check.h"

#include <string.h>

#define UNTOUCHED INT64_C(0x5a5a5a5a5a5a5a5a)

/* What a kernel says of its lanes: one bit for each lane. Other bits of the last byte
 * are 0, and nothing is written behind that byte. */
typedef struct lanes {
  uint8_t guarded[CYDP_BATCH / 8 + 2], *open;
} lanes;

static inline lanes *no_lanes(void) {
  static lanes undecided;
  memset(undecided.guarded, 0x5a, sizeof undecided.guarded);
  undecided.open = undecided.guarded + 1;
  return &undecided;
}

static inline bool is_open(const lanes *undecided, size_t i) {
  return undecided->open[i / 8] >> i % 8 & 1;
}

static inline size_t count_open(const lanes *undecided, size_t n) {
  size_t count = 0;
  CHECK(undecided->guarded[0] == 0x5a && undecided->open[(n + 7) / 8] == 0x5a);
  for (size_t i = 0; i < (n + 7) / 8 * 8; i++) {
    CHECK(i < n || !is_open(undecided, i));
    count += is_open(undecided, i);
  }
  return count;
}

#endif
