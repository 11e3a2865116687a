/* SPDX-License-Identifier: MIT
 * true with probability p, as U < p: the threshold kernel with one threshold. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/batch.h"
#include "samplers/cdf_table.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 2048, PREFIX_BITS = 16 };

typedef struct bernoulli {
  cydp_sampler base;
  cydp_tails tails; /* T_1 = p, the others are 0 */
  cydp_cdf_table_route threshold;
  double rounded[2]; /* p and 0 */
  bool always;
  bool exact;   /* p is a fraction of 2^1024 */
  cydp_fixed p; /* CYDP_MOST_LIMBS fraction limbs, rounded down */
} bernoulli;

static const bernoulli *of_tails(const cydp_tails *tails) {
  return (const bernoulli *)((const char *)tails - offsetof(bernoulli, tails));
}

/* p is rational, so U can equal its bits for ever; where they end, U >= p decides. */
static cydp_answer below(const cydp_tails *self, size_t n, const uint64_t *u,
                         uint64_t k) {
  const bernoulli *law = of_tails(self);
  if (k > 1)
    return CYDP_NO;
  const uint64_t *p = law->p + (CYDP_MOST_LIMBS - n);
  int order = cydp_fixed_compare(n, u, p);
  if (order != 0)
    return order < 0 ? CYDP_YES : CYDP_NO;
  bool ends = law->exact;
  for (size_t i = 0; i < CYDP_MOST_LIMBS - n; i++)
    ends = ends && law->p[i] == 0;
  return ends ? CYDP_NO : CYDP_TOO_CLOSE;
}

static uint64_t propose(const cydp_tails *self, size_t n, const uint64_t *u) {
  const bernoulli *law = of_tails(self);
  return cydp_fixed_compare(n, u, law->p + (CYDP_MOST_LIMBS - n)) < 0;
}

static cydp_status map(const cydp_sampler *self, const cydp_batch *batch, void *out,
                       size_t *values) {
  const bernoulli *law = (const bernoulli *)self;
  uint16_t magnitudes[CYDP_BATCH];
  const size_t n = batch->n; /* a register, not memory that the result could alias */
  bool *restrict result = out;
  cydp_status status =
      cydp_cdf_table_magnitudes(&law->threshold, batch, batch->plane[0], magnitudes);
  for (size_t i = 0; i < n; i++)
    result[i] = magnitudes[i] != 0;
  *values = n;
  return status;
}

static cydp_status resolve_unused(const cydp_sampler *self, cydp_bits *bits) {
  uint64_t magnitude;
  return cydp_resolve_magnitude(&((const bernoulli *)self)->tails, bits, &magnitude);
}

/* p = 0 and p = 1 need no bits. */
static cydp_status map_constant(const cydp_sampler *self, const cydp_batch *batch,
                                void *out, size_t *values) {
  memset(out, ((const bernoulli *)self)->always, batch->n);
  *values = batch->n;
  return CYDP_OK;
}

cydp_status cydp_bernoulli_new(const cydp_rational *probability, cydp_sampler **out) {
  const size_t n = CYDP_MOST_LIMBS;
  const cydp_rational given = cydp_drop_zero_limbs(probability);
  if (given.denominator_limbs == 0)
    return CYDP_ERROR_DOMAIN;
  bernoulli *law = cydp_sampler_allocate(sizeof *law);
  if (!law)
    return CYDP_ERROR_MEMORY;
  cydp_fixed one = {0};
  one[n] = 1;
  cydp_status status =
      cydp_fixed_divide(n, law->p, given.numerator, given.numerator_limbs,
                        given.denominator, given.denominator_limbs, &law->exact);
  int order = cydp_fixed_compare(n, law->p, one);
  law->always = order == 0 && law->exact;
  if (status == CYDP_OK && order >= 0 && !law->always)
    status = CYDP_ERROR_DOMAIN;
  if (status != CYDP_OK) {
    free(law);
    return status;
  }
  law->base.value_bytes = sizeof(bool);
  law->base.chunk = CHUNK;
  law->base.map = map_constant;
  if (given.numerator_limbs > 0 && !law->always) {
    law->tails = (cydp_tails){below, propose};
    law->rounded[0] =
        ldexp((double)law->p[n - 1], -64) + ldexp((double)law->p[n - 2], -128);
    cydp_cdf_table_route_set(&law->threshold, &law->tails, law->rounded, 2);
    law->threshold.law.count = 1; /* nothing lies in cell 0 but, perhaps, p itself */
    law->threshold.rate = 0x1p-16;
    law->base.resolved[0] = cydp_cdf_table_resolved(&law->threshold);
    law->base.resolve_unused = resolve_unused;
    law->base.map = map;
    law->base.layout = (cydp_layout){{2, 0, 0}, false};
  }
  *out = &law->base;
  return CYDP_OK;
}
