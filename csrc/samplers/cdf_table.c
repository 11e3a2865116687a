/* SPDX-License-Identifier: MIT
 * |X| = #{k : U < T_k} by the first 16 bits of U: final unless they equal those of a T_k.
 */
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

/* Whether T_k >= cell / 2^16, exactly. */
static bool reaches(const cydp_tails *tails, uint64_t k, uint64_t cell) {
  for (size_t n = 2; n <= CYDP_MOST_LIMBS; n *= 2) {
    cydp_fixed u = {0};
    u[n - 1] = cell << 48;
    cydp_answer answer = tails->below(tails, n, u, k);
    if (answer != CYDP_TOO_CLOSE)
      return answer == CYDP_YES;
  }
  return true; /* T_k is transcendental: not within 2^-900 of a fraction of 2^16 */
}

/* floor(2^16 T_k), from a rounded T_k, which may be 1: exactly, where rounding could
 * matter. */
static uint16_t cell_of(const cydp_tails *tails, uint64_t k, double rounded) {
  double at = rounded * 0x1p16, cell = fmin(floor(at), UINT16_MAX);
  if (at - cell < 0x1p-24 && cell > 0 && !reaches(tails, k, (uint64_t)cell))
    cell -= 1;
  if (at - cell > 1 - 0x1p-24 && cell < UINT16_MAX &&
      reaches(tails, k, (uint64_t)cell + 1))
    cell += 1;
  return (uint16_t)cell;
}

void cydp_cdf_table_route_set(cydp_cdf_table_route *route, const cydp_tails *tails,
                              const double *rounded, size_t terms) {
  cydp_cdf_table *law = &route->law;
  route->tails = tails;
  route->rounded = rounded;
  memset(law, 0, sizeof *law);
  for (size_t k = 0; k < terms; k++) {
    law->cell[law->count] = cell_of(tails, k + 1, rounded[k]);
    if (law->cell[law->count++] == 0)
      break;
  }
  route->rate = 0;
  for (unsigned i = 0; i < law->count; i++)
    route->rate += (i == 0 || law->cell[i] != law->cell[i - 1]) * 0x1p-16;
  /* One below the least is enough: what lies below that is left to the resolver. */
  while (terms > 1 && rounded[terms - 2] < CYDP_LEAST_TAIL)
    terms--;
  route->terms = terms;
}

double cydp_cdf_table_resolved(const cydp_cdf_table_route *route) {
  double sum = 0;
  for (size_t k = 0; k < route->terms; k++)
    sum += 2 * (route->rounded[k] * CYDP_TAIL_ERROR + CYDP_LEAST_TAIL);
  return sum + fmax(route->rounded[route->terms - 1], CYDP_LEAST_TAIL);
}

typedef struct magnitudes_of {
  cydp_decision base;
  const cydp_cdf_table_route *route;
  const uint16_t *words;
  uint16_t *magnitudes;
} magnitudes_of;

static uint64_t prefix(const cydp_decision *self, size_t lane) {
  return ((const magnitudes_of *)self)->words[lane];
}

/* By the rounded T_k, of which the last is below CYDP_LEAST_TAIL: 64 bits tell unless U
 * is next to one of them. */
static uint64_t look_at_tails(const cydp_decision *self, size_t n, const uint16_t *lanes,
                              const uint64_t *u, uint64_t *answers) {
  const cydp_cdf_table_route *route = ((const magnitudes_of *)self)->route;
  uint64_t open = 0;
  (void)lanes;
  for (size_t i = 0; i < n; i++) {
    double middle = cydp_middle(u[i]);
    double lower = middle * (1 - CYDP_TAIL_ERROR) - CYDP_LEAST_TAIL;
    double upper = 2 * middle - lower;
    size_t above = 0, not_below = 0;
    for (size_t k = 0; k < route->terms; k++) {
      above += upper < route->rounded[k];
      not_below += lower <= route->rounded[k];
    }
    answers[i] = above;
    open |= (uint64_t)(above != not_below) << i;
  }
  return open;
}

/* By the logarithm, where there is one. */
static uint64_t look_at_logarithm(const cydp_decision *self, size_t n,
                                  const uint16_t *lanes, const uint64_t *u,
                                  uint64_t *answers) {
  (void)lanes;
  return cydp_inverse_cdf_look(((const magnitudes_of *)self)->route->wide, n, u, answers);
}

static cydp_status resolve(const cydp_decision *self, size_t lane, cydp_bits *bits,
                           uint64_t *answer) {
  (void)lane;
  return cydp_resolve_magnitude(((const magnitudes_of *)self)->route->tails, bits,
                                answer);
}

/* Below 2^13, within 1,024 bits of U. */
static void put(const cydp_decision *self, size_t lane, uint64_t answer, uint64_t real) {
  uint16_t *at = ((const magnitudes_of *)self)->magnitudes + lane;
  *at = (uint16_t)((answer & real) | (*at & ~real));
}

cydp_status cydp_cdf_table_magnitudes(const cydp_cdf_table_route *route,
                                      const cydp_batch *batch, const uint16_t *words,
                                      uint16_t *magnitudes) {
  const magnitudes_of of = {{1, PREFIX_BITS, route->rate, prefix,
                             route->wide ? look_at_logarithm : look_at_tails, resolve,
                             put},
                            route,
                            words,
                            magnitudes};
  uint8_t undecided[CYDP_BATCH / 8];
  if (batch->work_mode == CYDP_RESOLVE_ALL)
    return cydp_decide(&of.base, batch, NULL);
  cydp_samplers_kernels()->cdf_table(&route->law, words, batch->n, magnitudes, undecided);
  return cydp_decide(&of.base, batch, undecided);
}
