/* SPDX-License-Identifier: MIT
 * A shift among K categories: X = #{j : U < T_j}, T_j = (K - j) w for 1 <= j < K. By
 * thresholds if these are few, else as K - 1 - floor(U / w), but at least 0.
 * docs/sampling.md, "Randomized response". */
#include "samplers/category_offset.h"
#include "base/fixed_point.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/batch.h"
#include "samplers/cdf_table.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"

#include <math.h>
#include <stdlib.h>

enum {
  CHUNK = 2048,
  FEW = CYDP_THRESHOLDS, /* categories, whose thresholds the threshold kernel takes */
  NARROW = 1 << 16,      /* categories, for which 32 bits of U nearly always decide */
  LEAST_EXPONENT =
      -900 /* w >= 2^-900: doubles hold 1 / w, and 1,024 bits tell U from it */
};

typedef struct shift {
  cydp_sampler base;
  cydp_tails tails;
  uint64_t categories;
  cydp_fixed weight; /* w, CYDP_MOST_LIMBS fraction limbs, rounded down */
  bool exact;        /* w is a fraction of 2^1024 */
  double inverse;    /* 1 / w, within 2^-51 of itself */
  double rounded[FEW];
  cydp_cdf_table_route threshold;
  cydp_shift_law law, wide; /* by 32 and by 63 bits */
} shift;

static const shift *of_tails(const cydp_tails *tails) {
  return (const shift *)((const char *)tails - offsetof(shift, tails));
}

/* (K - j) times w rounded down to n limbs is less than K - j ulps below T_j. */
static cydp_answer below(const cydp_tails *self, size_t n, const uint64_t *u,
                         uint64_t j) {
  const shift *law = of_tails(self);
  if (j >= law->categories)
    return CYDP_NO;
  const uint64_t *weight = law->weight + (CYDP_MOST_LIMBS - n),
                 times = law->categories - j;
  cydp_fixed tail;
  cydp_fixed_multiply_word(n, tail, weight, times);
  if (cydp_fixed_compare(n, u, tail) < 0)
    return CYDP_YES;
  bool ends = law->exact;
  for (size_t i = 0; i < CYDP_MOST_LIMBS - n; i++)
    ends = ends && law->weight[i] == 0;
  cydp_fixed_add_ulps(n, tail, ends ? 0 : times);
  return cydp_fixed_compare(n, u, tail) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

/* A fraction of n limbs as a double, within 2^-51 of itself. */
static double rounded_of(size_t n, const uint64_t *x) {
  size_t limbs = cydp_significant_limbs(x, n);
  if (limbs == 0)
    return 0;
  double low = limbs > 1 ? ldexp((double)x[limbs - 2], -64) : 0;
  return ldexp((double)x[limbs - 1] + low, 64 * ((int)limbs - 1 - (int)n));
}

static uint64_t propose(const cydp_tails *self, size_t n, const uint64_t *u) {
  const shift *law = of_tails(self);
  double y = rounded_of(n, u) * law->inverse, last = (double)(law->categories - 1);
  return y < last ? law->categories - 1 - (uint64_t)y : 0;
}

static cydp_status map_few(const cydp_sampler *self, const cydp_batch *batch, void *out,
                           size_t *values) {
  *values = batch->n;
  return cydp_cdf_table_magnitudes(&((const shift *)self)->threshold, batch,
                                   batch->plane[0], out);
}

typedef struct shifts_of {
  cydp_decision base;
  const shift *law;
  const void *words;
  void *shifts;
} shifts_of;

static uint64_t prefix_of_32(const cydp_decision *self, size_t lane) {
  return ((const uint32_t *)((const shifts_of *)self)->words)[lane];
}

static uint64_t prefix_of_63(const cydp_decision *self, size_t lane) {
  return ((const uint64_t *)((const shifts_of *)self)->words)[lane] >> 1;
}

/* By the same kernel, which takes the upper 63 bits. */
static uint64_t look(const cydp_decision *self, size_t n, const uint16_t *lanes,
                     const uint64_t *u, uint64_t *answers) {
  uint32_t shifts[CYDP_SLOTS];
  uint32_t open = 0;
  (void)lanes;
  cydp_samplers_kernels()->shift(&((const shifts_of *)self)->law->wide, u, n, shifts,
                                 (uint8_t *)&open);
  for (size_t i = 0; i < n; i++)
    answers[i] = shifts[i];
  cydp_wipe(shifts, sizeof shifts);
  return open;
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  (void)lane;
  return cydp_resolve_magnitude(&((const shifts_of *)self)->law->tails, bits, answer);
}

static void put_16(const cydp_decision *self, size_t lane, uint64_t answer,
                   uint64_t real) {
  uint16_t *at = (uint16_t *)((const shifts_of *)self)->shifts + lane;
  *at = (uint16_t)((answer & real) | (*at & ~real));
}

static void put_32(const cydp_decision *self, size_t lane, uint64_t answer,
                   uint64_t real) {
  uint32_t *at = (uint32_t *)((const shifts_of *)self)->shifts + lane;
  *at = (uint32_t)((answer & real) | (*at & ~real));
}

static cydp_status map_many(const shift *law, const cydp_batch *batch,
                            const cydp_decision *decision,
                            const cydp_shift_law *constants, void *out) {
  const shifts_of of = {*decision, law, batch->plane[0], out};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&of.base, batch, NULL);
  cydp_samplers_kernels()->shift(constants, batch->plane[0], batch->n, out, undecided);
  return cydp_decide(&of.base, batch, undecided);
}

