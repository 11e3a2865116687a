/* SPDX-License-Identifier: MIT
 * Value plus noise with ends that every neighbour can reach (docs/sampling.md). */
#include "internal.h"

static int64_t clamp(int64_t x, int64_t bound) {
  return x < -bound ? -bound : x > bound ? bound : x;
}

void cydp_add_noise(int64_t *values, const int64_t *noise, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int64_t value = clamp(values[i], CYDP_VALUE_BOUND);
    int64_t sum;
    /* An overflow has the sign of the noise, and so has the end it is clamped to. */
    if (__builtin_add_overflow(value, noise[i], &sum))
      sum = noise[i] < 0 ? INT64_MIN + 1 : INT64_MAX;
    values[i] = clamp(sum, CYDP_VALUE_BOUND - 1);
  }
}
