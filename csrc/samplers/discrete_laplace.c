/* SPDX-License-Identifier: MIT
 * The discrete Laplace distribution: by a CDF table for small scales, by the inverse CDF
 * for the middle, and for large ones as G = M Q + R, M = 2^m, with a geometric quotient Q
 * and, independent of it, a remainder R from 0 to M - 1.
 * docs/samplers/discrete_laplace.md. */
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
  TABLE_CHUNK =
      1920, /* with its signs fills 4 groups of keystream, except for 16 bytes */
  INVERSE_CDF_CHUNK = 1024,
  QUOTIENT_CHUNK = 1024,
  NARROW_REMAINDER = 20, /* bits of R that share a word of 32 with 12 of V */
  WIDE_V = 19,
  RATE_LIMBS = CYDP_MOST_LIMBS + 2, /* of a rate that is multiplied by k < 2^63 */
  INVERSE_LIMBS =
      RATE_LIMBS +
      1 /* of 1 / t, of which RATE_LIMBS are left after a product with M < 2^64 */
};
#define LARGEST_TABLE_SCALE 5.5       /* 61 of its tails are above 2^-16 */
#define LARGEST_NARROW_SCALE 0x1p10   /* larger scales would leave too many undecided */
#define LARGEST_QUOTIENT_SCALE 0x1p20 /* as above */
#define V_RESOLVED (2 * CYDP_TAIL_ERROR)

typedef struct laplace_sampler {
  cydp_sampler base;
  cydp_exponential_tails tails;
  cydp_cdf_table_method table;
  double rounded[CYDP_CDF_ENTRIES]; /* T_1, T_2, ... */
  cydp_inverse_cdf_method inverse_cdf;
  unsigned shift;     /* m */
  unsigned v_bits;    /* of V in a candidate's word */
  cydp_fixed inverse; /* 1 / t with RATE_LIMBS, where `tails` has M / t */
} laplace_sampler;

/* Returns whether 1e-6 <= t <= 2^56, by the exact quotient 1 / t. */
static bool is_in_range(const uint64_t *inverse) {
  const size_t n = INVERSE_LIMBS;
  cydp_fixed least = {0}, most = {0};
  least[n - 1] = (uint64_t)1 << 8;
  most[n] = 1000000;
  bool above = cydp_fixed_compare(n, inverse, least) >= 0;
  return above && cydp_fixed_compare(n, inverse, most) <= 0;
}

/* Returns whether t <= 2^24, and P(|X| >= 2^31) < 2 exp(-2^7) < 2^-183. */
static bool fits_int32(const uint64_t *inverse) {
  const size_t n = INVERSE_LIMBS;
  return inverse[n] > 0 || inverse[n - 1] >= (uint64_t)1 << 40;
}

static cydp_status map_by_table(const cydp_sampler *self, const cydp_batch *batch,
                                void *out, size_t *values) {
  const laplace_sampler *laplace = (const laplace_sampler *)self;
  uint16_t magnitudes[CYDP_BATCH];
  cydp_status status =
      cydp_cdf_table_map(&laplace->table, batch, batch->plane[0], magnitudes);
  cydp_samplers_kernels()->signs(magnitudes, batch->signs, batch->n, out);
  *values = batch->n;
  return status;
}

static cydp_status map_by_inverse_cdf(const cydp_sampler *self, const cydp_batch *batch,
                                      void *out, size_t *values) {
  const laplace_sampler *laplace = (const laplace_sampler *)self;
  *values = batch->n;
  return cydp_inverse_cdf_map(&laplace->inverse_cdf, batch, batch->plane[0], out);
}

typedef struct remainder_bound {
  const laplace_sampler *laplace;
  uint64_t remainder;
} remainder_bound;

/* Whether V < exp(-R / t). */
static cydp_answer accepts(const void *bound, size_t n, const uint64_t *v) {
  const remainder_bound *limit = bound;
  cydp_fixed wide;
  cydp_fixed_multiply_word(n + 2, wide, limit->laplace->inverse + (CYDP_MOST_LIMBS - n),
                           limit->remainder);
  return cydp_below_exponential(n, v, wide + 1);
}

typedef struct acceptance_decision {
  cydp_decision base;
  const laplace_sampler *laplace;
  const void *words;
  uint8_t *accepted;
} acceptance_decision;

/* The word of plane 1 has R in its lowest m bits and V's first bits in the highest ones.
 */
static uint64_t word_at(const acceptance_decision *acceptance, size_t lane) {
  return acceptance->laplace->base.layout.width[1] == 4
             ? ((const uint32_t *)acceptance->words)[lane]
             : ((const uint64_t *)acceptance->words)[lane];
}

