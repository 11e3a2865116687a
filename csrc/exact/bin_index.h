/* SPDX-License-Identifier: MIT
 *
 * The bin indices of numbers. */
#ifndef CYDP_EXACT_BIN_INDEX_H
#define CYDP_EXACT_BIN_INDEX_H

#include "cydp.h"

/* Sets the bin indices of n <= CYDP_INDEX_BATCH numbers. Another thread that writes to x
 * meanwhile may change an index, but never takes it out of bounds. */
void cydp_bin_indices(const cydp_bins *bins, cydp_dtype dtype, const void *x, size_t n,
                      uint32_t *indices);

#endif
