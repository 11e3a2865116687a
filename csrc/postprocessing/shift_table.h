/* SPDX-License-Identifier: MIT
 *
 * The closest table whose total is less by a given number. */
#ifndef CYDP_POSTPROCESSING_SHIFT_TABLE_H
#define CYDP_POSTPROCESSING_SHIFT_TABLE_H

#include "postprocessing/table_sum.h"

/* Sets out[i] to counts[i] less its part of `excess`, which is excess / n rounded down or
 * up, n >= 1; the parts of -excess are those of excess, negated. Returns whether all
 * results are in int64; if not, what `out` holds is no table. */
bool cydp_shift_table(const int64_t *counts, size_t n, cydp_wide excess, int64_t *out);

#endif
