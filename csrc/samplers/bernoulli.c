/* SPDX-License-Identifier: MIT
 * The Bernoulli distribution: true if U < p, by a CDF table with one entry.
 * docs/samplers/cdf_table.md. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/batch.h"
#include "samplers/cdf_table.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 2048, PREFIX_BITS = 16 };

typedef struct bernoulli_sampler {
  cydp_sampler base;
  cydp_tails tails; /* T_1 = p, the others are 0 */
  cydp_cdf_table_method table;
  double rounded[2]; /* p and 0 */
  bool always;
  bool exact;   /* p is a fraction of 2^1024 */
  cydp_fixed p; /* CYDP_MOST_LIMBS fraction limbs, rounded down */
} bernoulli_sampler;

static const bernoulli_sampler *sampler_of(const cydp_tails *tails) {
  return (const bernoulli_sampler *)((const char *)tails -
                                     offsetof(bernoulli_sampler, tails));
}

/* p is rational: its bits may end, and then a U that begins with them is not below p. */
static cydp_answer below(const cydp_tails *self, size_t n, const uint64_t *u,
                         uint64_t k) {
  const bernoulli_sampler *bernoulli = sampler_of(self);
  if (k > 1)
    return CYDP_NO;
  const uint64_t *p = bernoulli->p + (CYDP_MOST_LIMBS - n);
  int order = cydp_fixed_compare(n, u, p);
  if (order != 0)
    return order < 0 ? CYDP_YES : CYDP_NO;
  bool ends = bernoulli->exact;
  for (size_t i = 0; i < CYDP_MOST_LIMBS - n; i++)
    ends = ends && bernoulli->p[i] == 0;
  return ends ? CYDP_NO : CYDP_TOO_CLOSE;
}

static uint64_t propose(const cydp_tails *self, size_t n, const uint64_t *u) {
  const bernoulli_sampler *bernoulli = sampler_of(self);
  return cydp_fixed_compare(n, u, bernoulli->p + (CYDP_MOST_LIMBS - n)) < 0;
}

static cydp_status map(const cydp_sampler *self, const cydp_batch *batch, void *out,
                       size_t *values) {
  const bernoulli_sampler *bernoulli = (const bernoulli_sampler *)self;
  uint16_t magnitudes[CYDP_BATCH];
  const size_t n = batch->n; /* a register, not memory that the result could alias */
  bool *restrict result = out;
  cydp_status status =
      cydp_cdf_table_map(&bernoulli->table, batch, batch->plane[0], magnitudes);
  for (size_t i = 0; i < n; i++)
    result[i] = magnitudes[i] != 0;
  *values = n;
  return status;
}

static cydp_status resolve_dummy(const cydp_sampler *self, cydp_bits *bits) {
  uint64_t magnitude;
  return cydp_resolve_magnitude(&((const bernoulli_sampler *)self)->tails, bits,
                                &magnitude);
}

/* p = 0 and p = 1 need no bits. */
static cydp_status map_constant(const cydp_sampler *self, const cydp_batch *batch,
                                void *out, size_t *values) {
  memset(out, ((const bernoulli_sampler *)self)->always, batch->n);
  *values = batch->n;
  return CYDP_OK;
}

cydp_status cydp_bernoulli_new(const cydp_rational *probability, cydp_sampler **out) {
  const size_t n = CYDP_MOST_LIMBS;
  const cydp_rational given = cydp_drop_zero_limbs(probability);
  if (given.denominator_limbs == 0)
    return CYDP_ERROR_DOMAIN;
  bernoulli_sampler *bernoulli = cydp_sampler_allocate(sizeof *bernoulli);
  if (!bernoulli)
    return CYDP_ERROR_MEMORY;
  cydp_fixed one = {0};
  one[n] = 1;
  cydp_status status =
      cydp_fixed_divide(n, bernoulli->p, given.numerator, given.numerator_limbs,
                        given.denominator, given.denominator_limbs, &bernoulli->exact);
  int order = cydp_fixed_compare(n, bernoulli->p, one);
  bernoulli->always = order == 0 && bernoulli->exact;
  if (status == CYDP_OK && order >= 0 && !bernoulli->always)
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK) {
    cydp_sampler_free(&bernoulli->base);
    return status;
  }
  bernoulli->base.value_bytes = sizeof(bool);
  bernoulli->base.chunk = CHUNK;
  bernoulli->base.map = map_constant;
  if (given.numerator_limbs > 0 && !bernoulli->always) {
    bernoulli->tails = (cydp_tails){below, propose};
    bernoulli->rounded[0] = ldexp((double)bernoulli->p[n - 1], -64) +
                            ldexp((double)bernoulli->p[n - 2], -128);
    cydp_cdf_table_prepare(&bernoulli->table, &bernoulli->tails, bernoulli->rounded, 2);
    bernoulli->table.table.count =
        1; /* no tail lies in entry 0, except perhaps p itself */
    bernoulli->table.rate = 0x1p-16;
    bernoulli->base.resolve_rates[0] = cydp_cdf_table_resolve_rate(&bernoulli->table);
    bernoulli->base.resolve_dummy = resolve_dummy;
    bernoulli->base.map = map;
    bernoulli->base.layout = (cydp_layout){{2, 0, 0}, false};
  }
  *out = &bernoulli->base;
  return CYDP_OK;
}
