/* SPDX-License-Identifier: MIT
 * Randomized response: codes are read once, reports written once, and what is drawn for
 * them stays in the cache. */
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "mechanisms/kernels.h"
#include "samplers/category_offset.h"
#include "samplers/sampler.h"

#include <string.h>

enum {
  CHUNKS = 4, /* of shifts at a time: 8,192 values, 16 or 32 KiB */
  MOST_VALUES = CHUNKS * 2048,
  PARTS = 16 /* of CHUNKS chunks each, which a thread takes at a time */
};

typedef struct response_call {
  const cydp_sampler *shift, *uniform;
  cydp_work_mode work_mode;
  uint32_t last;
  unsigned code_bytes;
  const char *codes;
  char *reports;
  size_t n;
  uint32_t shift_key[8], uniform_key[8];
} response_call;

/* The n codes from the chunk `first` on. Uniform categories are drawn if any of these
 * codes is none, which a clock can see, or else always. */
static cydp_status respond(const response_call *call, uint64_t first, size_t n,
                           uint32_t *drawn) {
  const cydp_mechanisms_table *kernels = cydp_mechanisms_kernels();
  const unsigned shift_bytes = (unsigned)call->shift->value_bytes;
  size_t at = first * call->shift->chunk * call->code_bytes;
  cydp_status status = cydp_sampler_fill_chunks(call->shift, first, n, call->shift_key,
                                                call->work_mode, drawn);
  if (status != CYDP_OK)
    return status;
  bool outside = kernels->respond(call->last, call->code_bytes, call->codes + at,
                                  shift_bytes, drawn, n, call->reports + at);
  if (!outside && call->work_mode != CYDP_FIXED_WORK)
    return CYDP_OK;
  status = cydp_sampler_fill_chunks(call->uniform, first, n, call->uniform_key,
                                    call->work_mode, drawn);
  if (status == CYDP_OK)
    kernels->replace(call->last, call->code_bytes, shift_bytes, drawn, n,
                     call->reports + at);
  return status;
}

static cydp_status respond_part(void *self, size_t i) {
  const response_call *call = self;
  _Alignas(64) uint32_t drawn[MOST_VALUES];
  const size_t values = CHUNKS * call->shift->chunk;
  cydp_status status = CYDP_OK;
  for (size_t j = PARTS * i; j < PARTS * (i + 1) && status == CYDP_OK; j++) {
    size_t done = j * values;
    if (done >= call->n)
      break;
    size_t n = call->n - done < values ? call->n - done : values;
    status = respond(call, CHUNKS * j, n, drawn);
  }
  cydp_wipe(drawn, sizeof drawn);
  return status;
}

cydp_status cydp_randomize_responses(const cydp_sampler *shift,
                                     const cydp_sampler *uniform, const void *codes,
                                     size_t code_bytes, size_t n, cydp_rng *rng,
                                     cydp_work_mode work_mode, unsigned threads,
                                     void *reports) {
  uint64_t categories = cydp_shift_categories(shift);
  bool fits = code_bytes == 8 || code_bytes == 4 ||
              ((code_bytes == 1 || code_bytes == 2) &&
               categories <= UINT64_C(1) << 8 * code_bytes);
  if (categories == 0 || cydp_shift_categories(uniform) != categories || !fits)
    return CYDP_ERROR_DOMAIN;
  if (n == 0)
    return CYDP_OK;
  response_call call = {shift,
                        uniform,
                        work_mode,
                        (uint32_t)(categories - 1),
                        (unsigned)code_bytes,
                        codes,
                        reports,
                        n,
                        {0},
                        {0}};
  cydp_status status = cydp_rng_key(rng, call.shift_key);
  if (status == CYDP_OK)
    status = cydp_rng_key(rng, call.uniform_key);
  if (status == CYDP_OK) {
    size_t part = PARTS * CHUNKS * shift->chunk;
    status = cydp_parallel_for(respond_part, &call, (n - 1) / part + 1, threads);
  }
  cydp_wipe(&call, sizeof call);
  return status;
}
