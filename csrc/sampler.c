/* SPDX-License-Identifier: MIT
 * From a stream of bits to values: which bits are whose, and what becomes of rejections.
 *
 * A chunk owns a fixed range of values. Its candidates are taken in order, round by
 * round; undecided ones are resolved before any is dropped, the first accepted fill the
 * range, and what is left over is overwritten. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

void *cydp_sampler_allocate(size_t bytes) {
  size_t rounded = (bytes + 63) / 64 * 64;
  void *memory = aligned_alloc(64, rounded);
  return memory ? memset(memory, 0, rounded) : NULL;
}

void cydp_sampler_free(cydp_sampler *sampler) { free(sampler); }

cydp_layout cydp_sampler_layout(const cydp_sampler *sampler) { return sampler->layout; }

size_t cydp_sampler_chunk(const cydp_sampler *sampler) { return sampler->chunk; }

cydp_bits cydp_batch_bits(const cydp_batch *batch, size_t lane, uint32_t decision,
                          uint64_t prefix, unsigned prefix_bits) {
  return (cydp_bits){.prefix = prefix,
                     .prefix_bits = prefix_bits,
                     .extension = batch->extension,
                     .decision = decision,
                     .candidate = batch->first + lane,
                     .work = batch->work};
}

/* Bytes of the planes of n candidates, to a multiple of 8. */
static size_t plane_bytes(const cydp_layout *layout, size_t n) {
  size_t bytes = layout->signs ? (n + 7) / 8 : 0;
  for (int i = 0; i < 3; i++)
    bytes += layout->width[i] * n;
  return (bytes + 7) / 8 * 8;
}

/* The part from candidate `done` on of the planes of n; done is a multiple of 8. */
static cydp_batch part_of(const cydp_layout *layout, const void *planes, size_t n,
                          size_t done) {
  const uint8_t *at = planes;
  cydp_batch batch = {.n = n - done < CYDP_BATCH ? n - done : CYDP_BATCH};
  for (int i = 0; i < 3; i++) {
    batch.plane[i] = at + layout->width[i] * done;
    at += layout->width[i] * n;
  }
  batch.signs = at + done / 8;
  return batch;
}

static cydp_status map_from(const cydp_sampler *sampler, const void *planes, size_t n,
                            const cydp_extension *extension, uint64_t first,
                            bool resolve_all, void *out, size_t *values,
                            cydp_work *work) {
  cydp_status status = CYDP_OK;
  char *next = out;
  *values = 0;
  for (size_t done = 0; done < n && status == CYDP_OK; done += CYDP_BATCH) {
    cydp_batch batch = part_of(&sampler->layout, planes, n, done);
    batch.extension = extension;
    batch.first = first + done;
    batch.resolve_all = resolve_all;
    batch.work = work;
    size_t accepted = 0;
    status = sampler->map(sampler, &batch, next, &accepted);
    next += accepted * sampler->value_bytes;
    *values += accepted;
  }
  work->candidates += n;
  return status;
}

cydp_status cydp_sampler_map(const cydp_sampler *sampler, const void *planes, size_t n,
                             const cydp_extension *extension, bool resolve_all, void *out,
                             size_t *values, cydp_work *work) {
  return map_from(sampler, planes, n, extension, 0, resolve_all, out, values, work);
}

/* Extension bits under a key, and which of its candidates are meant. */
typedef struct addressed {
  const uint32_t *key;
  uint64_t chunk;
  uint32_t round;
} addressed;

static cydp_status read_addressed(void *self, uint32_t decision, uint32_t level,
                                  uint64_t candidate, uint64_t words[8]) {
  const addressed *source = self;
  uint32_t nonce[3], block[16];
  cydp_nonce(nonce, decision, level, source->round, source->chunk);
  cydp_chacha20_block(source->key, nonce, (uint32_t)candidate, block);
  for (int i = 0; i < 8; i++)
    words[i] = block[2 * i] | (uint64_t)block[2 * i + 1] << 32;
  cydp_wipe(block, sizeof block);
  return CYDP_OK;
}

