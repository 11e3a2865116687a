/* SPDX-License-Identifier: MIT
 *
 * The entry behind cydp_bincount, in which a test chooses when tables are flushed. */
#ifndef CYDP_EXACT_BINCOUNT_H
#define CYDP_EXACT_BINCOUNT_H

#include "cydp.h"

/* More counts than `near` are partitioned first. */
cydp_status cydp_bincount_flushing(const void *codes, cydp_number number, size_t n,
                                   int64_t *counts, size_t length, uint64_t *largest,
                                   unsigned threads, size_t flush_rows, size_t near);

#endif
