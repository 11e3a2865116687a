/* SPDX-License-Identifier: MIT
 * The discrete Gaussian law: thresholds for sigma < 8; else sign (M x + R), M = 2^m, with
 * x of the half-Gaussian of s0 = sigma / M in [4, 8), R from 0 to M - 1, accepted with
 * probability exp(-g), g = R (R + 2 M x) / (2 sigma^2). docs/sampling.md. */
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
  RATE_LIMBS = CYDP_MOST_LIMBS + 4, /* 1/(2 sigma^2) times 4^m keeps MOST_LIMBS + 2 */
  THRESHOLD_CHUNK = 1920,
  CANDIDATES = 1194,    /* of 6 or 12 bytes fill 7 or 14 groups of keystream */
  CANDIDATES_32 = 1280, /* of 8 bytes fill 10 */
  V_BITS = 16
};
/* V's cell and those next to it, at most; and g > CYDP_ACCEPT_LIMIT, which takes an x
 * beyond 4.8 s0. */
#define V_RATE (0x1p-15 + 0x1p-19)
#define V_RESOLVED (4 * CYDP_TAIL_ERROR)

typedef struct gaussian {
  cydp_sampler base;
  cydp_gaussian_tails tails;
  cydp_cdf_table_route threshold;
  cydp_split_law split; /* of m = 0: not split */
  cydp_fixed rate;      /* 1 / (2 sigma^2), RATE_LIMBS fraction limbs, rounded down */
} gaussian;

static cydp_status map_threshold(const cydp_sampler *self, const cydp_batch *batch,
                                 void *out, size_t *values) {
  const gaussian *law = (const gaussian *)self;
  uint16_t magnitudes[CYDP_BATCH];
  cydp_status status =
      cydp_cdf_table_magnitudes(&law->threshold, batch, batch->plane[0], magnitudes);
  cydp_samplers_kernels()->signs(magnitudes, batch->signs, batch->n, out);
  *values = batch->n;
  return status;
}

typedef struct exponent_of {
  const gaussian *law;
  uint64_t x, remainder;
} exponent_of;

/* V < exp(-g). R (R + 2 M x) is below 2^121 and 1/(2 sigma^2) short by 2^-1280 at most,
 * so g has less than an ulp of 17 limbs of error, and one more by the cut. */
static cydp_answer accepts(const void *bound, size_t n, const uint64_t *v) {
  const exponent_of *of = bound;
  const size_t wide = n + 4;
  cydp_fixed g, factor;
  const uint64_t *rate = of->law->rate + (RATE_LIMBS - wide);
  uint64_t twice_mx = of->x << of->law->split.shift << 1; /* x < 2^9, m <= 54 */
  cydp_fixed_multiply_word(wide, factor, rate, of->remainder + twice_mx);
  cydp_fixed_multiply_word(wide, g, factor, of->remainder);
  return cydp_below_exponential(n, v, g + 3);
}

typedef struct acceptances_of {
  cydp_decision base;
  const gaussian *law;
  const void *words;
  const uint16_t *x, *v;
  uint8_t *accepted;
} acceptances_of;

static uint64_t v_prefix(const cydp_decision *self, size_t lane) {
  return ((const acceptances_of *)self)->v[lane];
}

static uint64_t look(const cydp_decision *self, size_t n, const uint16_t *lanes,
                     const uint64_t *v, uint64_t *answers) {
  const acceptances_of *of = (const acceptances_of *)self;
  const cydp_split_law *split = &of->law->split;
  uint64_t open = 0;
  for (size_t i = 0; i < n; i++) {
    double r = (double)(int64_t)split_remainder(split, of->words, lanes[i]) * split->step;
    double g = r * (r + 2.0 * of->x[lanes[i]]) * split->rate0;
    cydp_answer answer = cydp_look_below_exponential(v[i], g);
    answers[i] = answer == CYDP_YES;
    open |= (uint64_t)(answer == CYDP_TOO_CLOSE) << i;
  }
  return open;
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  const acceptances_of *of = (const acceptances_of *)self;
  exponent_of bound = {of->law, of->x[lane],
                       split_remainder(&of->law->split, of->words, lane)};
  bool below = true; /* R = 0 always is accepted */
  cydp_status status = CYDP_OK;
  if (bound.remainder != 0)
    status = cydp_resolve_below(accepts, &bound, bits, &below);
  *answer = below;
  return status;
}

static void put(const cydp_decision *self, size_t lane, uint64_t answer, uint64_t real) {
  put_bit(((const acceptances_of *)self)->accepted, lane, answer, real);
}

static cydp_status accept_all(const gaussian *law, const cydp_batch *batch,
                              const uint16_t *x, uint8_t *accepted) {
  const acceptances_of of = {{2, V_BITS, V_RATE, v_prefix, look, resolve, put},
                             law,
                             batch->plane[0],
                             x,
                             batch->plane[2],
                             accepted};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&of.base, batch, NULL);
  cydp_samplers_kernels()->accept(&law->split, of.words, x, of.v, batch->n, accepted,
                                  undecided);
  return cydp_decide(&of.base, batch, undecided);
}

