/* SPDX-License-Identifier: MIT
 * |X| = floor(a - t ln U) for candidates of a word each: the sign in its lowest bit, the
 * first bits of U above. docs/sampling.md, "The fast path" and "The guard band". */
#include "internal.h"

#include <math.h>

enum { NARROW = 31, WIDE = 63 };

/* The tail's cut balances what it sends on with the width that cells above it add to the
 * band. */
static void set_law(cydp_log_law *law, const cydp_exponential_tails *tails,
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

static bool is_certain(const cydp_log_law *law, const cydp_exponential_tails *tails) {
  return law->guard < 0.5 && (tails->one_sided || law->guard <= tails->offset);
}

void cydp_log_route_set(cydp_log_route *route, const cydp_exponential_tails *tails,
                        unsigned bits) {
  route->tails = tails;
  set_law(&route->law, tails, bits);
  set_law(&route->wide, tails, WIDE);
  route->certain = is_certain(&route->law, tails);
}

static uint64_t word_at(const void *words, unsigned bits, size_t lane) {
  return bits > NARROW ? ((const uint64_t *)words)[lane]
                       : ((const uint32_t *)words)[lane];
}

static cydp_bits bits_of(const cydp_batch *batch, size_t lane, uint64_t word,
                         unsigned width) {
  return cydp_batch_bits(batch, lane, 1, word >> 1 & ((UINT64_C(1) << width) - 1), width);
}

/* Keeps in `lanes` those that 63 bits leave open; returns their number in *open. */
static cydp_status look_again(const cydp_log_route *route, const cydp_batch *batch,
                              const void *words, int64_t *out, uint16_t *lanes,
                              size_t *open) {
  uint64_t longer[CYDP_BATCH];
  int64_t values[CYDP_BATCH];
  uint16_t still[CYDP_BATCH];
  for (size_t j = 0; j < *open; j++) {
    uint64_t word = word_at(words, route->law.bits, lanes[j]), u[2];
    cydp_bits bits = bits_of(batch, lanes[j], word, route->law.bits);
    cydp_status status = cydp_first_bits(&bits, 1, u);
    if (status != CYDP_OK)
      return status;
    longer[j] = (u[0] & ~UINT64_C(1)) | (word & 1);
  }
  size_t left = cydp_kernels_in_use()->log(&route->wide, longer, *open, values, still);
  for (size_t j = 0; j < *open; j++)
    out[lanes[j]] = values[j];
  for (size_t j = 0; j < left; j++)
    lanes[j] = lanes[still[j]];
  cydp_wipe(longer, *open * sizeof *longer);
  *open = left;
  return CYDP_OK;
}

cydp_status cydp_log_values(const cydp_log_route *route, const cydp_batch *batch,
                            const void *words, int64_t *out) {
  uint16_t lanes[CYDP_BATCH];
  unsigned width = route->law.bits;
  bool all = batch->resolve_all || !route->certain;
  size_t open =
      all ? batch->n
          : cydp_kernels_in_use()->log(&route->law, words, batch->n, out, lanes);
  cydp_status status = CYDP_OK;
  batch->work->undecided += open;
  if (!all && width < WIDE && open > 0)
    status = look_again(route, batch, words, out, lanes, &open);
  for (size_t j = 0; j < open && status == CYDP_OK; j++) {
    size_t lane = all ? j : lanes[j];
    uint64_t word = word_at(words, width, lane), magnitude;
    cydp_bits bits = bits_of(batch, lane, word, width);
    status = cydp_resolve_magnitude(&route->tails->tails, &bits, &magnitude);
    out[lane] = word & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
  }
  return status;
}
