/* SPDX-License-Identifier: MIT
 *
 * How far counts are lowered, at 0 the latest, to have a total. */
#ifndef CYDP_POSTPROCESSING_THRESHOLD_H
#define CYDP_POSTPROCESSING_THRESHOLD_H

#include "postprocessing/table_sum.h"

/* The largest integer k for which the sum of max(count - k, 0) is at least the total. */
typedef struct cydp_threshold {
  int64_t k;
  uint64_t above;     /* how many counts are above k */
  uint64_t remainder; /* that sum less the total, below `above` */
  unsigned passes;    /* how often counts were read */
} cydp_threshold;

/* Finds the threshold of a total >= 1, from start <= k on. `scratch` has room for n
 * counts, and is overwritten. */
cydp_threshold cydp_find_threshold(const int64_t *counts, size_t n, cydp_wide total,
                                   int64_t start, int64_t *scratch);

#endif
