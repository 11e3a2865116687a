/* SPDX-License-Identifier: MIT
 *
 * The generator's own stream, for small calls. */
#ifndef CYDP_GENERATOR_STREAM_H
#define CYDP_GENERATOR_STREAM_H

#include "cydp.h"

/* Bytes of the generator's own stream, for a small call. Between `lock` and `unlock` the
 * caller alone has the generator. `unlock` returns CYDP_ERROR_FORKED in a child that a signal
 * handler has forked since `lock`: what was taken is wiped, or the parent's; a seeded
 * generator is meant to repeat. `available` returns how many bytes the buffer still
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
cydp_status cydp_rng_unlock(cydp_rng *rng);
void cydp_rng_refill(cydp_rng *rng);
size_t cydp_rng_available(cydp_rng *rng);
cydp_taken cydp_rng_take(cydp_rng *rng, size_t bytes, size_t candidates);
void cydp_rng_wipe_taken(const cydp_taken *taken);

/* A key of its own for a large call, and by which keying of the generator it was drawn. */
typedef struct cydp_call_key {
  cydp_key key;
  uint64_t owner, keying;
} cydp_call_key;

/* Draws the key; fails as cydp_rng_key does. Then, too, call `end`. */
cydp_status cydp_call_begin(cydp_rng *rng, cydp_call_key *call);

/* Wipes the key, and returns the status of the call: CYDP_ERROR_FORKED instead of CYDP_OK in a
 * child that was forked since `begin`, whose parent goes on with the same key. */
cydp_status cydp_call_end(cydp_rng *rng, cydp_call_key *call, cydp_status status);

#endif
