/* SPDX-License-Identifier: MIT
 * The discrete Laplace law by three routes: thresholds for small scales, the logarithm
 * for the middle, and for large ones G = M Q + R, M = 2^m, with Q geometric and R,
 * independent of it, from 0 to M - 1. docs/sampling.md. */
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
#include "samplers/inverse_cdf.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"

#include <math.h>
#include <string.h>

enum {
  NARROW = 31,
  WIDE = 63,
  LEAST_PREFIX = 8,
  THRESHOLD_CHUNK = 1920, /* and its signs fill 4 groups of keystream but for 16 bytes */
  LOG_CHUNK = 1024,
  SPLIT_CHUNK = 1024,
  NARROW_REMAINDER = 20, /* bits of R that share a word of 32 with 12 of V */
  WIDE_V = 19,
  RATE_LIMBS = CYDP_MOST_LIMBS + 2, /* of a rate that is multiplied by k < 2^63 */
  WHOLE_LIMBS = RATE_LIMBS + 1      /* of 1 / t: times M < 2^64 it keeps so many */
};
#define LARGEST_THRESHOLD 5.5  /* 61 of its thresholds are above 2^-16 */
#define LARGEST_NARROW 0x1p10  /* larger scales would leave too much undecided */
#define LARGEST_UNSPLIT 0x1p20 /* as above */
#define V_RESOLVED (2 * CYDP_TAIL_ERROR)

typedef struct laplace {
  cydp_sampler base;
  cydp_exponential_tails tails;
  cydp_cdf_table_route threshold;
  double rounded[CYDP_THRESHOLDS]; /* T_1, T_2, ... */
  cydp_inverse_cdf_route log;
  unsigned shift;     /* m */
  unsigned v_bits;    /* of V in a candidate's word */
  cydp_fixed inverse; /* 1 / t with RATE_LIMBS, where `tails` has M / t */
} laplace;

/* 1e-6 <= t <= 2^56, decided on the exact quotient 1 / t. */
static bool in_range(const uint64_t *inverse) {
  const size_t n = WHOLE_LIMBS;
  cydp_fixed least = {0}, most = {0};
  least[n - 1] = (uint64_t)1 << 8;
  most[n] = 1000000;
  bool above = cydp_fixed_compare(n, inverse, least) >= 0;
  return above && cydp_fixed_compare(n, inverse, most) <= 0;
}

static cydp_status map_threshold(const cydp_sampler *self, const cydp_batch *batch,
                                 void *out, size_t *values) {
  const laplace *law = (const laplace *)self;
  uint16_t magnitudes[CYDP_BATCH];
  cydp_status status =
      cydp_cdf_table_magnitudes(&law->threshold, batch, batch->plane[0], magnitudes);
  cydp_samplers_kernels()->signs(magnitudes, batch->signs, batch->n, out);
  *values = batch->n;
  return status;
}

static cydp_status map_log(const cydp_sampler *self, const cydp_batch *batch, void *out,
                           size_t *values) {
  const laplace *law = (const laplace *)self;
  *values = batch->n;
  return cydp_inverse_cdf_values(&law->log, batch, batch->plane[0], out);
}

typedef struct remainder_of {
  const laplace *law;
  uint64_t remainder;
} remainder_of;

/* V < exp(-R / t). */
static cydp_answer accepts(const void *bound, size_t n, const uint64_t *v) {
  const remainder_of *of = bound;
  cydp_fixed wide;
  cydp_fixed_multiply_word(n + 2, wide, of->law->inverse + (CYDP_MOST_LIMBS - n),
                           of->remainder);
  return cydp_below_exponential(n, v, wide + 1);
}

typedef struct acceptances_of {
  cydp_decision base;
  const laplace *law;
  const void *words;
  uint8_t *accepted;
} acceptances_of;

/* Plane 1: R in the lowest m bits of a word of 32 or 64, V's first bits in the highest.
 */
static uint64_t word_at(const acceptances_of *of, size_t lane) {
  return of->law->base.layout.width[1] == 4 ? ((const uint32_t *)of->words)[lane]
                                            : ((const uint64_t *)of->words)[lane];
}

