/* SPDX-License-Identifier: MIT
 * Contribution bounding for users and partitions below 2^32, and at most 2^28 rows.
 * docs/exact/contributions.md. */
#define WORD_BITS 32
#define PASSES cydp_bounding_narrow
#include "exact/contributions_passes.h"
#include "exact/contributions_rows.h"
