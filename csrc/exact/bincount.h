/* SPDX-License-Identifier: MIT
 *
 * For tests. */
#ifndef CYDP_EXACT_BINCOUNT_H
#define CYDP_EXACT_BINCOUNT_H

#include "cydp.h"

/* The one behind cydp_bincount: more counts than `near` are partitioned first. */
cydp_status cydp_bincount_flushing(const void *codes, cydp_number number, size_t n,
                                   int64_t *counts, size_t length, uint64_t *largest,
                                   unsigned threads, size_t flush_rows, size_t near);

#endif