/* The most candidates, up to n, whose planes fit. */
static size_t fitting(const cydp_layout *layout, size_t n, size_t bytes) {
  while (n > 0 && plane_bytes(layout, n) > bytes)
    n--;
  return n;
}

static cydp_status fill_from_refills(const cydp_sampler *sampler, cydp_rng *rng,
                                     char *out, size_t n) {
  cydp_work work = {0};
  cydp_status status = cydp_rng_begin(rng);
  if (status != CYDP_OK)
    return status;
  while (n > 0 && status == CYDP_OK) {
    size_t candidates = fitting(&sampler->layout, n, cydp_rng_left(rng));
    if (candidates == 0) {
      cydp_rng_refill(rng);
      continue;
    }
    cydp_taken taken =
        cydp_rng_take(rng, plane_bytes(&sampler->layout, candidates), candidates);
    addressed source = {.key = taken.extend};
    cydp_extension extension = {read_addressed, &source};
    size_t values;
    status = map_from(sampler, taken.bytes, candidates, &extension, taken.first, false,
                      out, &values, &work);
    cydp_rng_used(&taken);
    out += values * sampler->value_bytes;
    n -= values;
  }
  cydp_rng_end(rng);
  return status;
}

enum {
  SCRATCH = 16 * 1024, /* bytes of keystream for one round */
  LARGEST_ROUND =
      UINT16_MAX /* what the nonce has room for; a sixteenth is never reached */
};

/* One round: candidates for `wanted` values; *values of them, at most, are kept. There is
 * room for `room`: what is left over may stand there until the next chunk overwrites it.
 */
static cydp_status fill_round(const cydp_sampler *sampler, const uint32_t key[8],
                              uint64_t chunk, uint32_t round, char *out, size_t wanted,
                              size_t room, size_t *values) {
  _Alignas(64) uint32_t planes[SCRATCH / sizeof(uint32_t)];
  int64_t spilled[CYDP_BATCH];
  cydp_work work = {0};
  size_t candidates = wanted + (wanted * sampler->spare + 1023) / 1024;
  size_t group = CYDP_GROUP_WORDS * sizeof(uint32_t);
  size_t groups = (plane_bytes(&sampler->layout, candidates) + group - 1) / group;
  uint32_t nonce[3];
  cydp_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, round, chunk);
  cydp_status status = cydp_chacha20_keystream(key, nonce, 0, groups, planes);
  if (status != CYDP_OK)
    return status;
  addressed source = {key, chunk, round};
  cydp_extension extension = {read_addressed, &source};
  void *into = candidates > room ? (void *)spilled : out;
  status =
      map_from(sampler, planes, candidates, &extension, 0, false, into, values, &work);
  if (*values > wanted)
    *values = wanted;
  if (into == spilled) {
    memcpy(out, spilled, *values * sampler->value_bytes);
    cydp_wipe(spilled, candidates * sampler->value_bytes);
  }
  cydp_wipe(planes, groups * group);
  return status;
}

cydp_status cydp_sampler_fill_chunks(const cydp_sampler *sampler, const uint32_t key[8],
                                     uint64_t first, void *out, size_t n) {
  char *next = out;
  cydp_status status = CYDP_OK;
  for (uint64_t chunk = first; n > 0 && status == CYDP_OK; chunk++) {
    size_t left = n < sampler->chunk ? n : sampler->chunk;
    for (uint32_t round = 0; left > 0 && status == CYDP_OK; round++) {
      size_t values = 0;
      if (round > LARGEST_ROUND)
        return CYDP_ERROR_EXHAUSTED;
      status = fill_round(sampler, key, chunk, round, next, left, n, &values);
      next += values * sampler->value_bytes;
      left -= values;
      n -= values;
    }
  }
  return status;
}

cydp_status cydp_sampler_fill(const cydp_sampler *sampler, cydp_rng *rng, void *out,
                              size_t n) {
  if (n <= CYDP_SMALL_CALL)
    return fill_from_refills(sampler, rng, out, n);
  uint32_t key[8];
  cydp_status status = cydp_rng_key(rng, key);
  if (status == CYDP_OK)
    status = cydp_sampler_fill_chunks(sampler, key, 0, out, n);
  cydp_wipe(key, sizeof key);
  return status;
}
