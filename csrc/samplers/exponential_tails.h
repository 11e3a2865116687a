/* SPDX-License-Identifier: MIT
 *
 * Exponential distributions by their tails. */
#ifndef CYDP_SAMPLERS_EXPONENTIAL_TAILS_H
#define CYDP_SAMPLERS_EXPONENTIAL_TAILS_H

#include "base/fixed_point.h"
#include "samplers/exact_comparison.h"

/* Returns whether U < exp(-x), for an x in [x, x + 2 ulps) of n + 1 limbs. */
cydp_answer cydp_below_exponential(size_t n, const uint64_t *u, const uint64_t *x);

/* Limbs of 1 + p that a sampler holds, of which a comparison reads the upper 2 or 4: all
 * CYDP_MOST_LIMBS would take most of the time of a new sampler. */
#define CYDP_PREPARED_LIMBS 5

/* Tails of exponential distributions: T_k = 2 p^k / (1 + p), or p^k if `one_sided`; p =
 * exp(-1/t). */
typedef struct cydp_exponential_tails {
  cydp_tails tails;
  bool one_sided;
  cydp_fixed inverse; /* 1 / t, with CYDP_MOST_LIMBS + 2 fraction limbs */
  uint64_t one_plus_p[CYDP_PREPARED_LIMBS + 1]; /* 1 + p, within 2 ulps */
  double scale, offset; /* t, and a = t ln(2 / (1 + p)) or 0, rounded */
  double inverse_scale; /* 1 / t, rounded */
} cydp_exponential_tails;

/* Prepares tails from 1 / t with CYDP_MOST_LIMBS + 2 fraction limbs, rounded down. */
void cydp_exponential_tails_prepare(cydp_exponential_tails *tails,
                                    const uint64_t *inverse, bool one_sided);

#endif
