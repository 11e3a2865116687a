/* SPDX-License-Identifier: MIT
 * Adds noise to values, with ends that every neighbour can reach.
 * docs/mechanisms/saturating_add.md. */
#include "cydp.h"

static int64_t clamp(int64_t x, int64_t bound) {
  return x < -bound ? -bound : x > bound ? bound : x;
}

/* An overflow has the sign of the noise. */
static int64_t add(int64_t value, int64_t noise) {
  int64_t sum;
  if (__builtin_add_overflow(value, noise, &sum))
    return noise < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

void cydp_add_noise(const int64_t *values, size_t n, bool may_saturate, int64_t *noise) {
  if (!may_saturate)
    for (size_t i = 0; i < n; i++)
      noise[i] = add(values[i], noise[i]);
  else
    for (size_t i = 0; i < n; i++)
      noise[i] =
          clamp(add(clamp(values[i], CYDP_VALUE_BOUND), noise[i]), CYDP_VALUE_BOUND - 1);
}