static uint64_t remainder_at(const acceptance_decision *acceptance, size_t lane) {
  return word_at(acceptance, lane) & ((UINT64_C(1) << acceptance->laplace->shift) - 1);
}

static uint64_t v_prefix(const cydp_decision *self, size_t lane) {
  const acceptance_decision *acceptance = (const acceptance_decision *)self;
  return word_at(acceptance, lane) >>
         (8U * acceptance->laplace->base.layout.width[1] - acceptance->laplace->v_bits);
}

static uint64_t look_again(const cydp_decision *self, size_t n, const uint16_t *lanes,
                           const uint64_t *v, uint64_t *answers) {
  const acceptance_decision *acceptance = (const acceptance_decision *)self;
  double inverse =
      ldexp(acceptance->laplace->tails.inverse_scale, -(int)acceptance->laplace->shift);
  uint64_t open = 0;
  for (size_t i = 0; i < n; i++) {
    double g = (double)(int64_t)remainder_at(acceptance, lanes[i]) * inverse;
    cydp_answer answer = cydp_look_again_below_exponential(v[i], g);
    answers[i] = answer == CYDP_YES;
    open |= (uint64_t)(answer == CYDP_TOO_CLOSE) << i;
  }
  return open;
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  const acceptance_decision *acceptance = (const acceptance_decision *)self;
  remainder_bound bound = {acceptance->laplace, remainder_at(acceptance, lane)};
  bool below;
  cydp_status status = cydp_resolve_below(accepts, &bound, bits, &below);
  *answer = below;
  return status;
}

static void store(const cydp_decision *self, size_t lane, uint64_t answer,
                  uint64_t real) {
  store_bit(((const acceptance_decision *)self)->accepted, lane, answer, real);
}

/* Accepts every candidate whose first bits of V, at most 19, are not all ones: exp(-R /
 * t) > 1 - R / t >= 1 - 2^-19, since R < M <= t 2^-19. */
static cydp_status accept_candidates(const laplace_sampler *laplace,
                                     const cydp_batch *batch, uint8_t *accepted) {
  const unsigned bits = laplace->v_bits;
  const acceptance_decision acceptance = {
      {2, bits, ldexp(1, -(int)bits), v_prefix, look_again, resolve, store},
      laplace,
      batch->plane[1],
      accepted};
  uint8_t undecided[CYDP_BATCH / 8];
  memset(accepted, 0xff, CYDP_BATCH / 8);
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&acceptance.base, batch, NULL);
  cydp_samplers_kernels()->prefix_is_ones(laplace->base.layout.width[1], acceptance.words,
                                          bits, batch->n, undecided);
  return cydp_decide(&acceptance.base, batch, undecided);
}

/* Plane 0 has the sign and Q's bits, plane 1 R and V. A candidate is rejected by V, or as
 * a negative zero. */
static cydp_status map_quotient_remainder(const cydp_sampler *self,
                                          const cydp_batch *batch, void *out,
                                          size_t *values) {
  const laplace_sampler *laplace = (const laplace_sampler *)self;
  const uint64_t *first = batch->plane[0];
  uint8_t accepted[CYDP_BATCH / 8];
  int64_t *quotients = out; /* recombined in place */
  cydp_status status =
      cydp_inverse_cdf_map(&laplace->inverse_cdf, batch, first, quotients);
  if (status == CYDP_OK)
    status = accept_candidates(laplace, batch, accepted);
  if (status == CYDP_OK)
    *values = cydp_samplers_kernels()->recombine_laplace(
        laplace->shift, first, self->layout.width[1], batch->plane[1], quotients,
        accepted, batch->n, out);
  return status;
}

static cydp_status resolve_dummy(const cydp_sampler *self, cydp_bits *bits) {
  const laplace_sampler *laplace = (const laplace_sampler *)self;
  const remainder_bound bound = {laplace, UINT64_C(1) << laplace->shift >> 1};
  uint64_t magnitude;
  bool below;
  return bits->decision == 1
             ? cydp_resolve_magnitude(&laplace->tails.tails, bits, &magnitude)
             : cydp_resolve_below(accepts, &bound, bits, &below);
}

static void set_table(laplace_sampler *laplace) {
  double rate = laplace->tails.inverse_scale;
  for (int k = 0; k < CYDP_CDF_ENTRIES; k++)
    laplace->rounded[k] = 2 * exp(-rate * (k + 1)) / (1 + exp(-rate));
  cydp_cdf_table_prepare(&laplace->table, &laplace->tails.tails, laplace->rounded,
                         CYDP_CDF_ENTRIES);
  cydp_inverse_cdf_prepare(&laplace->inverse_cdf, &laplace->tails, NARROW);
  laplace->table.second_look = &laplace->inverse_cdf.second_look;
  laplace->base.map = map_by_table;
  laplace->base.layout = (cydp_layout){{2, 0, 0}, true};
  laplace->base.chunk = TABLE_CHUNK;
}

