/* SPDX-License-Identifier: MIT
 * Contribution bounding for any users and partitions. docs/exact/contributions.md. */
#define WORD_BITS 64
#define PASSES cydp_bounding_wide
#include "exact/contributions_passes.h"
#include "exact/contributions_rows.h"
