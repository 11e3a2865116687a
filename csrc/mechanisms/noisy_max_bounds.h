/* SPDX-License-Identifier: MIT
 *
 * Bounds of candidates' noisy scores. */
#ifndef CYDP_MECHANISMS_NOISY_MAX_BOUNDS_H
#define CYDP_MECHANISMS_NOISY_MAX_BOUNDS_H

#include "cydp.h"
#include "mechanisms/noisy_max_row.h"

/* The largest noisy score is above this with a probability of at least 1 - 2^-4300: the
 * candidate with the best score falls below only if more than 1,024 bits of its U are
 * ones. */
#define CYDP_NOISY_SCORE_FLOOR (-8.0)

/* Returns a candidate whose score is `behind` the best one, in units of constants.half,
 * with its word. */
cydp_candidate cydp_candidate_of(const cydp_noisy_max *noisy_max, size_t place,
                                 double behind, uint32_t word);

/* Sets *greater to whether a's noisy score is greater than b's; may narrow the bounds of
 * both. */
cydp_status cydp_greater(const cydp_score_row *row, cydp_candidate *a, cydp_candidate *b,
                         cydp_work_mode work_mode, bool *greater);

/* Returns CYDP_ERROR_UNDECIDED unless the noisy score is above the floor, for certain; for a
 * winner, nearly never. docs/mechanisms/noisy_max.md, "The delta that remains". */
cydp_status cydp_check_floor(const cydp_score_row *row, cydp_candidate *a);

#endif
