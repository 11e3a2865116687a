/* SPDX-License-Identifier: MIT
 * The generator: a buffer of keystream whose first words are the next key.
 * docs/generator.md.
 *
 * Its state lies in pages that the kernel wipes in a forked child, the lock included: a
 * wiped state is unlocked and has no key. owned_pages.h says what happens where the kernel
 * cannot do that. */
#include "generator/stream.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/aes256.h"
#include "generator/nonce.h"
#include "generator/entropy.h"
#include "generator/forks.h"
#include "generator/kernels.h"
#include "generator/keystream.h"
#include "generator/owned_pages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  REFILL_GROUPS = 4, /* 4 KiB */
  REFILL_WORDS = REFILL_GROUPS * CYDP_GROUP_WORDS,
  KEY_WORDS = 8,
  SMALL_BYTES = 1024,     /* longer requests for bytes get a key of their own */
  BYTES_CHUNK_GROUPS = 64 /* 64 KiB in each chunk of such a key */
};

typedef enum fork_guard {
  WIPED,   /* by the kernel */
  WATCHED, /* by comparing processes */
  REPEATED /* seeded: the child is meant to repeat the parent */
} fork_guard;

/* What a forked child must not have. */
typedef struct rng_state {
  _Atomic(uint64_t) lock;     /* see cydp_owner_lock */
  uint64_t keyed_by;          /* the process that keyed it; 0: it has no key */
  _Atomic(uint64_t) keying;   /* of all keyings of this process and its ancestors; 0: none */
  uint32_t key[KEY_WORDS];    /* of the next refill */
  uint32_t extend[KEY_WORDS]; /* of the extension bits of this refill's candidates */
  size_t position;            /* in bytes; those before it have been served */
  uint64_t candidates;        /* served since this refill */
  _Alignas(8) uint32_t words[REFILL_WORDS];
} rng_state;

struct cydp_rng {
  fork_guard guard;
  cydp_stream stream;
  rng_state *state;
};

static uint64_t owner_of(const cydp_rng *rng) { return cydp_owner(rng->guard == WIPED); }

cydp_status cydp_rng_lock(cydp_rng *rng) {
  static _Atomic(uint64_t) keyings; /* a child counts on from its parent's */
  rng_state *state = rng->state;
  uint64_t own = owner_of(rng);
  if (!cydp_stream_serves(rng->stream))
    return CYDP_ERROR_STREAM;
  cydp_owner_lock(&state->lock, own);
  if (state->keyed_by == own || rng->guard == REPEATED)
    return CYDP_OK;
  cydp_status status = cydp_entropy(state->key, sizeof state->key);
  if (status == CYDP_OK) {
    atomic_store(&state->keying, atomic_fetch_add(&keyings, 1) + 1);
    state->keyed_by = own;
    state->position = sizeof state->words;
  } else {
    (void)cydp_rng_unlock(rng);
  }
  return status;
}

cydp_status cydp_rng_unlock(cydp_rng *rng) {
  bool held = cydp_owner_unlock(&rng->state->lock, owner_of(rng));
  cydp_wipe_registers(); /* through which keys and words were copied */
  return held || rng->guard == REPEATED ? CYDP_OK : CYDP_ERROR_FORKED;
}

void cydp_rng_refill(cydp_rng *rng) {
  rng_state *state = rng->state;
  uint32_t nonce[3];
  cydp_set_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, 0, 0);
  if (rng->stream == CYDP_AES)
    cydp_aes256_in_use()->keystream(state->key, nonce, 0, REFILL_GROUPS, state->words);
  else
    cydp_generator_kernels()->chacha20(state->key, nonce, 0, REFILL_GROUPS, state->words);
  cydp_wipe_stack();
  memcpy(state->key, state->words, sizeof state->key);
  memcpy(state->extend, state->words + KEY_WORDS, sizeof state->extend);
  cydp_wipe(state->words, sizeof(uint32_t) * 2 * KEY_WORDS);
  state->position = sizeof(uint32_t) * 2 * KEY_WORDS;
  state->candidates = 0;
}

size_t cydp_rng_available(cydp_rng *rng) {
  rng_state *state = rng->state;
  state->position = (state->position + 7) / 8 * 8;
  return sizeof state->words - state->position;
}

cydp_taken cydp_rng_take(cydp_rng *rng, size_t bytes, size_t candidates) {
  rng_state *state = rng->state;
  cydp_taken taken = {(uint8_t *)state->words + state->position, bytes, state->candidates,
                      state->extend};
  state->position += bytes;
  state->candidates += candidates;
  return taken;
}

void cydp_rng_wipe_taken(const cydp_taken *taken) { cydp_wipe(taken->bytes, taken->n); }

/* Makes a generator whose state belongs to this process; nothing is keyed yet. */
static cydp_status new_rng(cydp_stream stream, cydp_rng **out) {
  bool wiped;
  void *state;
  if (!cydp_stream_serves(stream))
    return CYDP_ERROR_STREAM;
  cydp_rng *rng = malloc(sizeof *rng);
  if (!rng)
    return CYDP_ERROR_MEMORY;
  cydp_status status = cydp_owned_pages_new(sizeof *rng->state, &state, &wiped);
  if (status != CYDP_OK) {
    free(rng);
    return status;
  }
  *rng = (cydp_rng){wiped ? WIPED : WATCHED, stream, state};
  rng->state->position = sizeof rng->state->words;
  *out = rng;
  return CYDP_OK;
}

cydp_status cydp_rng_new(cydp_rng **out) {
  return cydp_rng_new_of(cydp_default_stream(), out);
}

