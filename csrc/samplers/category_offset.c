/* SPDX-License-Identifier: MIT
 * An offset among K categories: X = #{j : U < T_j}, T_j = (K - j) w for 1 <= j < K. By a
 * CDF table if the categories are few, else as K - 1 - floor(U / w), but at least 0.
 * docs/samplers/category_offset.md. */
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

enum {
  CHUNK = 2048,
  TABLE_CATEGORIES = CYDP_CDF_ENTRIES, /* as many tails as a CDF table has room for */
  NARROW_CATEGORIES = 1 << 16,         /* 32 bits of U nearly always decide */
  LEAST_EXPONENT =
      -900 /* w >= 2^-900: doubles hold 1 / w, and 1,024 bits tell U from it */
};

typedef struct offset_sampler {
  cydp_sampler base;
  cydp_tails tails;
  uint64_t categories;
  cydp_fixed weight; /* w, CYDP_MOST_LIMBS fraction limbs, rounded down */
  bool exact;        /* w is a fraction of 2^1024 */
  double inverse;    /* 1 / w, within 2^-51 of itself */
  double rounded[TABLE_CATEGORIES];
  cydp_cdf_table_method table;
  cydp_category_offset_constants narrow, wide; /* by 32 and by 63 bits */
} offset_sampler;

static const offset_sampler *sampler_of(const cydp_tails *tails) {
  return (const offset_sampler *)((const char *)tails - offsetof(offset_sampler, tails));
}

/* (K - j) times w, rounded down to n limbs, is less than K - j ulps below T_j. */
static cydp_answer below(const cydp_tails *self, size_t n, const uint64_t *u,
                         uint64_t j) {
  const offset_sampler *offset = sampler_of(self);
  if (j >= offset->categories)
    return CYDP_NO;
  const uint64_t *weight = offset->weight + (CYDP_MOST_LIMBS - n),
                 times = offset->categories - j;
  cydp_fixed tail;
  cydp_fixed_multiply_word(n, tail, weight, times);
  if (cydp_fixed_compare(n, u, tail) < 0)
    return CYDP_YES;
  bool ends = offset->exact;
  for (size_t i = 0; i < CYDP_MOST_LIMBS - n; i++)
    ends = ends && offset->weight[i] == 0;
  cydp_fixed_add_ulps(n, tail, ends ? 0 : times);
  return cydp_fixed_compare(n, u, tail) >= 0 ? CYDP_NO : CYDP_TOO_CLOSE;
}

/* Returns a fraction of n limbs as a double, within 2^-51 of itself. */
static double double_of(size_t n, const uint64_t *x) {
  size_t limbs = cydp_significant_limbs(x, n);
  if (limbs == 0)
    return 0;
  double low = limbs > 1 ? ldexp((double)x[limbs - 2], -64) : 0;
  return ldexp((double)x[limbs - 1] + low, 64 * ((int)limbs - 1 - (int)n));
}

static uint64_t propose(const cydp_tails *self, size_t n, const uint64_t *u) {
  const offset_sampler *offset = sampler_of(self);
  double y = double_of(n, u) * offset->inverse, last = (double)(offset->categories - 1);
  return y < last ? offset->categories - 1 - (uint64_t)y : 0;
}

static cydp_status map_by_table(const cydp_sampler *self, const cydp_batch *batch,
                                void *out, size_t *values) {
  *values = batch->n;
  return cydp_cdf_table_map(&((const offset_sampler *)self)->table, batch,
                            batch->plane[0], out);
}

typedef struct offset_decision {
  cydp_decision base;
  const offset_sampler *offset;
  const void *words;
  void *offsets;
} offset_decision;

static uint64_t prefix_of_32(const cydp_decision *self, size_t lane) {
  return ((const uint32_t *)((const offset_decision *)self)->words)[lane];
}

static uint64_t prefix_of_63(const cydp_decision *self, size_t lane) {
  return ((const uint64_t *)((const offset_decision *)self)->words)[lane] >> 1;
}

/* Looks again by the same kernel, which takes the upper 63 bits. */
static uint64_t look_again(const cydp_decision *self, size_t n, const uint16_t *lanes,
                           const uint64_t *u, uint64_t *answers) {
  uint32_t offsets[CYDP_SECOND_LOOKS];
  uint32_t open = 0;
  (void)lanes;
  cydp_samplers_kernels()->category_offset(&((const offset_decision *)self)->offset->wide,
                                           u, n, offsets, (uint8_t *)&open);
  for (size_t i = 0; i < n; i++)
    answers[i] = offsets[i];
  cydp_wipe(offsets, sizeof offsets);
  return open;
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  (void)lane;
  return cydp_resolve_magnitude(&((const offset_decision *)self)->offset->tails, bits,
                                answer);
}

static void store_16(const cydp_decision *self, size_t lane, uint64_t answer,
                     uint64_t real) {
  uint16_t *at = (uint16_t *)((const offset_decision *)self)->offsets + lane;
  *at = (uint16_t)((answer & real) | (*at & ~real));
}

static void store_32(const cydp_decision *self, size_t lane, uint64_t answer,
                     uint64_t real) {
  uint32_t *at = (uint32_t *)((const offset_decision *)self)->offsets + lane;
  *at = (uint32_t)((answer & real) | (*at & ~real));
}