static uint64_t remainder_at(const acceptances_of *of, size_t lane) {
  return word_at(of, lane) & ((UINT64_C(1) << of->law->shift) - 1);
}

static uint64_t v_prefix(const cydp_decision *self, size_t lane) {
  const acceptances_of *of = (const acceptances_of *)self;
  return word_at(of, lane) >> (8U * of->law->base.layout.width[1] - of->law->v_bits);
}

static uint64_t look(const cydp_decision *self, size_t n, const uint16_t *lanes,
                     const uint64_t *v, uint64_t *answers) {
  const acceptances_of *of = (const acceptances_of *)self;
  double inverse = ldexp(of->law->tails.inverse_scale, -(int)of->law->shift);
  uint64_t open = 0;
  for (size_t i = 0; i < n; i++) {
    double g = (double)(int64_t)remainder_at(of, lanes[i]) * inverse;
    cydp_answer answer = cydp_look_below_exponential(v[i], g);
    answers[i] = answer == CYDP_YES;
    open |= (uint64_t)(answer == CYDP_TOO_CLOSE) << i;
  }
  return open;
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  const acceptances_of *of = (const acceptances_of *)self;
  remainder_of bound = {of->law, remainder_at(of, lane)};
  bool below;
  cydp_status status = cydp_resolve_below(accepts, &bound, bits, &below);
  *answer = below;
  return status;
}

static void put(const cydp_decision *self, size_t lane, uint64_t answer, uint64_t real) {
  put_bit(((const acceptances_of *)self)->accepted, lane, answer, real);
}

/* exp(-R / t) > 1 - R / t >= 1 - 2^-19, since R < M <= t 2^-19: V below that needs no
 * more than its first bits, 19 or fewer, unless these are all ones. */
static cydp_status accept_all(const laplace *law, const cydp_batch *batch,
                              uint8_t *accepted) {
  const unsigned bits = law->v_bits;
  const acceptances_of of = {
      {2, bits, ldexp(1, -(int)bits), v_prefix, look, resolve, put},
      law,
      batch->plane[1],
      accepted};
  uint8_t undecided[CYDP_BATCH / 8];
  memset(accepted, 0xff, CYDP_BATCH / 8);
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&of.base, batch, NULL);
  cydp_samplers_kernels()->ones(law->base.layout.width[1], of.words, bits, batch->n,
                                undecided);
  return cydp_decide(&of.base, batch, undecided);
}

/* Plane 0: the sign and Q's bits; plane 1: R and V. A candidate is rejected if V says so,
 * or for a negative zero. */
static cydp_status map_split(const cydp_sampler *self, const cydp_batch *batch, void *out,
                             size_t *values) {
  const laplace *law = (const laplace *)self;
  const uint64_t *first = batch->plane[0];
  uint8_t accepted[CYDP_BATCH / 8];
  int64_t *quotients = out; /* overwritten by what they become */
  cydp_status status = cydp_inverse_cdf_values(&law->log, batch, first, quotients);
  if (status == CYDP_OK)
    status = accept_all(law, batch, accepted);
  if (status == CYDP_OK)
    *values = cydp_samplers_kernels()->recombine_laplace(
        law->shift, first, self->layout.width[1], batch->plane[1], quotients, accepted,
        batch->n, out);
  return status;
}

static cydp_status resolve_unused(const cydp_sampler *self, cydp_bits *bits) {
  const laplace *law = (const laplace *)self;
  const remainder_of bound = {law, UINT64_C(1) << law->shift >> 1};
  uint64_t magnitude;
  bool below;
  return bits->decision == 1 ? cydp_resolve_magnitude(&law->tails.tails, bits, &magnitude)
                             : cydp_resolve_below(accepts, &bound, bits, &below);
}

