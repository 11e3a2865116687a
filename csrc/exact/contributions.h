/* SPDX-License-Identifier: MIT
 *
 * The entry behind cydp_bound_contributions, for tests. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_H
#define CYDP_EXACT_CONTRIBUTIONS_H

#include "cydp.h"

/* cydp_bound_contributions with records of so many rows at a time, or more if one part
 * has them: for tests. The mask is the same. */
cydp_status cydp_bound_slices(const cydp_column *users, const cydp_column *partitions,
                              const uint8_t *valid, size_t n, uint64_t max_partitions,
                              uint64_t max_rows, const uint64_t key[2], size_t slice_rows,
                              unsigned threads, uint8_t *mask);

#endif
