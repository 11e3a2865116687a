/* SPDX-License-Identifier: MIT
 *
 * Which of two candidates has the greater noisy score, exactly. */
#ifndef CYDP_MECHANISMS_NOISY_MAX_EXACT_H
#define CYDP_MECHANISMS_NOISY_MAX_EXACT_H

#include "cydp.h"
#include "cydp_testing.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/exact_comparison.h"

/* Returns the bits of a candidate's U, from the first on. */
cydp_bits cydp_candidate_bits(const cydp_score_row *row, const cydp_candidate *a,
                              cydp_work *work);

/* Sets *greater to whether a's noisy score is greater than b's. */
cydp_status cydp_greater_exactly(const cydp_score_row *row, const cydp_candidate *a,
                                 const cydp_candidate *b, bool *greater);

#endif
