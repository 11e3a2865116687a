/* SPDX-License-Identifier: MIT
 *
 * cydp_bound_contributions with a choice that tests make. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_H
#define CYDP_EXACT_CONTRIBUTIONS_H

#include "cydp.h"

/* cydp_bound_contributions with slices of about slice_rows rows, or one part if that has
 * more; 0 means as many as it chooses itself. The mask is the same. */
cydp_status cydp_bound_slices(const cydp_column *users, const cydp_partitions *partitions,
                              const uint64_t *contents, const uint8_t *valid, size_t n,
                              uint64_t max_partitions, uint64_t max_rows,
                              const uint64_t key[2], size_t slice_rows, unsigned threads,
                              uint8_t *mask, uint32_t *pairs, size_t *n_pairs);

#endif
