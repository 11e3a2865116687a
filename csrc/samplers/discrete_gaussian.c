/* SPDX-License-Identifier: MIT
 * The discrete Gaussian distribution: by a CDF table for sigma < 14.5; else as sign (M x
 * + R), M = 2^m, with a quotient x of the half-Gaussian of s0 = sigma / M in [4, 8) and a
 * remainder R from 0 to M - 1, accepted with probability exp(-g), g = R (R + 2 M x) / (2
 * sigma^2). docs/samplers/discrete_gaussian.md. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/acceptance.h"
#include "samplers/batch.h"
#include "samplers/bitmap.h"
#include "samplers/cdf_table.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential_tails.h"
#include "samplers/gaussian_tails.h"
#include "samplers/kernels.h"
#include "samplers/quotient_remainder.h"
#include "samplers/sampler.h"

#include <math.h>
#include <string.h>

enum {
  RATE_LIMBS =
      CYDP_MOST_LIMBS + 4, /* of 1/(2 sigma^2): times 4^m, MOST_LIMBS + 2 are left */
  TABLE_CHUNK = 1920,
  CANDIDATES = 1194,    /* of 6 or 12 bytes fill 7 or 14 groups of keystream */
  CANDIDATES_32 = 1280, /* of 8 bytes fill 10 */
  V_BITS = 16
};
/* The 16 bits of V that hold exp(-g) and those next to them, at most; and g >
 * CYDP_ACCEPT_LIMIT, which takes an x beyond 4.8 s0. */
#define V_RATE (0x1p-15 + 0x1p-19)
#define V_RESOLVED (4 * CYDP_TAIL_ERROR)

typedef struct gaussian_sampler {
  cydp_sampler base;
  cydp_gaussian_tails tails;
  cydp_cdf_table_method table;
  cydp_gaussian_constants constants; /* m = 0: no remainder */
  cydp_fixed rate; /* 1 / (2 sigma^2), RATE_LIMBS fraction limbs, rounded down */
} gaussian_sampler;

static cydp_status map_by_table(const cydp_sampler *self, const cydp_batch *batch,
                                void *out, size_t *values) {
  const gaussian_sampler *gaussian = (const gaussian_sampler *)self;
  uint16_t magnitudes[CYDP_BATCH];
  cydp_status status =
      cydp_cdf_table_map(&gaussian->table, batch, batch->plane[0], magnitudes);
  cydp_samplers_kernels()->signs(magnitudes, batch->signs, batch->n, out);
  *values = batch->n;
  return status;
}

typedef struct exponent_bound {
  const gaussian_sampler *gaussian;
  uint64_t x, remainder;
} exponent_bound;

/* Whether V < exp(-g). R (R + 2 M x) is below 2^121 and 1/(2 sigma^2) short by 2^-1280 at
 * most, so the error of g is less than an ulp of 17 limbs, and one more by the cut. */
static cydp_answer accepts(const void *bound, size_t n, const uint64_t *v) {
  const exponent_bound *exponent = bound;
  const size_t wide = n + 4;
  cydp_fixed g, factor;
  const uint64_t *rate = exponent->gaussian->rate + (RATE_LIMBS - wide);
  uint64_t twice_mx = exponent->x << exponent->gaussian->constants.shift
                                  << 1; /* x < 2^9, m <= 54 */
  cydp_fixed_multiply_word(wide, factor, rate, exponent->remainder + twice_mx);
  cydp_fixed_multiply_word(wide, g, factor, exponent->remainder);
  return cydp_below_exponential(n, v, g + 3);
}

typedef struct acceptance_decision {
  cydp_decision base;
  const gaussian_sampler *gaussian;
  const void *words;
  const uint16_t *x, *v;
  uint8_t *accepted;
} acceptance_decision;

static uint64_t v_prefix(const cydp_decision *self, size_t lane) {
  return ((const acceptance_decision *)self)->v[lane];
}

