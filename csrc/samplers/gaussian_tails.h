/* SPDX-License-Identifier: MIT
 *
 * Gaussian distributions by their tails. */
#ifndef CYDP_SAMPLERS_GAUSSIAN_TAILS_H
#define CYDP_SAMPLERS_GAUSSIAN_TAILS_H

#include "base/fixed_point.h"
#include "samplers/exact_comparison.h"

/* Tails of Gaussian distributions, rho(j) = exp(-j^2 / (2 s^2)), 1e-3 <= s < 14.5: T_k =
 * 2 S_k / (1 + 2 S_1) for S_k = rho(k) + rho(k + 1) + ..., or S_k / (1 + S_1) if
 * `one_sided`. */
#define CYDP_GAUSSIAN_LIMBS 2 /* as many as an exact comparison nearly always needs */
#define CYDP_GAUSSIAN_TERMS 240 /* rho(j) above 2^-192, and zeros */
typedef struct cydp_gaussian_tails {
  cydp_tails tails;
  bool one_sided;
  cydp_fixed rate; /* 1 / (2 s^2), CYDP_MOST_LIMBS + 2 fraction limbs, rounded down */
  /* W_k = Z T_k, within 2 ulps above a guard limb, and T_k. */
  uint64_t sums[CYDP_GAUSSIAN_TERMS][CYDP_GAUSSIAN_LIMBS + 2];
  double rounded[CYDP_GAUSSIAN_TERMS];
} cydp_gaussian_tails;
void cydp_gaussian_tails_prepare(cydp_gaussian_tails *tails, const uint64_t *rate,
                                 bool one_sided);

#endif
