/* SPDX-License-Identifier: MIT
 * Counts as multiples of a base, and clamped counts. docs/releases/postprocessing.md. */
#include "cydp.h"

#include <stdbool.h>

/* The multiple of the base that is nearest to a count, ties to even multiples, or the last
 * one in int64. */
static int64_t round_one(int64_t count, uint64_t base, uint64_t *saturated) {
  const bool is_negative = count < 0;
  const uint64_t magnitude = is_negative ? 0 - (uint64_t)count : (uint64_t)count;
  const uint64_t most = (UINT64_C(1) << 63) - !is_negative;
  const uint64_t quotient = magnitude / base, over = magnitude - quotient * base;
  const uint64_t short_of = base - over;
  /* At most 2^63 + base / 2. */
  uint64_t rounded = magnitude - over;
  if (over > short_of || (over == short_of && quotient % 2))
    rounded += base;
  if (rounded > most) {
    rounded -= base;
    ++*saturated;
  }
  return (int64_t)(is_negative ? 0 - rounded : rounded);
}

cydp_status cydp_round_counts(const int64_t *counts, size_t n, int64_t base, int64_t *out,
                              size_t *saturated) {
  uint64_t found = 0;
  if (base < 1)
    return CYDP_ERROR_DOMAIN;
  for (size_t i = 0; i < n; i++)
    out[i] = round_one(counts[i], (uint64_t)base, &found);
  *saturated = (size_t)found;
  return CYDP_OK;
}

void cydp_clamp_counts(const int64_t *counts, size_t n, int64_t lower, int64_t upper,
                       int64_t *out) {
  for (size_t i = 0; i < n; i++) {
    int64_t count = counts[i] < lower ? lower : counts[i];
    out[i] = count > upper ? upper : count;
  }
}