/* Plane 0: the sign in the lowest bit and R above; plane 1: x; plane 2: V. */
static cydp_status map_split(const cydp_sampler *self, const cydp_batch *batch, void *out,
                             size_t *values) {
  const gaussian *law = (const gaussian *)self;
  uint16_t x[CYDP_BATCH];
  uint8_t accepted[CYDP_BATCH / 8] = {0};
  cydp_status status =
      cydp_cdf_table_magnitudes(&law->threshold, batch, batch->plane[1], x);
  if (status == CYDP_OK)
    status = accept_all(law, batch, x, accepted);
  if (status == CYDP_OK)
    *values = cydp_samplers_kernels()->recombine_gaussian(&law->split, batch->plane[0], x,
                                                          accepted, batch->n, out);
  return status;
}

static cydp_status resolve_unused(const cydp_sampler *self, cydp_bits *bits) {
  const gaussian *law = (const gaussian *)self;
  const exponent_of bound = {law, 5, UINT64_C(1) << law->split.shift >> 1};
  uint64_t magnitude;
  bool below;
  return bits->decision == 1 ? cydp_resolve_magnitude(&law->tails.tails, bits, &magnitude)
                             : cydp_resolve_below(accepts, &bound, bits, &below);
}

/* out = a * 2^bits, bits < 128, n fraction limbs. */
static void shift_left(size_t n, uint64_t *out, const uint64_t *a, unsigned bits) {
  memcpy(out, a, sizeof(uint64_t) * (n + 1));
  for (; bits > 0; bits -= bits < 32 ? bits : 32)
    cydp_fixed_multiply_word(n, out, out, UINT64_C(1) << (bits < 32 ? bits : 32));
}

/* Least m with sigma / 2^m < 8, and 1 / (2 s0^2) = 4^m / (2 sigma^2). */
static void reduce(gaussian *law, cydp_fixed rate0) {
  cydp_fixed eighth = {0};
  eighth[RATE_LIMBS - 1] = UINT64_C(1) << 57; /* 1/128 */
  for (law->split.shift = 0;; law->split.shift++) {
    shift_left(RATE_LIMBS, rate0, law->rate, 2 * law->split.shift);
    if (cydp_fixed_compare(RATE_LIMBS, rate0, eighth) > 0)
      return;
  }
}

/* So many candidates in 1,024 beyond the values wanted that a second round is needed in
 * one of 80 or fewer, at the lower end of each range of s0^2. */
static size_t spare_of(double rate0) {
  return rate0 > 1.0 / 46 ? 126 : rate0 > 1.0 / 64 ? 108 : rate0 > 1.0 / 90 ? 93 : 80;
}

static void set_split(gaussian *law) {
  uint8_t width = law->split.shift <= 15 ? 2 : law->split.shift <= 31 ? 4 : 8;
  law->split.step = ldexp(1, -(int)law->split.shift);
  law->split.width = width;
  law->base.map = map_split;
  law->base.layout = (cydp_layout){{width, 2, 2}, false};
  law->base.spare = spare_of(law->split.rate0);
  size_t candidates = width == 4 ? CANDIDATES_32 : CANDIDATES;
  law->base.chunk = candidates * 1024 / (1024 + law->base.spare);
  law->base.resolved[1] = V_RESOLVED;
}

static void set_threshold(gaussian *law) {
  law->base.map = map_threshold;
  law->base.layout = (cydp_layout){{2, 0, 0}, true};
  law->base.chunk = THRESHOLD_CHUNK;
}

/* 1e-6 <= sigma^2 <= 2^112, on the exact 1 / sigma^2. */
static bool in_range(const uint64_t *inverse) {
  cydp_fixed least = {0}, most = {0};
  least[RATE_LIMBS - 2] = (uint64_t)1 << 16;
  most[RATE_LIMBS] = 1000000;
  bool above = cydp_fixed_compare(RATE_LIMBS, inverse, least) >= 0;
  return above && cydp_fixed_compare(RATE_LIMBS, inverse, most) <= 0;
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
  if (status == CYDP_OK && !in_range(inverse))
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK)
    return status;
  gaussian *law = cydp_sampler_allocate(sizeof *law);
  if (!law)
    return CYDP_ERROR_MEMORY;
  law->base.value_bytes = sizeof(int64_t);
  cydp_fixed_shift_right(RATE_LIMBS, law->rate, inverse, 1);
  reduce(law, rate0);
  const uint64_t *top = rate0 + RATE_LIMBS;
  law->split.rate0 = (double)top[0] + ldexp((double)top[-1], -64);
  bool split = law->split.shift > 0;
  cydp_gaussian_tails_set(&law->tails, rate0 + (RATE_LIMBS - CYDP_MOST_LIMBS - 2), split);
  cydp_cdf_table_route_set(&law->threshold, &law->tails.tails, law->tails.rounded,
                           CYDP_GAUSSIAN_TERMS);
  law->base.resolve_unused = resolve_unused;
  law->base.resolved[0] = cydp_cdf_table_resolved(&law->threshold);
  if (split)
    set_split(law);
  else
    set_threshold(law);
  *out = &law->base;
  return CYDP_OK;
}
