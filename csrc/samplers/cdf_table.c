/* SPDX-License-Identifier: MIT
 * |X| = #{k : U < T_k} by the first 16 bits of U: certain unless they equal those of a
 * T_k. docs/samplers/cdf_table.md. */
#include "samplers/cdf_table.h"
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/batch.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"
#include "samplers/inverse_cdf.h"
#include "samplers/kernels.h"

#include <math.h>
#include <string.h>

enum { PREFIX_BITS = 16 };

/* Returns whether T_k >= entry / 2^16, exactly. */
static bool reaches(const cydp_tails *tails, uint64_t k, uint64_t entry) {
  for (size_t n = 2; n <= CYDP_MOST_LIMBS; n *= 2) {
    cydp_fixed u = {0};
    u[n - 1] = entry << 48;
    cydp_answer answer = tails->below(tails, n, u, k);
    if (answer != CYDP_TOO_CLOSE)
      return answer == CYDP_YES;
  }
  return true; /* T_k is transcendental: not within 2^-900 of a fraction of 2^16 */
}

/* Returns floor(2^16 T_k) from a rounded T_k, which may be 1; where rounding could
 * matter, by exact comparisons. */
static uint16_t entry_of(const cydp_tails *tails, uint64_t k, double rounded) {
  double at = rounded * 0x1p16, entry = fmin(floor(at), UINT16_MAX);
  if (at - entry < 0x1p-24 && entry > 0 && !reaches(tails, k, (uint64_t)entry))
    entry -= 1;
  if (at - entry > 1 - 0x1p-24 && entry < UINT16_MAX &&
      reaches(tails, k, (uint64_t)entry + 1))
    entry += 1;
  return (uint16_t)entry;
}

void cydp_cdf_table_prepare(cydp_cdf_table_method *method, const cydp_tails *tails,
                            const double *rounded, size_t terms) {
  cydp_cdf_table *table = &method->table;
  method->tails = tails;
  method->rounded = rounded;
  memset(table, 0, sizeof *table);
  for (size_t k = 0; k < terms; k++) {
    table->entry[table->count] = entry_of(tails, k + 1, rounded[k]);
    if (table->entry[table->count++] == 0)
      break;
  }
  method->rate = 0;
  for (unsigned i = 0; i < table->count; i++)
    method->rate += (i == 0 || table->entry[i] != table->entry[i - 1]) * 0x1p-16;
  /* One tail below CYDP_LEAST_TAIL is enough: the exact comparison does what lies below.
   */
  while (terms > 1 && rounded[terms - 2] < CYDP_LEAST_TAIL)
    terms--;
  method->terms = terms;
}

double cydp_cdf_table_resolve_rate(const cydp_cdf_table_method *method) {
  double sum = 0;
  for (size_t k = 0; k < method->terms; k++)
    sum += 2 * (method->rounded[k] * CYDP_TAIL_ERROR + CYDP_LEAST_TAIL);
  return sum + fmax(method->rounded[method->terms - 1], CYDP_LEAST_TAIL);
}

typedef struct table_decision {
  cydp_decision base;
  const cydp_cdf_table_method *method;
  const uint16_t *words;
  uint16_t *magnitudes;
} table_decision;

static uint64_t prefix(const cydp_decision *self, size_t lane) {
  return ((const table_decision *)self)->words[lane];
}

/* Looks again by the rounded T_k, of which the last is below CYDP_LEAST_TAIL: 64 bits
 * decide unless U is next to one of them. */
static uint64_t look_again_by_tails(const cydp_decision *self, size_t n,
                                    const uint16_t *lanes, const uint64_t *u,
                                    uint64_t *answers) {
  const cydp_cdf_table_method *method = ((const table_decision *)self)->method;
  uint64_t open = 0;
  (void)lanes;
  for (size_t i = 0; i < n; i++) {
    double middle = cydp_middle(u[i]);
    double lower = middle * (1 - CYDP_TAIL_ERROR) - CYDP_LEAST_TAIL;
    double upper = 2 * middle - lower;
    size_t above = 0, not_below = 0;
    for (size_t k = 0; k < method->terms; k++) {
      above += upper < method->rounded[k];
      not_below += lower <= method->rounded[k];
    }
    answers[i] = above;
    open |= (uint64_t)(above != not_below) << i;
  }
  return open;
}

/* Looks again by the inverse CDF, if the distribution has one. */
static uint64_t look_again_by_inverse_cdf(const cydp_decision *self, size_t n,
                                          const uint16_t *lanes, const uint64_t *u,
                                          uint64_t *answers) {
  (void)lanes;
  return cydp_inverse_cdf_look_again(((const table_decision *)self)->method->second_look,
                                     n, u, answers);
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  (void)lane;
  return cydp_resolve_magnitude(((const table_decision *)self)->method->tails, bits,
                                answer);
}

/* An answer is below 2^13, since U has 1,024 bits. */
static void store(const cydp_decision *self, size_t lane, uint64_t answer,
                  uint64_t real) {
  uint16_t *at = ((const table_decision *)self)->magnitudes + lane;
  *at = (uint16_t)((answer & real) | (*at & ~real));
}

cydp_status cydp_cdf_table_map(const cydp_cdf_table_method *method,
                               const cydp_batch *batch, const uint16_t *words,
                               uint16_t *magnitudes) {
  const table_decision decision = {
      {1, PREFIX_BITS, method->rate, prefix,
       method->second_look ? look_again_by_inverse_cdf : look_again_by_tails, resolve,
       store},
      method,
      words,
      magnitudes};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&decision.base, batch, NULL);
  cydp_samplers_kernels()->cdf_table(&method->table, words, batch->n, magnitudes,
                                     undecided);
  return cydp_decide(&decision.base, batch, undecided);
}
