/* SPDX-License-Identifier: MIT
 *
 * The entry behind cydp_histogram, in which a test chooses when tables are flushed. */
#ifndef CYDP_EXACT_HISTOGRAM_H
#define CYDP_EXACT_HISTOGRAM_H

#include "cydp.h"

cydp_status cydp_histogram_flushing(const cydp_axis *axes, size_t n_axes, size_t n,
                                    size_t flush_rows, unsigned threads, int64_t *counts);

#endif
