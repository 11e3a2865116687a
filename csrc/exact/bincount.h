/* SPDX-License-Identifier: MIT
 *
 * The entry behind cydp_bincount, in which a test chooses when tables are flushed. */
#ifndef CYDP_EXACT_BINCOUNT_H
#define CYDP_EXACT_BINCOUNT_H

#include "cydp.h"

/* More counts than `near` are partitioned first. */
cydp_status cydp_bincount_flushing(const void *codes, cydp_dtype dtype, size_t n,
                                   size_t length, size_t flush_rows, size_t near,
                                   unsigned threads, int64_t *counts, uint64_t *largest);

#endif