static uint64_t look_again(const cydp_decision *self, size_t n, const uint16_t *lanes,
                           const uint64_t *v, uint64_t *answers) {
  const acceptance_decision *acceptance = (const acceptance_decision *)self;
  const cydp_gaussian_constants *constants = &acceptance->gaussian->constants;
  uint64_t open = 0;
  for (size_t i = 0; i < n; i++) {
    double r =
        (double)(int64_t)gaussian_remainder(constants, acceptance->words, lanes[i]) *
        constants->step;
    double g = r * (r + 2.0 * acceptance->x[lanes[i]]) * constants->rate0;
    cydp_answer answer = cydp_look_again_below_exponential(v[i], g);
    answers[i] = answer == CYDP_YES;
    open |= (uint64_t)(answer == CYDP_TOO_CLOSE) << i;
  }
  return open;
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  const acceptance_decision *acceptance = (const acceptance_decision *)self;
  exponent_bound bound = {
      acceptance->gaussian, acceptance->x[lane],
      gaussian_remainder(&acceptance->gaussian->constants, acceptance->words, lane)};
  bool below = true; /* R = 0 is always accepted */
  cydp_status status = CYDP_OK;
  if (bound.remainder != 0)
    status = cydp_resolve_below(accepts, &bound, bits, &below);
  *answer = below;
  return status;
}

static void store(const cydp_decision *self, size_t lane, uint64_t answer,
                  uint64_t real) {
  store_bit(((const acceptance_decision *)self)->accepted, lane, answer, real);
}

static cydp_status accept_candidates(const gaussian_sampler *gaussian,
                                     const cydp_batch *batch, const uint16_t *x,
                                     uint8_t *accepted) {
  const acceptance_decision acceptance = {
      {2, V_BITS, V_RATE, v_prefix, look_again, resolve, store},
      gaussian,
      batch->plane[0],
      x,
      batch->plane[2],
      accepted};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&acceptance.base, batch, NULL);
  cydp_samplers_kernels()->accept(&gaussian->constants, acceptance.words, x, acceptance.v,
                                  batch->n, accepted, undecided);
  return cydp_decide(&acceptance.base, batch, undecided);
}

/* Plane 0 has the sign in the lowest bit and R above it, plane 1 x, plane 2 V. */
static cydp_status map_quotient_remainder(const cydp_sampler *self,
                                          const cydp_batch *batch, void *out,
                                          size_t *values) {
  const gaussian_sampler *gaussian = (const gaussian_sampler *)self;
  uint16_t x[CYDP_BATCH];
  uint8_t accepted[CYDP_BATCH / 8] = {0};
  cydp_status status = cydp_cdf_table_map(&gaussian->table, batch, batch->plane[1], x);
  if (status == CYDP_OK)
    status = accept_candidates(gaussian, batch, x, accepted);
  if (status == CYDP_OK)
    *values = cydp_samplers_kernels()->recombine_gaussian(
        &gaussian->constants, batch->plane[0], x, accepted, batch->n, out);
  return status;
}

static cydp_status resolve_dummy(const cydp_sampler *self, cydp_bits *bits) {
  const gaussian_sampler *gaussian = (const gaussian_sampler *)self;
  const exponent_bound bound = {gaussian, 5,
                                UINT64_C(1) << gaussian->constants.shift >> 1};
  uint64_t magnitude;
  bool below;
  return bits->decision == 1
             ? cydp_resolve_magnitude(&gaussian->tails.tails, bits, &magnitude)
             : cydp_resolve_below(accepts, &bound, bits, &below);
}

/* Sets m to 0 if sigma < 14.5, so that 1 / (2 sigma^2) > 2 / 841, else to the least with
 * sigma / 2^m < 8; and rate0 to 1 / (2 s0^2) = 4^m / (2 sigma^2). */
static void set_shift(gaussian_sampler *gaussian, cydp_fixed rate0) {
  cydp_fixed least = {0};
  least[RATE_LIMBS] = 2;
  cydp_fixed_divide_word(RATE_LIMBS, least, least, 841);
  memcpy(rate0, gaussian->rate, sizeof(cydp_fixed));
  if (cydp_fixed_compare(RATE_LIMBS, rate0, least) > 0)
    return;
  cydp_fixed_shift_right(RATE_LIMBS, least, (const cydp_fixed){[RATE_LIMBS] = 1}, 7);
  for (; cydp_fixed_compare(RATE_LIMBS, rate0, least) <= 0; gaussian->constants.shift++)
    cydp_fixed_multiply_word(RATE_LIMBS, rate0, rate0, 4);
}

