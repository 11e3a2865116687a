/* SPDX-License-Identifier: MIT
 * |X| = floor(a - t ln U). Each candidate has a word: the sign in its lowest bit, the
 * first bits of U above. docs/samplers/inverse_cdf.md. */
#include "samplers/inverse_cdf.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/batch.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential_tails.h"
#include "samplers/kernels.h"

#include <math.h>

enum { NARROW = 31, WIDE = 63 };
/* Where docs/samplers/inverse_cdf.md proves single precision; the samplers use 5.5 to
 * 2^10 of it. */
#define LEAST_SINGLE_SCALE 1.0
#define LARGEST_SINGLE_SCALE 0x1p10

static void set_single(cydp_inverse_cdf_constants *constants, double t) {
  cydp_inverse_cdf_single *single = &constants->single;
  for (int i = 0; i < CYDP_LOG_INTERVALS; i++) {
    double start = constants->start[i] - 0.5, whole = rint(start);
    single->inverse[i] = (float)constants->inverse[i];
    single->start_whole[i] = (float)whole;
    single->start_part[i] = (float)(start - whole);
  }
  for (int i = 0; i < CYDP_LOG_NARROW_TERMS; i++)
    single->q[i] = (float)(-t * cydp_log_narrow_q[i]);
  single->step_whole = (float)rint(constants->step);
  single->step_part = (float)(constants->step - rint(constants->step));
  single->decided = nextafterf((float)(0.5 - constants->guard), 0);
  single->tail = (float)constants->tail;
}

/* A larger `tail` leaves more words undecided below it, and makes the guard band above it
 * narrower: this one balances the two. */
static void set_constants(cydp_inverse_cdf_constants *constants,
                          const cydp_exponential_tails *tails, unsigned bits) {
  double t = tails->scale;
  for (int i = 0; i < CYDP_LOG_INTERVALS; i++)
    constants->base[i] = tails->offset - t * cydp_log_centre[i];
  for (int i = 0; i < CYDP_LOG_TERMS; i++)
    constants->q[i] = -t * cydp_log_q[i];
  constants->step = t * 0.6931471805599453;
  constants->bits = bits;
  for (int i = 0; i < CYDP_LOG_INTERVALS; i++) {
    unsigned halved = i < 5; /* z = m / 2: the intervals below 1 */
    int upper = (i + 3) % CYDP_LOG_INTERVALS;
    constants->inverse[upper] = ldexp(cydp_log_inverse[i], -(int)halved);
    constants->start[upper] = fma(bits + 1 - halved, constants->step, constants->base[i]);
  }
  double cells = ldexp(1, (int)bits);
  double tail = ceil(fmin(sqrt(t * cells), cells));
  constants->tail = (uint64_t)tail;
  constants->guard = t * (0.5 / tail + CYDP_LOG_ERROR);
  constants->single.usable =
      bits == NARROW && t >= LEAST_SINGLE_SCALE && t <= LARGEST_SINGLE_SCALE;
  if (constants->single.usable) {
    constants->guard += t * CYDP_LOG_SINGLE_ERROR + CYDP_LOG_SINGLE_ABSOLUTE;
    set_single(constants, t);
  }
}

static bool is_certain(const cydp_inverse_cdf_constants *constants,
                       const cydp_exponential_tails *tails) {
  return constants->guard < 0.5 &&
         (tails->one_sided || constants->guard <= tails->offset);
}

/* Returns an upper bound of the probability that a word is undecided: the tail, bands of
 * 2 guard, and one word more for each of these, which are fewer than 1 + 22 t. */
static double rate_of(const cydp_inverse_cdf_constants *constants, double t) {
  return ldexp((double)constants->tail + 1 + 22 * t, -(int)constants->bits) +
         2 * constants->guard;
}

void cydp_inverse_cdf_prepare(cydp_inverse_cdf_method *method,
                              const cydp_exponential_tails *tails, unsigned bits) {
  method->tails = tails;
  set_constants(&method->constants, tails, bits);
  set_constants(&method->second_look, tails, WIDE);
  method->certain = is_certain(&method->constants, tails);
  method->rate = rate_of(&method->constants, tails->scale);
  method->second_look_rate = rate_of(&method->second_look, tails->scale);
}

uint64_t cydp_inverse_cdf_look_again(const cydp_inverse_cdf_constants *constants,
                                     size_t n, const uint64_t *u, uint64_t *answers) {
  uint64_t words[CYDP_SECOND_LOOKS];
  uint8_t undecided[CYDP_SECOND_LOOKS / 8] = {0};
  int64_t values[CYDP_SECOND_LOOKS];
  uint64_t open = 0;
  for (size_t i = 0; i < n; i++)
    words[i] = u[i] & ~UINT64_C(1); /* a positive sign */
  cydp_samplers_kernels()->inverse_cdf(constants, words, n, values, undecided);
  for (size_t i = 0; i < n; i++)
    answers[i] = (uint64_t)values[i];
  for (size_t i = 0; i < sizeof undecided; i++)
    open |= (uint64_t)undecided[i] << 8 * i;
  cydp_wipe(words, n * sizeof *words);
  cydp_wipe(values, n * sizeof *values);
  return open;
}

typedef struct value_decision {
  cydp_decision base;
  const cydp_inverse_cdf_method *method;
  const void *words;
  int64_t *out;
} value_decision;

static uint64_t word_at(const value_decision *decision, size_t lane) {
  return decision->method->constants.bits > NARROW
             ? ((const uint64_t *)decision->words)[lane]
             : ((const uint32_t *)decision->words)[lane];
}

static uint64_t prefix(const cydp_decision *self, size_t lane) {
  return word_at((const value_decision *)self, lane) >> 1 &
         ((UINT64_C(1) << self->prefix_bits) - 1);
}

static uint64_t look_again(const cydp_decision *self, size_t n, const uint16_t *lanes,
                           const uint64_t *u, uint64_t *answers) {
  (void)lanes;
  return cydp_inverse_cdf_look_again(&((const value_decision *)self)->method->second_look,
                                     n, u, answers);
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  (void)lane;
  return cydp_resolve_magnitude(&((const value_decision *)self)->method->tails->tails,
                                bits, answer);
}

static void store(const cydp_decision *self, size_t lane, uint64_t answer,
                  uint64_t real) {
  const value_decision *decision = (const value_decision *)self;
  uint64_t sign = word_at(decision, lane) & 1, value = (answer ^ (0 - sign)) + sign;
  decision->out[lane] =
      (int64_t)((value & real) | ((uint64_t)decision->out[lane] & ~real));
}

cydp_status cydp_inverse_cdf_map(const cydp_inverse_cdf_method *method,
                                 const cydp_batch *batch, const void *words,
                                 int64_t *out) {
  unsigned bits = method->constants.bits;
  const value_decision decision = {
      {1, bits, method->rate, prefix, bits < WIDE ? look_again : NULL, resolve, store},
      method,
      words,
      out};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL || !method->certain)
    return cydp_decide(&decision.base, batch, NULL);
  const cydp_samplers_table *kernels = cydp_samplers_kernels();
  (bits == WIDE ? kernels->inverse_cdf : kernels->inverse_cdf_narrow)(
      &method->constants, words, batch->n, out, undecided);
  return cydp_decide(&decision.base, batch, undecided);
}
