/* SPDX-License-Identifier: MIT
 *
 * cydp_bincount with the choices that tests make. */
#ifndef CYDP_EXACT_BINCOUNT_H
#define CYDP_EXACT_BINCOUNT_H

#include "cydp.h"

/* Tables are flushed after flush_rows; codes with more than `near` counts are partitioned
 * first. */
cydp_status cydp_bincount_flushing(const void *codes, cydp_dtype dtype, size_t n,
                                   size_t length, size_t flush_rows, size_t near,
                                   unsigned threads, int64_t *counts, uint64_t *largest);

#endif
