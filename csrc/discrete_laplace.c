/* SPDX-License-Identifier: MIT
 * The discrete Laplace law by three routes: thresholds for small scales, the logarithm
 * for the middle, and for large ones G = M Q + R, M = 2^m, with Q geometric and R,
 * independent of it, from 0 to M - 1. docs/sampling.md. */
#include "internal.h"
#include "split.h"

#include <math.h>
#include <string.h>

enum {
  NARROW = 31,
  WIDE = 63,
  LEAST_PREFIX = 8,
  THRESHOLD_CHUNK = 1920, /* and its signs fill 4 groups of keystream but for 16 bytes */
  LOG_CHUNK = 1024,
  SPLIT_CHUNK = 1024
};
#define LARGEST_THRESHOLD 5.5  /* 61 of its thresholds are above 2^-16 */
#define LARGEST_NARROW 0x1p10  /* larger scales would leave too much undecided */
#define LARGEST_UNSPLIT 0x1p20 /* as above */

typedef struct laplace {
  cydp_sampler base;
  cydp_exponential_tails tails;
  cydp_threshold_route threshold;
  double rounded[CYDP_THRESHOLDS]; /* T_1, T_2, ... */
  cydp_log_route log;
  unsigned shift;     /* m */
  cydp_fixed inverse; /* 1 / t of the whole, where `tails` has that of Q */
} laplace;

/* 1e-6 <= t <= 2^56, decided on the exact quotient 1 / t. */
static bool in_range(const uint64_t *inverse) {
  const size_t n = CYDP_MOST_LIMBS + 2;
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
      cydp_threshold_magnitudes(&law->threshold, batch, batch->plane[0], magnitudes);
  cydp_kernels_in_use()->signs(magnitudes, batch->signs, batch->n, out);
  *values = batch->n;
  return status;
}

static cydp_status map_log(const cydp_sampler *self, const cydp_batch *batch, void *out,
                           size_t *values) {
  const laplace *law = (const laplace *)self;
  *values = batch->n;
  return cydp_log_values(&law->log, batch, batch->plane[0], out);
}

/* exp(-R / t) > 1 - R / t >= 1 - 2^-19, since R < M <= t 2^-19: V below that needs no
 * more than its first 19 bits, which are not all ones. */
enum { ACCEPT_BITS = 19 };

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

/* Whether V accepts each candidate; V's first bits are the highest of its word. */
static cydp_status accept_all(const laplace *law, const cydp_batch *batch,
                              const uint64_t *words, uint8_t *accepted) {
  uint16_t lanes[CYDP_BATCH];
  bool all = batch->resolve_all;
  size_t open =
      all ? batch->n
          : cydp_kernels_in_use()->list_ones(words, ACCEPT_BITS, batch->n, lanes);
  memset(accepted, 0xff, CYDP_BATCH / 8);
  batch->work->undecided += open;
  cydp_status status = CYDP_OK;
  for (size_t j = 0; j < open && status == CYDP_OK; j++) {
    size_t lane = all ? j : lanes[j];
    remainder_of bound = {law, words[lane] & ((UINT64_C(1) << law->shift) - 1)};
    cydp_bits bits =
        cydp_batch_bits(batch, lane, 2, words[lane] >> (64 - ACCEPT_BITS), ACCEPT_BITS);
    bool below;
    status = cydp_resolve_below(accepts, &bound, &bits, &below);
    split_accept(accepted, lane, below);
  }
  return status;
}

/* Plane 0: the sign and Q's bits; plane 1: R in the lowest m bits, V's first in the
 * highest. A candidate is rejected if V says so, or for a negative zero. */
