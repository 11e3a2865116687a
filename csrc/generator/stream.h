/* SPDX-License-Identifier: MIT
 *
 * The generator's own stream, for small calls. */
#ifndef CYDP_GENERATOR_STREAM_H
#define CYDP_GENERATOR_STREAM_H

#include "cydp.h"

/* Bytes of the generator's own stream, for a small call. Between `lock` and `unlock` the
 * caller alone has the generator. `available` returns how many bytes the buffer still
 * holds, and `refill` fills it again. `take` serves at most that many bytes, from a
 * multiple of 8 on, for a number of candidates; `wipe_taken` wipes them, before the next
 * `take`. The extension key and the numbers of candidates belong to one refill. */
typedef struct cydp_taken {
  void *bytes;
  size_t n;               /* bytes */
  uint64_t first;         /* candidates served before, since the refill */
  const uint32_t *extend; /* the extension key of this refill */
} cydp_taken;
cydp_status cydp_rng_lock(cydp_rng *rng);
void cydp_rng_unlock(cydp_rng *rng);
void cydp_rng_refill(cydp_rng *rng);
size_t cydp_rng_available(cydp_rng *rng);
cydp_taken cydp_rng_take(cydp_rng *rng, size_t bytes, size_t candidates);
void cydp_rng_wipe_taken(const cydp_taken *taken);

#endif
