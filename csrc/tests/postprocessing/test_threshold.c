/* SPDX-License-Identifier: MIT
 * The threshold against its definition, and the number of passes, for counts of all
 * sizes. */
#include "postprocessing/threshold.h"
#include "tests/check.h"

enum { N = 200000 };

static int64_t counts[N], scratch[N];

static cydp_wide excess_at(size_t n, cydp_wide k) {
  cydp_wide sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += counts[i] > k ? counts[i] - k : 0;
  return sum;
}

static unsigned log2_above(cydp_wide x) {
  unsigned bits = 0;
  while (x > (cydp_wide)1 << bits)
    bits++;
  return bits;
}

/* docs/releases/postprocessing.md bounds the passes. */
static void check_total(size_t n, cydp_wide total, int64_t start) {
  if (total < 1 || excess_at(n, start) < total)
    return;
  cydp_threshold found = cydp_find_threshold(counts, n, total, start, scratch);
  uint64_t above = 0;
  for (size_t i = 0; i < n; i++)
    above += counts[i] > found.k;
  CHECK(excess_at(n, found.k) == total + found.remainder);
  CHECK(found.above == above && found.remainder < above);
  CHECK(excess_at(n, (cydp_wide)found.k + 1) < total);
  unsigned passes = log2_above(excess_at(n, start) - total + 1) + log2_above((cydp_wide)n);
  CHECK(found.passes <= passes + 2);
}

static void check_all(size_t n, int64_t start) {
  cydp_wide most = excess_at(n, start);
  for (cydp_wide total = most; total > 0; total = total < 5 ? total - 1 : total / 3)
    check_total(n, total, start);
}

int main(void) {
  uint64_t state = 1;
  for (unsigned kind = 0; kind < 5; kind++) {
    for (size_t i = 0; i < N; i++) {
      state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      int64_t word = (int64_t)state;
      unsigned bits = (unsigned)(state >> 58);
      counts[i] = kind == 0   ? word
                  : kind == 1 ? word >> bits /* every size, of both signs */
                  : kind == 2 ? 7
                  : kind == 3 ? (i == 3 ? INT64_MAX : -(word >> 60))
                              : (int64_t)(UINT64_C(1) << (i * 63 / N));
    }
    for (size_t n = 1; n < N; n = n * 7 + 1) {
      check_all(n, 0);
      check_all(n, -1);
      check_all(n, INT64_MIN);
    }
    check_total(N, excess_at(N, 0) / 2, INT64_MIN);
    check_total(N, 1, INT64_MIN);
  }
  return 0;
}
