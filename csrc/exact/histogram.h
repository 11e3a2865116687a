/* SPDX-License-Identifier: MIT
 *
 * For tests. */
#ifndef CYDP_EXACT_HISTOGRAM_H
#define CYDP_EXACT_HISTOGRAM_H

#include "cydp.h"

/* The entry behind cydp_histogram: tests choose when tables are flushed. */
cydp_status cydp_histogram_flushing(const cydp_axis *axes, size_t n_axes, size_t n,
                                    int64_t *counts, unsigned threads, size_t flush_rows);

#endif
