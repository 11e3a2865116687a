/* SPDX-License-Identifier: MIT
 * Upper bounds of noisy scores, the next candidate whose bound is large enough, and the
 * largest score: the versions to read. docs/mechanisms/noisy_max.md. */
#include "mechanisms/kernels.h"

#include <math.h>
#include <string.h>

int32_t cydp_score_bounds_portable(const cydp_noisy_max_constants *constants,
                                   double reference, const double *scores,
                                   const uint32_t *words, size_t n, int32_t *bounds) {
  const double half = constants->half, rate = constants->rate,
               rate_units = constants->rate_units;
  int32_t largest = INT32_MIN;
  for (size_t i = 0; i < n; i++) {
    double v = ((scores[i] * half - reference) * rate) * rate_units;
    v = v > CYDP_LEAST_BOUND ? v : CYDP_LEAST_BOUND; /* NaN too */
    v = v < 0 ? v : 0;
    float rounded = (float)(int32_t)(words[i] >> 1);
    int32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    bounds[i] = (int32_t)v - bits;
    largest = bounds[i] > largest ? bounds[i] : largest;
  }
  return largest;
}

enum { GROUP = 16 };

size_t cydp_next_candidate_portable(const int32_t *bounds, int32_t limit, size_t first,
                                    size_t n) {
  size_t i = first;
  for (; i + GROUP <= n; i += GROUP) {
    int32_t any = 0;
    for (size_t j = 0; j < GROUP; j++)
      any |= bounds[i + j] >= limit;
    if (any)
      break;
  }
  while (i < n && bounds[i] < limit)
    i++;
  return i;
}

/* Several lanes do not wait for each other. */
double cydp_largest_portable(const double *x, size_t n) {
  enum { LANES = 8 };
  double lane[LANES], largest = -INFINITY;
  size_t i = 0;
  for (size_t j = 0; j < LANES; j++)
    lane[j] = -INFINITY;
  for (; i + LANES <= n; i += LANES)
    for (size_t j = 0; j < LANES; j++)
      lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  for (; i < n; i++)
    largest = x[i] > largest ? x[i] : largest;
  for (size_t j = 0; j < LANES; j++)
    largest = lane[j] > largest ? lane[j] : largest;
  return largest;
}

int64_t cydp_largest_integer_portable(const int64_t *x, size_t n) {
  int64_t largest = x[0], other = x[n - 1]; /* two maxima do not wait for each other */
  size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    largest = x[i] > largest ? x[i] : largest;
    other = x[i + 1] > other ? x[i + 1] : other;
  }
  return largest > other ? largest : other;
}

/* Both halves of an integer are exact under the bits of 2^84 and 2^52. */
void cydp_distances_portable(int64_t top, double factor, const int64_t *x, size_t n,
                             double *out) {
  for (size_t i = 0; i < n; i++) {
    uint64_t distance = (uint64_t)top - (uint64_t)x[i];
    uint64_t upper = distance >> 32 | UINT64_C(0x4530000000000000);
    uint64_t lower = (distance & UINT32_MAX) | UINT64_C(0x4330000000000000);
    double high, low;
    memcpy(&high, &upper, sizeof high);
    memcpy(&low, &lower, sizeof low);
    out[i] = factor * ((high - (0x1p84 + 0x1p52)) + low);
  }
}
