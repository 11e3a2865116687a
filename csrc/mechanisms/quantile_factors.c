/* SPDX-License-Identifier: MIT
 * exp(-rate d / b), to any precision; contracts in quantile_factors.h.
 * docs/mechanisms/quantile.md. */
#include "mechanisms/quantile_factors.h"
#include "base/fixed_point.h"
#include "cydp.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/exponential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEGLIGIBLE = 45 }; /* exp(-45 limbs) is less than half an ulp */

/* Sets out to exp(-rate d / b), with x = rate d / b rounded down to CYDP_RATE_FRACTION
 * limbs, not negligible. */
static void set_factor(size_t limbs, uint64_t *out, const uint64_t *x) {
  cydp_fixed factor;
  cydp_exp_negative(limbs, factor, x + (CYDP_RATE_FRACTION - limbs - 1));
  memcpy(out, factor, limbs * sizeof *out);
}

void cydp_prepare_factors(const cydp_quantile *quantile, size_t limbs,
                          cydp_quantile_factors *factors) {
  const double negligible = (double)(NEGLIGIBLE * limbs);
  const double steps = negligible / (quantile->over_b * (double)quantile->b);
  cydp_fixed x;
  *factors = (cydp_quantile_factors){.limbs = limbs};
  factors->reach = steps < 0x1p63 ? (uint64_t)steps + 2 : UINT64_MAX;
  memcpy(x, quantile->rate, sizeof x);
  uint64_t left = quantile->b;
  for (double d = quantile->over_b; d < negligible && left; d *= 2, left >>= 1) {
    set_factor(limbs, factors->power + limbs * factors->powers++, x);
    cydp_fixed_add(CYDP_RATE_FRACTION, x, x, x);
  }
  if (steps > 1) {
    cydp_fixed_multiply_word(CYDP_RATE_FRACTION, x, quantile->rate, quantile->b);
    set_factor(limbs, factors->gap, x);
  }
}

void cydp_factor_of(const cydp_quantile_factors *factors, cydp_distance distance,
                    uint64_t *out) {
  size_t limbs = factors->limbs;
  bool near = distance >> factors->powers == 0;
  memset(out, near ? 0xff : 0, limbs * sizeof *out);
  for (size_t i = 0; near && distance; i++, distance >>= 1)
    if (distance & 1)
      cydp_multiply_factors(limbs, out, out, factors->power + limbs * i);
}

cydp_status cydp_quantile_new(uint64_t a, uint64_t b, const cydp_rational *rate,
                              cydp_quantile **out) {
  const cydp_rational c = cydp_drop_zero_limbs(rate);
  if (b == 0 || a > b || c.numerator_limbs == 0 || c.denominator_limbs == 0 ||
      c.numerator_limbs > CYDP_RATE_LIMBS || c.denominator_limbs > CYDP_RATE_LIMBS)
    return CYDP_ERROR_DOMAIN;
  uint64_t denominator[CYDP_RATE_LIMBS + 1] = {0};
  memcpy(denominator, c.denominator, c.denominator_limbs * sizeof *denominator);
  cydp_fixed_multiply_word(CYDP_RATE_LIMBS, denominator, denominator, b);
  cydp_quantile *quantile = calloc(1, sizeof *quantile);
  if (!quantile)
    return CYDP_ERROR_MEMORY;
  quantile->a = a;
  quantile->b = b;
  bool exact;
  cydp_status status = cydp_fixed_divide(
      CYDP_RATE_FRACTION, quantile->rate, c.numerator, c.numerator_limbs, denominator,
      cydp_significant_limbs(denominator, CYDP_RATE_LIMBS + 1), &exact);
  if (status == CYDP_ERROR_MEMORY) {
    free(quantile);
    return status;
  }
  for (size_t i = 0; i <= CYDP_RATE_FRACTION; i++)
    quantile->over_b = quantile->over_b * 0x1p-64 + (double)quantile->rate[i];
  if (status == CYDP_ERROR_DOMAIN)
    quantile->over_b = INFINITY;
  cydp_prepare_factors(quantile, CYDP_QUANTILE_LIMBS, &quantile->factors);
  *out = quantile;
  return CYDP_OK;
}

void cydp_quantile_free(cydp_quantile *quantile) { free(quantile); }