static void set_threshold(laplace *law) {
  double rate = law->tails.inverse_scale;
  for (int k = 0; k < CYDP_THRESHOLDS; k++)
    law->rounded[k] = 2 * exp(-rate * (k + 1)) / (1 + exp(-rate));
  cydp_cdf_table_route_set(&law->threshold, &law->tails.tails, law->rounded,
                           CYDP_THRESHOLDS);
  cydp_inverse_cdf_route_set(&law->log, &law->tails, NARROW);
  law->threshold.wide = &law->log.wide;
  law->base.map = map_threshold;
  law->base.layout = (cydp_layout){{2, 0, 0}, true};
  law->base.chunk = THRESHOLD_CHUNK;
}

static void set_log(laplace *law, unsigned bits) {
  cydp_inverse_cdf_route_set(&law->log, &law->tails, bits);
  law->base.map = map_log;
  law->base.layout = (cydp_layout){{bits > NARROW ? 8 : 4, 0, 0}, false};
  law->base.chunk = LOG_CHUNK;
}

/* m such that t / M is in (2^19, 2^20]. Where t is a power of two, so is its double.
 * `inverse` is 1 / t rounded down to WHOLE_LIMBS. Of these the rate M / t takes the lower
 * ones too, so that it is rounded down to RATE_LIMBS once: from 1 / t with RATE_LIMBS it
 * would be short by M ulps, and k times that is too much for k M >= 2^64. */
static void set_split(laplace *law, const uint64_t *inverse) {
  while (ldexp(law->tails.scale, -(int)law->shift) > LARGEST_UNSPLIT)
    law->shift++;
  cydp_fixed scaled;
  for (size_t i = 0; i <= RATE_LIMBS; i++) {
    law->inverse[i] = inverse[i + 1];
    scaled[i] = inverse[i + 1] << law->shift | inverse[i] >> (64 - law->shift);
  }
  cydp_exponential_tails_set(&law->tails, scaled, true);
  cydp_inverse_cdf_route_set(&law->log, &law->tails, WIDE);
  law->base.map = map_split;
  bool narrow = law->shift <= NARROW_REMAINDER;
  law->base.layout = (cydp_layout){{8, narrow ? 4 : 8, 0}, false};
  law->v_bits = narrow ? 32 - NARROW_REMAINDER : WIDE_V;
  law->base.resolved[1] = V_RESOLVED;
  law->base.chunk = SPLIT_CHUNK;
}

cydp_status cydp_discrete_laplace_new_prefix(const cydp_rational *scale,
                                             unsigned prefix_bits, cydp_sampler **out) {
  const cydp_rational given = cydp_drop_zero_limbs(scale);
  bool known = prefix_bits == 0 || (prefix_bits >= LEAST_PREFIX && prefix_bits <= NARROW);
  if (given.numerator_limbs == 0 || given.denominator_limbs == 0 || !known)
    return CYDP_ERROR_DOMAIN;
  cydp_fixed inverse;
  bool exact;
  cydp_status status =
      cydp_fixed_divide(WHOLE_LIMBS, inverse, given.denominator, given.denominator_limbs,
                        given.numerator, given.numerator_limbs, &exact);
  if (status == CYDP_OK && !in_range(inverse))
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK)
    return status;
  laplace *law = cydp_sampler_allocate(sizeof *law);
  if (!law)
    return CYDP_ERROR_MEMORY;
  law->base.value_bytes = sizeof(int64_t);
  cydp_exponential_tails_set(&law->tails, inverse + 1, true);
  double t = law->tails.scale;
  bool split = prefix_bits == 0 && t > LARGEST_UNSPLIT;
  if (!split) /* what a split has no use for takes half of the time */
    cydp_exponential_tails_set(&law->tails, inverse + 1, false);
  if (split)
    set_split(law, inverse);
  else if (prefix_bits == 0 && t <= LARGEST_THRESHOLD)
    set_threshold(law);
  else
    set_log(law, prefix_bits != 0 ? prefix_bits : t <= LARGEST_NARROW ? NARROW : WIDE);
  law->base.resolve_unused = resolve_unused;
  law->base.resolved[0] = law->log.resolved;
  *out = &law->base;
  return CYDP_OK;
}

cydp_status cydp_discrete_laplace_new(const cydp_rational *scale, cydp_sampler **out) {
  return cydp_discrete_laplace_new_prefix(scale, 0, out);
}