static void set_inverse_cdf(laplace_sampler *laplace, unsigned bits) {
  cydp_inverse_cdf_prepare(&laplace->inverse_cdf, &laplace->tails, bits);
  laplace->base.map = map_by_inverse_cdf;
  laplace->base.layout = (cydp_layout){{bits > NARROW ? 8 : 4, 0, 0}, false};
  laplace->base.chunk = INVERSE_CDF_CHUNK;
}

/* Chooses m such that t / M is in (2^19, 2^20]. If t is a power of two, so is its double.
 * `inverse` is 1 / t rounded down to INVERSE_LIMBS. The rate M / t is computed from all
 * of them, so that it is rounded down to RATE_LIMBS once: from 1 / t with RATE_LIMBS it
 * would be short by M ulps, and k times that is too much for k M >= 2^64. */
static void set_quotient_remainder(laplace_sampler *laplace, const uint64_t *inverse) {
  while (ldexp(laplace->tails.scale, -(int)laplace->shift) > LARGEST_QUOTIENT_SCALE)
    laplace->shift++;
  cydp_fixed scaled;
  for (size_t i = 0; i <= RATE_LIMBS; i++) {
    laplace->inverse[i] = inverse[i + 1];
    scaled[i] = inverse[i + 1] << laplace->shift | inverse[i] >> (64 - laplace->shift);
  }
  cydp_exponential_tails_prepare(&laplace->tails, scaled, true);
  cydp_inverse_cdf_prepare(&laplace->inverse_cdf, &laplace->tails, WIDE);
  laplace->base.map = map_quotient_remainder;
  bool narrow = laplace->shift <= NARROW_REMAINDER;
  laplace->base.layout = (cydp_layout){{8, narrow ? 4 : 8, 0}, false};
  laplace->v_bits = narrow ? 32 - NARROW_REMAINDER : WIDE_V;
  laplace->base.resolve_rates[1] = V_RESOLVED;
  laplace->base.chunk = QUOTIENT_CHUNK;
}

cydp_status cydp_discrete_laplace_new_prefix(const cydp_rational *scale,
                                             unsigned prefix_bits, cydp_sampler **out) {
  const cydp_rational given = cydp_drop_zero_limbs(scale);
  bool known = prefix_bits == 0 || (prefix_bits >= LEAST_PREFIX && prefix_bits <= NARROW);
  if (given.numerator_limbs == 0 || given.denominator_limbs == 0 || !known)
    return CYDP_ERROR_DOMAIN;
  cydp_fixed inverse;
  bool exact;
  cydp_status status = cydp_fixed_divide(INVERSE_LIMBS, inverse, given.denominator,
                                         given.denominator_limbs, given.numerator,
                                         given.numerator_limbs, &exact);
  if (status == CYDP_OK && !is_in_range(inverse))
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK)
    return status;
  laplace_sampler *laplace = cydp_sampler_allocate(sizeof *laplace);
  if (!laplace)
    return CYDP_ERROR_MEMORY;
  laplace->base.value_bytes = sizeof(int64_t);
  laplace->base.fits_int32 = fits_int32(inverse);
  cydp_exponential_tails_prepare(&laplace->tails, inverse + 1, true);
  double t = laplace->tails.scale;
  bool divided = prefix_bits == 0 && t > LARGEST_QUOTIENT_SCALE;
  if (!divided) /* two-sided tails take half of the time, and a quotient needs none */
    cydp_exponential_tails_prepare(&laplace->tails, inverse + 1, false);
  if (divided)
    set_quotient_remainder(laplace, inverse);
  else if (prefix_bits == 0 && t <= LARGEST_TABLE_SCALE)
    set_table(laplace);
  else
    set_inverse_cdf(laplace, prefix_bits != 0            ? prefix_bits
                             : t <= LARGEST_NARROW_SCALE ? NARROW
                                                         : WIDE);
  laplace->base.resolve_dummy = resolve_dummy;
  laplace->base.resolve_rates[0] = laplace->inverse_cdf.second_look_rate;
  *out = &laplace->base;
  return CYDP_OK;
}

cydp_status cydp_discrete_laplace_new(const cydp_rational *scale, cydp_sampler **out) {
  return cydp_discrete_laplace_new_prefix(scale, 0, out);
}