cydp_status cydp_rng_new_of(cydp_stream stream, cydp_rng **out) {
  cydp_rng *rng;
  cydp_status status = new_rng(stream, &rng);
  if (status != CYDP_OK)
    return status;
  status = cydp_rng_lock(rng); /* keys it */
  if (status == CYDP_OK)
    status = cydp_rng_unlock(rng);
  if (status != CYDP_OK) {
    cydp_rng_free(rng);
    return status;
  }
  *out = rng;
  return CYDP_OK;
}

cydp_status cydp_rng_new_seeded(const cydp_key *key, cydp_rng **out) {
  cydp_status status = cydp_watch_forks(); /* for the lock */
  if (status == CYDP_OK && !cydp_stream_serves(key->stream))
    status = CYDP_ERROR_STREAM;
  if (status != CYDP_OK)
    return status;
  cydp_rng *rng = malloc(sizeof *rng);
  rng_state *state = calloc(1, sizeof *state);
  if (!rng || !state) {
    free(rng);
    free(state);
    return CYDP_ERROR_MEMORY;
  }
  state->position = sizeof state->words;
  memcpy(state->key, key->words, sizeof state->key);
  *rng = (cydp_rng){REPEATED, key->stream, state};
  *out = rng;
  return CYDP_OK;
}

cydp_stream cydp_rng_stream(const cydp_rng *rng) { return rng->stream; }

void cydp_rng_free(cydp_rng *rng) {
  if (!rng)
    return;
  if (rng->guard == REPEATED) {
    cydp_wipe(rng->state, sizeof *rng->state);
    free(rng->state);
  } else {
    cydp_owned_pages_free(rng->state, sizeof *rng->state, sizeof *rng->state);
  }
  free(rng);
}

/* Copies n bytes of the generator's own stream, of which the caller alone has the lock. The
 * rest of the last 8 is dropped. */
static void copy_locked(cydp_rng *rng, void *out, size_t n) {
  uint8_t *next = out;
  while (n > 0) {
    size_t available = cydp_rng_available(rng);
    if (available == 0) {
      cydp_rng_refill(rng);
      continue;
    }
    size_t part = n < available ? n : available;
    cydp_taken taken = cydp_rng_take(rng, part, 0);
    memcpy(next, taken.bytes, part);
    cydp_rng_wipe_taken(&taken);
    next += part;
    n -= part;
  }
}

static cydp_status copy_bytes(cydp_rng *rng, void *out, size_t n) {
  cydp_status status = cydp_rng_lock(rng);
  if (status != CYDP_OK)
    return status;
  copy_locked(rng, out, n);
  return cydp_rng_unlock(rng);
}

cydp_status cydp_rng_key(cydp_rng *rng, cydp_key *key) {
  key->stream = rng->stream;
  return copy_bytes(rng, key->words, sizeof key->words);
}

cydp_status cydp_call_begin(cydp_rng *rng, cydp_call_key *call) {
  *call = (cydp_call_key){.key = {.stream = rng->stream}, .owner = owner_of(rng)};
  cydp_status status = cydp_rng_lock(rng);
  if (status != CYDP_OK)
    return status;
  call->keying = atomic_load(&rng->state->keying);
  copy_locked(rng, call->key.words, sizeof call->key.words);
  return cydp_rng_unlock(rng);
}

cydp_status cydp_call_end(cydp_rng *rng, cydp_call_key *call, cydp_status status) {
  bool same = rng->guard == REPEATED || (call->owner == owner_of(rng) &&
                                         call->keying == atomic_load(&rng->state->keying));
  cydp_wipe(call, sizeof *call);
  return status == CYDP_OK && !same ? CYDP_ERROR_FORKED : status;
}

/* Whole groups are written straight to `out` if it is aligned for words. */
cydp_status cydp_rng_bytes(cydp_rng *rng, size_t n, uint8_t *out) {
  if (n <= SMALL_BYTES)
    return copy_bytes(rng, out, n);
  cydp_call_key call;
  cydp_keystream keystream;
  uint32_t group[CYDP_GROUP_WORDS];
  bool aligned = (uintptr_t)out % sizeof(uint32_t) == 0;
  cydp_status status = cydp_call_begin(rng, &call);
  if (status == CYDP_OK)
    status = cydp_keystream_begin(&keystream, &call.key);
  if (status != CYDP_OK)
    return cydp_call_end(rng, &call, status);
  for (size_t i = 0; n > 0;) {
    size_t whole_groups = n / sizeof group, place = i % BYTES_CHUNK_GROUPS;
    size_t rest = BYTES_CHUNK_GROUPS - place;
    bool direct = aligned && whole_groups > 0;
    size_t groups = !direct ? 1 : whole_groups < rest ? whole_groups : rest;
    cydp_keystream_read(&keystream, i / BYTES_CHUNK_GROUPS, 0, place, groups,
                        direct ? (uint32_t *)(void *)out : group);
    size_t part = groups * sizeof group < n ? groups * sizeof group : n;
    if (!direct)
      memcpy(out, group, part);
    out += part;
    n -= part;
    i += groups;
  }
  cydp_wipe(group, sizeof group);
  cydp_keystream_end(&keystream);
  return cydp_call_end(rng, &call, CYDP_OK);
}

uint64_t cydp_rng_next64(cydp_rng *rng) {
  uint64_t word;
  if (copy_bytes(rng, &word, sizeof word) != CYDP_OK)
    abort();
  return word;
}

uint32_t cydp_rng_next32(cydp_rng *rng) { return (uint32_t)(cydp_rng_next64(rng) >> 32); }

double cydp_rng_next_double(cydp_rng *rng) {
  return (double)(cydp_rng_next64(rng) >> 11) * 0x1p-53;
}
