/* SPDX-License-Identifier: MIT
 *
 * cydp_histogram with a choice that tests make: tables are flushed after flush_rows. */
#ifndef CYDP_EXACT_HISTOGRAM_H
#define CYDP_EXACT_HISTOGRAM_H

#include "cydp.h"

cydp_status cydp_histogram_flushing(const cydp_axis *axes, size_t n_axes, size_t n,
                                    size_t flush_rows, unsigned threads, int64_t *counts);

#endif