/* Returns how many candidates beyond the values wanted are drawn, in 1,024: enough that
 * at most one chunk in 80 needs a second round, at the lower end of each range of s0^2.
 */
static size_t spare_of(double rate0) {
  return rate0 > 1.0 / 46 ? 126 : rate0 > 1.0 / 64 ? 108 : rate0 > 1.0 / 90 ? 93 : 80;
}

static void set_quotient_remainder(gaussian_sampler *gaussian) {
  uint8_t width = gaussian->constants.shift <= 15   ? 2
                  : gaussian->constants.shift <= 31 ? 4
                                                    : 8;
  gaussian->constants.step = ldexp(1, -(int)gaussian->constants.shift);
  gaussian->constants.width = width;
  gaussian->base.map = map_quotient_remainder;
  gaussian->base.layout = (cydp_layout){{width, 2, 2}, false};
  gaussian->base.spare = spare_of(gaussian->constants.rate0);
  size_t candidates = width == 4 ? CANDIDATES_32 : CANDIDATES;
  gaussian->base.chunk = candidates * 1024 / (1024 + gaussian->base.spare);
  gaussian->base.resolve_rates[1] = V_RESOLVED;
}

static void set_table(gaussian_sampler *gaussian) {
  gaussian->base.map = map_by_table;
  gaussian->base.layout = (cydp_layout){{2, 0, 0}, true};
  gaussian->base.chunk = TABLE_CHUNK;
}

/* Returns whether 1e-6 <= sigma^2 <= 2^112, by the exact 1 / sigma^2. */
static bool is_in_range(const uint64_t *inverse) {
  cydp_fixed least = {0}, most = {0};
  least[RATE_LIMBS - 2] = (uint64_t)1 << 16;
  most[RATE_LIMBS] = 1000000;
  bool above = cydp_fixed_compare(RATE_LIMBS, inverse, least) >= 0;
  return above && cydp_fixed_compare(RATE_LIMBS, inverse, most) <= 0;
}

/* Returns whether sigma <= 2^27, and P(|X| >= 2^31) < 2 exp(-2^7) < 2^-183. */
static bool fits_int32(const uint64_t *inverse) {
  return inverse[RATE_LIMBS] > 0 || inverse[RATE_LIMBS - 1] >= (uint64_t)1 << 10;
}

cydp_status cydp_discrete_gaussian_new(const cydp_rational *sigma2, cydp_sampler **out) {
  const cydp_rational given = cydp_drop_zero_limbs(sigma2);
  if (given.numerator_limbs == 0 || given.denominator_limbs == 0)
    return CYDP_ERROR_DOMAIN;
  cydp_fixed inverse, rate0;
  bool exact;
  cydp_status status =
      cydp_fixed_divide(RATE_LIMBS, inverse, given.denominator, given.denominator_limbs,
                        given.numerator, given.numerator_limbs, &exact);
  if (status == CYDP_OK && !is_in_range(inverse))
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK)
    return status;
  gaussian_sampler *gaussian = cydp_sampler_allocate(sizeof *gaussian);
  if (!gaussian)
    return CYDP_ERROR_MEMORY;
  gaussian->base.value_bytes = sizeof(int64_t);
  gaussian->base.fits_int32 = fits_int32(inverse);
  cydp_fixed_shift_right(RATE_LIMBS, gaussian->rate, inverse, 1);
  set_shift(gaussian, rate0);
  const uint64_t *top = rate0 + RATE_LIMBS;
  gaussian->constants.rate0 = (double)top[0] + ldexp((double)top[-1], -64);
  bool divided = gaussian->constants.shift > 0;
  cydp_gaussian_tails_prepare(&gaussian->tails,
                              rate0 + (RATE_LIMBS - CYDP_MOST_LIMBS - 2), divided);
  cydp_cdf_table_prepare(&gaussian->table, &gaussian->tails.tails,
                         gaussian->tails.rounded, CYDP_GAUSSIAN_TERMS);
  gaussian->base.resolve_dummy = resolve_dummy;
  gaussian->base.resolve_rates[0] = cydp_cdf_table_resolve_rate(&gaussian->table);
  if (divided)
    set_quotient_remainder(gaussian);
  else
    set_table(gaussian);
  *out = &gaussian->base;
  return CYDP_OK;
}
