/* SPDX-License-Identifier: MIT
 *
 * Who of two candidates is ahead, exactly. */
#ifndef CYDP_MECHANISMS_NOISY_MAX_EXACT_H
#define CYDP_MECHANISMS_NOISY_MAX_EXACT_H

#include "cydp.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/exact_comparison.h"

/* The bits of a runner's U, from the first on. */
cydp_bits cydp_runner_bits(const cydp_field *row, const cydp_runner *a, cydp_work *work);

/* Whether a is ahead of b. */
cydp_status cydp_ahead_exactly(const cydp_field *row, const cydp_runner *a,
                               const cydp_runner *b, bool *ahead);

#endif