static cydp_status map_narrow(const cydp_sampler *self, const cydp_batch *batch,
                              void *out, size_t *values) {
  const shift *law = (const shift *)self;
  const cydp_decision decision = {1,    32,      law->law.rate, prefix_of_32,
                                  look, resolve, put_16};
  *values = batch->n;
  return map_many(law, batch, &decision, &law->law, out);
}

static cydp_status map_wide(const cydp_sampler *self, const cydp_batch *batch, void *out,
                            size_t *values) {
  const shift *law = (const shift *)self;
  const cydp_decision decision = {1,    63,      law->wide.rate, prefix_of_63,
                                  NULL, resolve, put_32};
  *values = batch->n;
  return map_many(law, batch, &decision, &law->wide, out);
}

static cydp_status resolve_unused(const cydp_sampler *self, cydp_bits *bits) {
  uint64_t magnitude;
  return cydp_resolve_magnitude(&((const shift *)self)->tails, bits, &magnitude);
}

static void set_few(shift *law) {
  const size_t terms = law->categories - 1;
  for (size_t i = 0; i < terms; i++)
    law->rounded[i] = (double)(terms - i) / law->inverse;
  cydp_cdf_table_route_set(&law->threshold, &law->tails, law->rounded, terms + 1);
  cydp_cdf_table *thresholds = &law->threshold.law;
  if (thresholds->count > terms) { /* no T_j lies in cell 0 */
    thresholds->count = (unsigned)terms;
    law->threshold.rate -= 0x1p-16;
  }
  law->base.resolved[0] = cydp_cdf_table_resolved(&law->threshold);
  law->base.map = map_few;
  law->base.layout = (cydp_layout){{2, 0, 0}, false};
}

/* y is U / w within half a cell and 2^-50 of itself; the guard band is a little wider
 * than half a cell, which may be far more than `last`. At each of the K boundaries it
 * takes 2 guard w of U, and a word more since words are counted by their middles. */
static cydp_shift_law law_of(const shift *law, unsigned bits) {
  double inverse = law->inverse, last = (double)(law->categories - 1);
  double cell = ldexp(inverse, -(int)bits);
  return (cydp_shift_law){.factor = cell,
                          .last = last,
                          .guard = cell * (0.5 + 0x1p-40) + last * CYDP_SHIFT_ERROR,
                          .rate = (last + 1) * (ldexp(2.01, -(int)bits) +
                                                2 * CYDP_SHIFT_ERROR * (last / inverse)),
                          .bits = bits};
}

static void set_many(shift *law) {
  bool narrow = law->categories <= NARROW;
  law->law = law_of(law, 32);
  law->wide = law_of(law, 63);
  law->base.resolved[0] = law->wide.rate;
  law->base.map = narrow ? map_narrow : map_wide;
  law->base.layout = (cydp_layout){{narrow ? 4 : 8, 0, 0}, false};
}

uint64_t cydp_shift_categories(const cydp_sampler *sampler) {
  bool is = sampler->resolve_unused == resolve_unused;
  return is ? ((const shift *)sampler)->categories : 0;
}

cydp_status cydp_category_offset_new(const cydp_rational *weight, uint64_t categories,
                                     cydp_sampler **out) {
  const size_t n = CYDP_MOST_LIMBS;
  const cydp_rational w = cydp_drop_zero_limbs(weight);
  if (w.denominator_limbs == 0 || categories < 2 || categories > CYDP_MOST_CATEGORIES)
    return CYDP_ERROR_DOMAIN;
  shift *law = cydp_sampler_allocate(sizeof *law);
  if (!law)
    return CYDP_ERROR_MEMORY;
  cydp_status status = cydp_fixed_divide(n, law->weight, w.numerator, w.numerator_limbs,
                                         w.denominator, w.denominator_limbs, &law->exact);
  if (status == CYDP_OK) {
    /* categories w <= 1, up to ulps: it says the same of w rounded down. */
    cydp_fixed all, one = {0};
    one[n] = 1;
    double rounded = rounded_of(n, law->weight);
    cydp_fixed_multiply_word(n, all, law->weight, categories);
    if (law->weight[n] || cydp_fixed_compare(n, all, one) > 0 ||
        rounded < ldexp(1, LEAST_EXPONENT))
      status = CYDP_ERROR_DOMAIN;
    law->inverse = 1 / rounded;
  }
  if (status != CYDP_OK) {
    free(law);
    return status;
  }
  law->base.value_bytes = categories <= NARROW ? 2 : 4;
  law->base.chunk = CHUNK;
  law->base.resolve_unused = resolve_unused;
  law->tails = (cydp_tails){below, propose};
  law->categories = categories;
  if (categories <= FEW)
    set_few(law);
  else
    set_many(law);
  *out = &law->base;
  return CYDP_OK;
}