static cydp_status map_many(const offset_sampler *offset, const cydp_batch *batch,
                            const cydp_decision *decision,
                            const cydp_category_offset_constants *constants, void *out) {
  const offset_decision offsets = {*decision, offset, batch->plane[0], out};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&offsets.base, batch, NULL);
  cydp_samplers_kernels()->category_offset(constants, batch->plane[0], batch->n, out,
                                           undecided);
  return cydp_decide(&offsets.base, batch, undecided);
}

static cydp_status map_narrow(const cydp_sampler *self, const cydp_batch *batch,
                              void *out, size_t *values) {
  const offset_sampler *offset = (const offset_sampler *)self;
  const cydp_decision decision = {
      1, 32, offset->narrow.rate, prefix_of_32, look_again, resolve, store_16};
  *values = batch->n;
  return map_many(offset, batch, &decision, &offset->narrow, out);
}

static cydp_status map_wide(const cydp_sampler *self, const cydp_batch *batch, void *out,
                            size_t *values) {
  const offset_sampler *offset = (const offset_sampler *)self;
  const cydp_decision decision = {1,    63,      offset->wide.rate, prefix_of_63,
                                  NULL, resolve, store_32};
  *values = batch->n;
  return map_many(offset, batch, &decision, &offset->wide, out);
}

static cydp_status resolve_dummy(const cydp_sampler *self, cydp_bits *bits) {
  uint64_t magnitude;
  return cydp_resolve_magnitude(&((const offset_sampler *)self)->tails, bits, &magnitude);
}

static void set_table(offset_sampler *offset) {
  const size_t terms = (size_t)offset->categories - 1;
  for (size_t i = 0; i < terms; i++)
    offset->rounded[i] = (double)(terms - i) / offset->inverse;
  cydp_cdf_table_prepare(&offset->table, &offset->tails, offset->rounded, terms + 1);
  cydp_cdf_table *table = &offset->table.table;
  if (table->count > terms) { /* no T_j lies in entry 0 */
    table->count = (unsigned)terms;
    offset->table.rate -= 0x1p-16;
  }
  offset->base.resolve_rates[0] = cydp_cdf_table_resolve_rate(&offset->table);
  offset->base.map = map_by_table;
  offset->base.layout = (cydp_layout){{2, 0, 0}, false};
}

/* y is U / w within half a word's width and 2^-50 of itself. The guard band is a little
 * wider than half a word, which may be far more than `last`. At each of the K boundaries
 * it takes 2 guard w of U, and one word more, since words are counted by their middles.
 */
static cydp_category_offset_constants constants_of(const offset_sampler *offset,
                                                   unsigned bits) {
  double inverse = offset->inverse, last = (double)(offset->categories - 1);
  double cell = ldexp(inverse, -(int)bits);
  return (cydp_category_offset_constants){
      .factor = cell,
      .last = last,
      .guard = cell * (0.5 + 0x1p-40) + last * CYDP_CATEGORY_OFFSET_ERROR,
      .rate = (last + 1) * (ldexp(2.01, -(int)bits) +
                            2 * CYDP_CATEGORY_OFFSET_ERROR * (last / inverse)),
      .bits = bits};
}

static void set_inverse(offset_sampler *offset) {
  bool narrow = offset->categories <= NARROW_CATEGORIES;
  offset->narrow = constants_of(offset, 32);
  offset->wide = constants_of(offset, 63);
  offset->base.resolve_rates[0] = offset->wide.rate;
  offset->base.map = narrow ? map_narrow : map_wide;
  offset->base.layout = (cydp_layout){{narrow ? 4 : 8, 0, 0}, false};
}

uint64_t cydp_category_offset_categories(const cydp_sampler *sampler) {
  bool is = sampler->resolve_dummy == resolve_dummy;
  return is ? ((const offset_sampler *)sampler)->categories : 0;
}

cydp_status cydp_category_offset_new(const cydp_rational *weight, uint64_t categories,
                                     cydp_sampler **out) {
  const size_t n = CYDP_MOST_LIMBS;
  const cydp_rational w = cydp_drop_zero_limbs(weight);
  if (w.denominator_limbs == 0 || categories < 2 || categories > CYDP_MOST_CATEGORIES)
    return CYDP_ERROR_DOMAIN;
  offset_sampler *offset = cydp_sampler_allocate(sizeof *offset);
  if (!offset)
    return CYDP_ERROR_MEMORY;
  cydp_status status =
      cydp_fixed_divide(n, offset->weight, w.numerator, w.numerator_limbs, w.denominator,
                        w.denominator_limbs, &offset->exact);
  if (status == CYDP_OK) {
    /* Whether categories w <= 1 is the same for w rounded down, up to ulps. */
    cydp_fixed all, one = {0};
    one[n] = 1;
    double rounded = double_of(n, offset->weight);
    cydp_fixed_multiply_word(n, all, offset->weight, categories);
    if (offset->weight[n] || cydp_fixed_compare(n, all, one) > 0 ||
        rounded < ldexp(1, LEAST_EXPONENT))
      status = CYDP_ERROR_DOMAIN;
    offset->inverse = 1 / rounded;
  }
  if (status != CYDP_OK) {
    cydp_sampler_free(&offset->base);
    return status;
  }
  offset->base.value_bytes = categories <= NARROW_CATEGORIES ? 2 : 4;
  offset->base.chunk = CHUNK;
  offset->base.resolve_dummy = resolve_dummy;
  offset->tails = (cydp_tails){below, propose};
  offset->categories = categories;
  if (categories <= TABLE_CATEGORIES)
    set_table(offset);
  else
    set_inverse(offset);
  *out = &offset->base;
  return CYDP_OK;
}
