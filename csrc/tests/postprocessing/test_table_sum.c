/* SPDX-License-Identifier: MIT
 * Sums beyond 64 bits, over the ends of blocks. */
#include "postprocessing/table_sum.h"
#include "tests/check.h"

enum { N = (1 << 16) * 2 + 5 };

static int64_t counts[N];

int main(void) {
  const int64_t extremes[] = {INT64_MAX, INT64_MIN, -1, 0, 1, INT64_C(1) << 32};
  cydp_table_sum sum = cydp_sum_table(counts, 0);
  CHECK(sum.total == 0 && sum.smallest == INT64_MAX && sum.largest == INT64_MIN);
  for (size_t e = 0; e < 6; e++) {
    for (size_t i = 0; i < N; i++)
      counts[i] = extremes[e];
    for (size_t n = 1; n < N; n = n < 5 ? n + 1 : n + (1 << 16) - 4) {
      sum = cydp_sum_table(counts, n);
      CHECK(sum.total == (cydp_wide)extremes[e] * (cydp_wide)n);
      CHECK(sum.smallest == extremes[e] && sum.largest == extremes[e]);
    }
  }
  cydp_wide total = 0;
  uint64_t state = 1;
  for (size_t i = 0; i < N - 2; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    counts[i] = (int64_t)state;
    total += counts[i];
  }
  counts[N - 2] = INT64_MAX;
  counts[N - 1] = INT64_MIN;
  sum = cydp_sum_table(counts, N - 2);
  CHECK(sum.total == total);
  CHECK(cydp_sum_table(counts, N).total == sum.total - 1);
  CHECK(cydp_sum_table(counts, N).smallest == INT64_MIN);
  CHECK(cydp_sum_table(counts, N).largest == INT64_MAX);
  return 0;
}
