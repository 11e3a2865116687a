/* SPDX-License-Identifier: MIT
 *
 * The slots of numbers among bins. */
#ifndef CYDP_EXACT_BIN_INDEX_H
#define CYDP_EXACT_BIN_INDEX_H

#include "cydp.h"

/* The slots of n <= CYDP_INDEX_BATCH numbers. What another thread writes to x meanwhile
 * may change a slot, never take it out of bounds. */
void cydp_bin_indices(const cydp_bins *bins, cydp_dtype dtype, const void *x, size_t n,
                      uint32_t *indices);

#endif
