/* SPDX-License-Identifier: MIT
 * |X| = #{k : U < T_k} by the first 16 bits of U: final unless they equal those of a T_k.
 */
#include "internal.h"

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

void cydp_threshold_route_set(cydp_threshold_route *route, const cydp_tails *tails,
                              const double *rounded, size_t terms) {
  cydp_threshold_law *law = &route->law;
  route->tails = tails;
  route->rounded = rounded;
  route->terms = terms;
  memset(law, 0, sizeof *law);
  for (size_t k = 0; k < terms; k++) {
    law->cell[law->count] = cell_of(tails, k + 1, rounded[k]);
    if (law->cell[law->count++] == 0)
      break;
  }
}

/* Whether 64 bits of U tell the magnitude: they do unless U is next to a T_k, or below
 * all. */
static bool look_again(const cydp_threshold_route *route, uint64_t first_bits,
                       uint16_t *magnitude) {
  double u = ((double)first_bits + 0.5) * 0x1p-64;
  double lower = u * (1 - CYDP_TAIL_ERROR) - 0x1p-60, upper = 2 * u - lower;
  size_t k = 0;
  while (k < route->terms && upper < route->rounded[k])
    k++;
  *magnitude = (uint16_t)k;
  return k < route->terms && lower > route->rounded[k];
}

cydp_status cydp_threshold_magnitudes(const cydp_threshold_route *route,
                                      const cydp_batch *batch, const uint16_t *words,
                                      uint16_t *magnitudes) {
  uint16_t lanes[CYDP_BATCH];
  bool all = batch->resolve_all;
  size_t open = all ? batch->n
                    : cydp_kernels_in_use()->threshold(&route->law, words, batch->n,
                                                       magnitudes, lanes);
  batch->work->undecided += open;
  cydp_status status = CYDP_OK;
  for (size_t j = 0; j < open && status == CYDP_OK; j++) {
    size_t lane = all ? j : lanes[j];
    uint64_t u[2], magnitude;
    cydp_bits bits = cydp_batch_bits(batch, lane, 1, words[lane], PREFIX_BITS);
    if (!all) {
      status = cydp_first_bits(&bits, 1, u);
      if (status != CYDP_OK || look_again(route, u[0], magnitudes + lane))
        continue;
    }
    status = cydp_resolve_magnitude(route->tails, &bits, &magnitude);
    magnitudes[lane] = (uint16_t)magnitude; /* below 2^13 within 1,024 bits of U */
  }
  return status;
}
