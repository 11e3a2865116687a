/* SPDX-License-Identifier: MIT
 *
 * Candidates by bounds of their keys. */
#ifndef CYDP_MECHANISMS_NOISY_MAX_BOUNDS_H
#define CYDP_MECHANISMS_NOISY_MAX_BOUNDS_H

#include "cydp.h"
#include "mechanisms/noisy_max_row.h"

/* The key of the best is above this with a probability of at least 1 - 2^-4300: who has
 * the best score falls below it only if more than 1,024 bits of its U are ones. */
#define CYDP_KEY_FLOOR (-8.0)

/* A candidate from how far, in keys.half, its score is behind, and a word. */
cydp_candidate cydp_candidate_of(const cydp_noisy_max *law, size_t place, double behind,
                                 uint32_t word);

/* Whether a is ahead of b; their bounds may become closer. */
cydp_status cydp_greater(const cydp_score_row *row, cydp_candidate *a, cydp_candidate *b,
                         cydp_work_mode work_mode, bool *ahead);

/* CYDP_ERROR_UNDECIDED unless the key is above the floor. */
cydp_status cydp_above_floor(const cydp_score_row *row, cydp_candidate *a);

#endif
