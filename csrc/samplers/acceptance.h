/* SPDX-License-Identifier: MIT
 *
 * Acceptance with probability exp(-g): the polynomials, and the second look. */
#ifndef CYDP_SAMPLERS_ACCEPTANCE_H
#define CYDP_SAMPLERS_ACCEPTANCE_H

#include "samplers/exact_comparison.h"

/* exp(-g) on [0, CYDP_ACCEPT_LIMIT], within CYDP_ACCEPT_ERROR (proved: a sixteenth); and
 * in single precision. */
#define CYDP_ACCEPT_LIMIT 1.25
#define CYDP_ACCEPT_ERROR 0x1p-20
#define CYDP_ACCEPT_TERMS 8
#define CYDP_ACCEPT_SINGLE_ERROR 0x1p-17F
#define CYDP_ACCEPT_SINGLE_TERMS 7
extern const double cydp_accept_q[CYDP_ACCEPT_TERMS];
extern const float cydp_accept_single_q[CYDP_ACCEPT_SINGLE_TERMS];

/* Returns whether V < exp(-g), 0 <= g, by 64 bits of V: yes, no, or too close to tell.
 * exp(-g) is within CYDP_TAIL_ERROR / 16 for g <= 4; for larger g nothing is certain. */
cydp_answer cydp_look_again_below_exponential(uint64_t v, double g);

#endif