static cydp_status map_split(const cydp_sampler *self, const cydp_batch *batch, void *out,
                             size_t *values) {
  const laplace *law = (const laplace *)self;
  const uint64_t *first = batch->plane[0], *second = batch->plane[1];
  uint8_t accepted[CYDP_BATCH / 8];
  int64_t *quotients = out; /* overwritten by what they become */
  cydp_status status = cydp_log_values(&law->log, batch, first, quotients);
  if (status == CYDP_OK)
    status = accept_all(law, batch, second, accepted);
  if (status == CYDP_OK)
    *values = cydp_kernels_in_use()->join_laplace(law->shift, first, second, quotients,
                                                  accepted, batch->n, out);
  return status;
}

static void set_threshold(laplace *law) {
  double rate = law->tails.inverse_scale;
  for (int k = 0; k < CYDP_THRESHOLDS; k++)
    law->rounded[k] = 2 * exp(-rate * (k + 1)) / (1 + exp(-rate));
  cydp_threshold_route_set(&law->threshold, &law->tails.tails, law->rounded,
                           CYDP_THRESHOLDS);
  law->base.map = map_threshold;
  law->base.layout = (cydp_layout){{2, 0, 0}, true};
  law->base.chunk = THRESHOLD_CHUNK;
}

static void set_log(laplace *law, unsigned bits) {
  cydp_log_route_set(&law->log, &law->tails, bits);
  law->base.map = map_log;
  law->base.layout = (cydp_layout){{bits > NARROW ? 8 : 4, 0, 0}, false};
  law->base.chunk = LOG_CHUNK;
}

/* m such that t / M is in (2^19, 2^20]. Where t is a power of two, so is its double. */
static void set_split(laplace *law) {
  const size_t n = CYDP_MOST_LIMBS + 2;
  while (ldexp(law->tails.scale, -(int)law->shift) > LARGEST_UNSPLIT)
    law->shift++;
  cydp_fixed inverse, scaled = {0};
  for (size_t i = 0; i <= n; i++)
    inverse[i] = law->inverse[i] = law->tails.inverse[i];
  uint64_t carry = 0; /* M / t: m is below 64 */
  for (size_t i = 0; i <= n; i++) {
    scaled[i] = inverse[i] << law->shift | carry;
    carry = inverse[i] >> (64 - law->shift);
  }
  cydp_exponential_tails_set(&law->tails, scaled, true);
  cydp_log_route_set(&law->log, &law->tails, WIDE);
  law->base.map = map_split;
  law->base.layout = (cydp_layout){{8, 8, 0}, false};
  law->base.chunk = SPLIT_CHUNK;
}

cydp_status cydp_discrete_laplace_new(cydp_sampler **out, const uint64_t *numerator,
                                      size_t numerator_limbs, const uint64_t *denominator,
                                      size_t denominator_limbs, unsigned prefix_bits) {
  numerator_limbs = cydp_significant_limbs(numerator, numerator_limbs);
  denominator_limbs = cydp_significant_limbs(denominator, denominator_limbs);
  bool width_known =
      prefix_bits == 0 || (prefix_bits >= LEAST_PREFIX && prefix_bits <= NARROW);
  if (numerator_limbs == 0 || denominator_limbs == 0 || !width_known)
    return CYDP_ERROR_DOMAIN;
  cydp_fixed inverse;
  bool exact;
  cydp_status status =
      cydp_fixed_divide(CYDP_MOST_LIMBS + 2, inverse, denominator, denominator_limbs,
                        numerator, numerator_limbs, &exact);
  if (status == CYDP_OK && !in_range(inverse))
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK)
    return status;
  laplace *law = cydp_sampler_allocate(sizeof *law);
  if (!law)
    return CYDP_ERROR_MEMORY;
  law->base.value_bytes = sizeof(int64_t);
  cydp_exponential_tails_set(&law->tails, inverse, false);
  double t = law->tails.scale;
  if (prefix_bits != 0)
    set_log(law, prefix_bits);
  else if (t <= LARGEST_THRESHOLD)
    set_threshold(law);
  else if (t <= LARGEST_UNSPLIT)
    set_log(law, t <= LARGEST_NARROW ? NARROW : WIDE);
  else
    set_split(law);
  *out = &law->base;
  return CYDP_OK;
}
