/* SPDX-License-Identifier: MIT
 * |X| = floor(a - t ln U) for candidates of a word each: the sign in its lowest bit, the
 * first bits of U above. docs/sampling.md, "The fast path" and "The guard band". */
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

/* The tail's cut balances what it sends on with the width that cells above it add to the
 * band. */
static void set_law(cydp_inverse_cdf_law *law, const cydp_exponential_tails *tails,
                    unsigned bits) {
  double t = tails->scale;
  for (int i = 0; i < CYDP_LOG_INTERVALS; i++)
    law->base[i] = tails->offset - t * cydp_log_centre[i];
  for (int i = 0; i < CYDP_LOG_TERMS; i++)
    law->q[i] = -t * cydp_log_q[i];
  law->step = t * 0.6931471805599453;
  law->bits = bits;
  for (int i = 0; i < CYDP_LOG_INTERVALS; i++) {
    unsigned halved = i < 5; /* z = m / 2: the intervals below 1 */
    int upper = (i + 3) % CYDP_LOG_INTERVALS;
    law->inverse[upper] = ldexp(cydp_log_inverse[i], -(int)halved);
    law->start[upper] = fma(bits + 1 - halved, law->step, law->base[i]);
  }
  double cells = ldexp(1, (int)bits);
  double tail = ceil(fmin(sqrt(t * cells), cells));
  law->tail = (uint64_t)tail;
  law->guard = t * (0.5 / tail + CYDP_LOG_ERROR);
}

static bool is_certain(const cydp_inverse_cdf_law *law,
                       const cydp_exponential_tails *tails) {
  return law->guard < 0.5 && (tails->one_sided || law->guard <= tails->offset);
}

/* With what probability a word is undecided, at most: the tail, bands of 2 guard, and a
 * word more for each of these, of which there are fewer than 1 + 22 t. */
static double rate_of(const cydp_inverse_cdf_law *law, double t) {
  return ldexp((double)law->tail + 1 + 22 * t, -(int)law->bits) + 2 * law->guard;
}

void cydp_inverse_cdf_route_set(cydp_inverse_cdf_route *route,
                                const cydp_exponential_tails *tails, unsigned bits) {
  route->tails = tails;
  set_law(&route->law, tails, bits);
  set_law(&route->wide, tails, WIDE);
  route->certain = is_certain(&route->law, tails);
  route->rate = rate_of(&route->law, tails->scale);
  route->resolved = rate_of(&route->wide, tails->scale);
}

uint64_t cydp_inverse_cdf_look(const cydp_inverse_cdf_law *wide, size_t n,
                               const uint64_t *u, uint64_t *answers) {
  uint64_t words[CYDP_SLOTS];
  uint8_t undecided[CYDP_SLOTS / 8] = {0};
  int64_t values[CYDP_SLOTS];
  uint64_t open = 0;
  for (size_t i = 0; i < n; i++)
    words[i] = u[i] & ~UINT64_C(1); /* a positive sign */
  cydp_samplers_kernels()->inverse_cdf(wide, words, n, values, undecided);
  for (size_t i = 0; i < n; i++)
    answers[i] = (uint64_t)values[i];
  for (size_t i = 0; i < sizeof undecided; i++)
    open |= (uint64_t)undecided[i] << 8 * i;
  cydp_wipe(words, n * sizeof *words);
  return open;
}

typedef struct values_of {
  cydp_decision base;
  const cydp_inverse_cdf_route *route;
  const void *words;
  int64_t *out;
} values_of;

static uint64_t word_at(const values_of *of, size_t lane) {
  return of->route->law.bits > NARROW ? ((const uint64_t *)of->words)[lane]
                                      : ((const uint32_t *)of->words)[lane];
}

static uint64_t prefix(const cydp_decision *self, size_t lane) {
  return word_at((const values_of *)self, lane) >> 1 &
         ((UINT64_C(1) << self->prefix_bits) - 1);
}

static uint64_t look(const cydp_decision *self, size_t n, const uint16_t *lanes,
                     const uint64_t *u, uint64_t *answers) {
  (void)lanes;
  return cydp_inverse_cdf_look(&((const values_of *)self)->route->wide, n, u, answers);
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  (void)lane;
  return cydp_resolve_magnitude(&((const values_of *)self)->route->tails->tails, bits,
                                answer);
}

static void put(const cydp_decision *self, size_t lane, uint64_t answer, uint64_t real) {
  const values_of *of = (const values_of *)self;
  uint64_t sign = word_at(of, lane) & 1, value = (answer ^ (0 - sign)) + sign;
  of->out[lane] = (int64_t)((value & real) | ((uint64_t)of->out[lane] & ~real));
}

cydp_status cydp_inverse_cdf_values(const cydp_inverse_cdf_route *route,
                                    const cydp_batch *batch, const void *words,
                                    int64_t *out) {
  unsigned bits = route->law.bits;
  const values_of of = {
      {1, bits, route->rate, prefix, bits < WIDE ? look : NULL, resolve, put},
      route,
      words,
      out};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL || !route->certain)
    return cydp_decide(&of.base, batch, NULL);
  cydp_samplers_kernels()->inverse_cdf(&route->law, words, batch->n, out, undecided);
  return cydp_decide(&of.base, batch, undecided);
}
