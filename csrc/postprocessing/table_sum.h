/* SPDX-License-Identifier: MIT
 *
 * The sum and the extremes of a table of counts. */
#ifndef CYDP_POSTPROCESSING_TABLE_SUM_H
#define CYDP_POSTPROCESSING_TABLE_SUM_H

#include "cydp.h"

__extension__ typedef __int128 cydp_wide;

typedef struct cydp_table_sum {
  cydp_wide total;
  int64_t smallest, largest; /* INT64_MAX and INT64_MIN if there are no cells */
} cydp_table_sum;

/* Returns the sum of n < 2^63 counts, exactly, and their extremes. */
cydp_table_sum cydp_sum_table(const int64_t *counts, size_t n);

#endif
