/* SPDX-License-Identifier: MIT
 * Randomized response: codes are read once, reports are written once, and the values that
 * are drawn for them stay in the cache. docs/mechanisms/randomized_response.md. */
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "generator/stream.h"
#include "mechanisms/kernels.h"
#include "samplers/category_offset.h"
#include "samplers/sampler.h"

#include <string.h>

enum {
  BATCH_CHUNKS = 4, /* of offsets: 8,192 values, 16 or 32 KiB */
  BATCH_VALUES = BATCH_CHUNKS * 2048,
  PART_BATCHES = 16 /* that a thread takes at a time */
};

typedef struct response_call {
  const cydp_sampler *offset, *uniform;
  cydp_work_mode work_mode;
  uint32_t last;
  unsigned code_bytes;
  const char *codes;
  char *reports;
  size_t n;
  const cydp_key *offset_key, *uniform_key;
} response_call;

/* The keystreams of a thread. */
typedef struct response_streams {
  cydp_keystream offset, uniform;
} response_streams;

/* Randomizes the n codes from the chunk `first` on. Uniform categories are drawn if any
 * of these codes is no category, which a clock can see; with fixed work, always. */
static cydp_status randomize_batch(const response_call *call, response_streams *streams,
                                   uint64_t first, size_t n, uint32_t *drawn) {
  const cydp_mechanisms_table *kernels = cydp_mechanisms_kernels();
  const unsigned offset_bytes = (unsigned)call->offset->value_bytes;
  size_t at = (size_t)first * call->offset->chunk * call->code_bytes;
  cydp_status status = cydp_sampler_fill_from(call->offset, first, n, &streams->offset,
                                              call->work_mode, drawn);
  if (status != CYDP_OK)
    return status;
  bool outside = kernels->respond(call->last, call->code_bytes, call->codes + at,
                                  offset_bytes, drawn, n, call->reports + at);
  if (!outside && call->work_mode != CYDP_FIXED_WORK)
    return CYDP_OK;
  status = cydp_sampler_fill_from(call->uniform, first, n, &streams->uniform,
                                  call->work_mode, drawn);
  if (status == CYDP_OK)
    kernels->replace(call->last, call->code_bytes, offset_bytes, drawn, n,
                     call->reports + at);
  return status;
}

static cydp_status randomize_part(void *self, size_t i) {
  const response_call *call = self;
  _Alignas(64) uint32_t drawn[BATCH_VALUES];
  const size_t values = BATCH_CHUNKS * call->offset->chunk;
  response_streams streams;
  cydp_status status = cydp_keystream_begin(&streams.offset, call->offset_key);
  if (status == CYDP_OK)
    status = cydp_keystream_begin(&streams.uniform, call->uniform_key);
  if (status != CYDP_OK)
    return status;
  for (size_t j = PART_BATCHES * i; j < PART_BATCHES * (i + 1) && status == CYDP_OK;
       j++) {
    size_t done = j * values;
    if (done >= call->n)
      break;
    status = randomize_batch(call, &streams, BATCH_CHUNKS * j,
                             cydp_task_rows(call->n, values, j), drawn);
  }
  cydp_keystream_end(&streams.offset);
  cydp_keystream_end(&streams.uniform);
  cydp_wipe(drawn, sizeof drawn);
  return status;
}

cydp_status cydp_randomize_responses(const cydp_sampler *offset,
                                     const cydp_sampler *uniform, const void *codes,
                                     size_t code_bytes, size_t n, cydp_rng *rng,
                                     cydp_work_mode work_mode, unsigned threads,
                                     void *reports) {
  uint64_t categories = cydp_category_offset_categories(offset);
  bool fits = code_bytes == 8 || code_bytes == 4 ||
              ((code_bytes == 1 || code_bytes == 2) &&
               categories <= UINT64_C(1) << 8 * code_bytes);
  if (categories == 0 || cydp_category_offset_categories(uniform) != categories || !fits)
    return CYDP_ERROR_DOMAIN;
  if (n == 0)
    return CYDP_OK;
  cydp_call_key offset_call, uniform_call;
  response_call call = {offset,
                        uniform,
                        work_mode,
                        (uint32_t)(categories - 1),
                        (unsigned)code_bytes,
                        codes,
                        reports,
                        n,
                        &offset_call.key,
                        &uniform_call.key};
  cydp_status status = cydp_call_begin(rng, &offset_call);
  cydp_status second = cydp_call_begin(rng, &uniform_call);
  status = status == CYDP_OK ? second : status;
  if (status == CYDP_OK) {
    size_t part = PART_BATCHES * BATCH_CHUNKS * offset->chunk;
    status = cydp_parallel_for(randomize_part, &call, cydp_task_count(n, part), threads);
  }
  status = cydp_call_end(rng, &offset_call, status);
  return cydp_call_end(rng, &uniform_call, status);
}
