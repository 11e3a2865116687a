/* SPDX-License-Identifier: MIT
 * From a stream of bits to values: which bits belong to which candidate, and how rejected
 * candidates are replaced. docs/samplers.md.
 *
 * A chunk owns a fixed range of values. Its candidates are taken in order, round by
 * round. Undecided ones are decided before any is dropped; the first accepted ones fill
 * the range, and surplus ones are overwritten. */
#include "samplers/sampler.h"
#include "base/aligned.h"
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/nonce.h"
#include "generator/kernels.h"
#include "generator/keystream.h"
#include "generator/stream.h"
#include "samplers/batch.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"

#include <stdlib.h>
#include <string.h>

void *cydp_sampler_allocate(size_t bytes) {
  size_t rounded = (bytes + 63) / 64 * 64;
  void *memory = cydp_aligned_allocate(64, rounded);
  return memory ? memset(memory, 0, rounded) : NULL;
}

void cydp_sampler_free(cydp_sampler *sampler) { cydp_aligned_free(sampler); }

cydp_layout cydp_sampler_layout(const cydp_sampler *sampler) { return sampler->layout; }

size_t cydp_sampler_chunk(const cydp_sampler *sampler) { return sampler->chunk; }

size_t cydp_sampler_value_bytes(const cydp_sampler *sampler) {
  return sampler->value_bytes;
}

/* Returns the bytes of the planes of n candidates, rounded up to a multiple of 8. */
static size_t plane_bytes(const cydp_layout *layout, size_t n) {
  size_t bytes = layout->signs ? (n + 7) / 8 : 0;
  for (int i = 0; i < 3; i++)
    bytes += layout->width[i] * n;
  return (bytes + 7) / 8 * 8;
}

/* Returns the batch from candidate `done` on, of n whose planes these are; `done` is a
 * multiple of 8. */
static cydp_batch batch_at(const cydp_layout *layout, const void *planes, size_t n,
                           size_t done) {
  const uint8_t *plane = planes;
  cydp_batch batch = {.n = n - done < CYDP_BATCH ? n - done : CYDP_BATCH};
  for (int i = 0; i < 3; i++) {
    batch.plane[i] = plane + layout->width[i] * done;
    plane += layout->width[i] * n;
  }
  batch.signs = plane + done / 8;
  return batch;
}

