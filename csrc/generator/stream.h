/* SPDX-License-Identifier: MIT
 *
 * The generator's own stream, for small calls. */
#ifndef CYDP_GENERATOR_STREAM_H
#define CYDP_GENERATOR_STREAM_H

#include "cydp.h"

/* Bytes of the generator's own stream, for a small call: between `begin` and `end` the
 * caller alone has the generator. `left` says how many the refill still holds; `take`
 * serves that many or fewer for so many candidates, at a multiple of 8; `used` wipes
 * them, before the next `take`. The extension key and the numbers of the candidates
 * belong to that refill. */
typedef struct cydp_taken {
  void *bytes;
  size_t n;               /* bytes */
  uint64_t first;         /* number of the first candidate since the refill */
  const uint32_t *extend; /* the refill's extension key */
} cydp_taken;
cydp_status cydp_rng_begin(cydp_rng *rng);
void cydp_rng_end(cydp_rng *rng);
void cydp_rng_refill(cydp_rng *rng);
size_t cydp_rng_left(cydp_rng *rng);
cydp_taken cydp_rng_take(cydp_rng *rng, size_t bytes, size_t candidates);
void cydp_rng_used(const cydp_taken *taken);

#endif