static cydp_status map_from(const cydp_sampler *sampler, const void *planes, size_t n,
                            const cydp_extension *extension, uint64_t first,
                            cydp_work_mode work_mode, void *out, size_t *values,
                            cydp_work *work) {
  cydp_status status = CYDP_OK;
  char *next = out;
  *values = 0;
  for (size_t done = 0; done < n && status == CYDP_OK; done += CYDP_BATCH) {
    cydp_batch batch = batch_at(&sampler->layout, planes, n, done);
    batch.extension = extension;
    batch.first = first + done;
    batch.work_mode = work_mode;
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
                             const cydp_extension *extension, cydp_work_mode work_mode,
                             void *out, size_t *values, cydp_work *work) {
  return map_from(sampler, planes, n, extension, 0, work_mode, out, values, work);
}

enum { BLOCKS = 16, DUMMY_ROUND = UINT16_MAX };

/* Where extension bits come from: a key, and the chunk and round of the candidates. */
typedef struct bit_source {
  const uint32_t *key;
  uint64_t chunk;
  uint32_t round;
} bit_source;

static cydp_status read_extension(void *self, uint32_t decision, uint32_t level,
                                  const uint64_t *candidates, size_t n,
                                  uint64_t (*words)[8]) {
  const bit_source *source = self;
  uint32_t nonce[3], counters[BLOCKS] = {0}, group[CYDP_GROUP_WORDS];
  cydp_set_nonce(nonce, decision, level, source->round, source->chunk);
  for (size_t first = 0; first < n; first += BLOCKS) {
    size_t blocks = n - first < BLOCKS ? n - first : BLOCKS;
    for (size_t i = 0; i < blocks; i++)
      counters[i] = (uint32_t)candidates[first + i];
    cydp_generator_kernels()->chacha20_blocks(source->key, nonce, counters, blocks, group);
    for (size_t i = 0; i < blocks; i++)
      for (size_t j = 0; j < 8; j++)
        words[first + i][j] =
            group[BLOCKS * 2 * j + i] | (uint64_t)group[BLOCKS * (2 * j + 1) + i] << 32;
  }
  cydp_wipe(group, sizeof group);
  return CYDP_OK;
}

/* Fixed work has a fixed number of exact comparisons too, for each decision: dummies at
 * unused bits fill the number. */
static cydp_status resolve_dummies(const cydp_sampler *sampler, const bit_source *source,
                                   cydp_work *work) {
  const uint64_t done[2] = {work->resolved - work->second_resolved,
                            work->second_resolved};
  cydp_status status = CYDP_OK;
  bit_source dummies = {source->key, source->chunk, DUMMY_ROUND};
  cydp_extension extension = {read_extension, &dummies};
  for (uint32_t decision = 1; decision <= 2; decision++) {
    size_t runs = cydp_second_look_slots(sampler->resolve_rates[decision - 1] *
                                         (double)work->candidates);
    for (uint64_t run = done[decision - 1]; run < runs && status == CYDP_OK; run++) {
      cydp_bits bits = {.prefix = UINT64_C(1) << 15,
                        .prefix_bits = 16,
                        .extension = &extension,
                        .decision = decision,
                        .candidate = run,
                        .work = work};
      status = sampler->resolve_dummy(sampler, &bits);
    }
  }
  return status;
}

/* Returns the largest number of candidates, up to n, whose planes fit into these bytes.
 */
static size_t fit_candidates(const cydp_layout *layout, size_t n, size_t bytes) {
  while (n > 0 && plane_bytes(layout, n) > bytes)
    n--;
  return n;
}

static cydp_status fill_from_refills(const cydp_sampler *sampler, cydp_rng *rng,
                                     cydp_work_mode work_mode, char *out, size_t n) {
  cydp_work work = {0};
  cydp_status status = cydp_rng_lock(rng);
  if (status != CYDP_OK)
    return status;
  while (n > 0 && status == CYDP_OK) {
    size_t candidates = fit_candidates(&sampler->layout, n, cydp_rng_available(rng));
    if (candidates == 0) {
      cydp_rng_refill(rng);
      continue;
    }
    cydp_taken taken =
        cydp_rng_take(rng, plane_bytes(&sampler->layout, candidates), candidates);
    bit_source source = {.key = taken.extend};
    cydp_extension extension = {read_extension, &source};
    size_t values;
    status = map_from(sampler, taken.bytes, candidates, &extension, taken.first,
                      work_mode, out, &values, &work);
    cydp_rng_wipe_taken(&taken);
    out += values * sampler->value_bytes;
    n -= values;
    if (n == 0 && work_mode == CYDP_FIXED_WORK && status == CYDP_OK)
      status = resolve_dummies(sampler, &source, &work);
  }
  cydp_status unlocked = cydp_rng_unlock(rng);
  return status == CYDP_OK ? unlocked : status;
}

enum {
  SCRATCH = 16 * 1024, /* bytes of keystream for one round */
  BLOCK_CHUNKS = 64,   /* that share the exact comparisons reserved by fixed work */
  LAST_ROUND = DUMMY_ROUND - 1 /* the nonce has room for it; the 16th is never reached */
};

/* Where values go, and the work that they cost. */
typedef struct fill_state {
  const cydp_sampler *sampler;
  cydp_keystream *keystream;
  cydp_work_mode work_mode;
  char *out;
  size_t room; /* values; more than are wanted may be written, until the next come */
  cydp_work work;
  size_t used_bytes; /* of the planes, to be wiped after the last round */
  _Alignas(64) uint32_t planes[SCRATCH / sizeof(uint32_t)];
} fill_state;

/* Draws candidates for `wanted` values in one round, and keeps *values <= wanted. */
static cydp_status fill_round(fill_state *state, const bit_source *source, size_t wanted,
                              size_t *values) {
  int64_t spilled[CYDP_BATCH];
  const cydp_sampler *sampler = state->sampler;
  size_t candidates = wanted + (wanted * sampler->spare + 1023) / 1024;
  size_t group = CYDP_GROUP_WORDS * sizeof(uint32_t);
  size_t groups = (plane_bytes(&sampler->layout, candidates) + group - 1) / group;
  state->used_bytes =
      groups * group > state->used_bytes ? groups * group : state->used_bytes;
  cydp_keystream_read(state->keystream, source->chunk, source->round, 0, groups,
                      state->planes);
  bit_source round_source = *source;
  cydp_extension extension = {read_extension, &round_source};
  void *destination = candidates > state->room ? (void *)spilled : state->out;
  cydp_status status =
      map_from(sampler, state->planes, candidates, &extension, 0, state->work_mode,
               destination, values, &state->work);
  if (*values > wanted)
    *values = wanted;
  if (destination == spilled) {
    memcpy(state->out, spilled, *values * sampler->value_bytes);
    cydp_wipe(spilled, candidates * sampler->value_bytes);
  }
  return status;
}

static cydp_status fill_chunk(fill_state *state, uint64_t chunk) {
  size_t left = state->room < state->sampler->chunk ? state->room : state->sampler->chunk;
  bit_source source = {state->keystream->key->words, chunk, 0};
  cydp_status status = CYDP_OK;
  for (; left > 0 && status == CYDP_OK; source.round++) {
    size_t values = 0;
    if (source.round > LAST_ROUND)
      return CYDP_ERROR_EXHAUSTED;
    status = fill_round(state, &source, left, &values);
    state->out += values * state->sampler->value_bytes;
    state->room -= values;
    left -= values;
  }
  return status;
}

cydp_status cydp_sampler_fill_from(const cydp_sampler *sampler, uint64_t first, size_t n,
                                   cydp_keystream *keystream, cydp_work_mode work_mode,
                                   void *out) {
  fill_state state;
  state.sampler = sampler;
  state.keystream = keystream;
  state.work_mode = work_mode;
  state.out = out;
  state.room = n;
  state.work = (cydp_work){0};
  state.used_bytes = 0;
  cydp_status status = CYDP_OK;
  for (uint64_t chunk = first; state.room > 0 && status == CYDP_OK; chunk++) {
    status = fill_chunk(&state, chunk);
    bool ends = state.room == 0 || (chunk + 1) % BLOCK_CHUNKS == 0;
    if (ends && work_mode == CYDP_FIXED_WORK && status == CYDP_OK) {
      bit_source source = {keystream->key->words, chunk, 0};
      status = resolve_dummies(sampler, &source, &state.work);
      state.work = (cydp_work){0};
    }
  }
  cydp_wipe(state.planes, state.used_bytes);
  return status;
}

cydp_status cydp_sampler_fill_chunks(const cydp_sampler *sampler, uint64_t first,
                                     size_t n, const cydp_key *key,
                                     cydp_work_mode work_mode, void *out) {
  cydp_keystream keystream;
  cydp_status status = cydp_keystream_begin(&keystream, key);
  if (status != CYDP_OK)
    return status;
  status = cydp_sampler_fill_from(sampler, first, n, &keystream, work_mode, out);
  cydp_keystream_end(&keystream);
  return status;
}

/* The work of each part is fixed if that of the call is. A part takes 40 to 160 us with
 * AVX-512. Smaller parts cost a per cent, since the last round of each is copied; with
 * larger ones threads wait longer at the end. */
enum { PART_CHUNKS = BLOCK_CHUNKS };

size_t cydp_fill_part_values(const cydp_large_fill *fill) {
  return PART_CHUNKS * fill->sampler->chunk;
}

size_t cydp_fill_parts(const cydp_large_fill *fill) {
  return cydp_task_count(fill->n, cydp_fill_part_values(fill));
}

cydp_status cydp_fill_part(void *self, size_t i) {
  const cydp_large_fill *fill = self;
  size_t part = cydp_fill_part_values(fill), done = part * i;
  return cydp_sampler_fill_chunks(
      fill->sampler, PART_CHUNKS * i, cydp_task_rows(fill->n, part, i), fill->key,
      fill->work_mode, (char *)fill->out + done * fill->sampler->value_bytes);
}

cydp_status cydp_sampler_fill(const cydp_sampler *sampler, size_t n, cydp_rng *rng,
                              cydp_work_mode work_mode, unsigned threads, void *out) {
  if (n <= CYDP_SMALL_CALL)
    return fill_from_refills(sampler, rng, work_mode, out, n);
  cydp_call_key call;
  cydp_large_fill fill = {sampler, &call.key, work_mode, out, n};
  cydp_status status = cydp_call_begin(rng, &call);
  if (status == CYDP_OK)
    status = threads > 1
                 ? cydp_parallel_for(cydp_fill_part, &fill, cydp_fill_parts(&fill), threads)
                 : cydp_sampler_fill_chunks(sampler, 0, n, &call.key, work_mode, out);
  return cydp_call_end(rng, &call, status);
}
