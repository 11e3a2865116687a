/* SPDX-License-Identifier: MIT
 * Adds integer noise to numbers on a grid. In units of the grid both are integers, and
 * the result depends on nothing but their exact sum, of up to 127 bits, which is rounded
 * once. Noise that is drawn for the sum stays in the cache, and numbers are read once.
 * docs/mechanisms/grid_noise.md. */
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/stream.h"
#include "mechanisms/kernels.h"
#include "samplers/sampler.h"

#include <fenv.h>
#include <math.h>

enum {
  CHUNK = 1 << 16,
  BATCH_VALUES = 4096, /* of noise: 32 KiB */
  PART_BATCHES = 16,   /* that a thread takes at a time */
  LEAST_EXPONENT = -1021,
  MOST_EXPONENT = 896,
  FLOAT_BITS = 53, /* up to 2^53 every integer is a double */
  MOST_BITS = 113, /* up to 2^113 units, an integer is a double and less than 2^61 units */
  SPARE_BITS = 11  /* that an integer of 64 bits has more than a double */
};
#define MOST_UNITS 0x1p126

typedef struct grid {
  double per_unit, unit, most_units;
} grid;

/* A sum in doubles is rounded as the mode says. */
static void add_rows(const grid *on, const double *values, const int64_t *noise, size_t n,
                     double *out) {
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  cydp_mechanisms_kernels()->grid_noise(values, noise, n, on->per_unit, on->unit,
                                        on->most_units, out);
  fesetround(mode);
}

typedef struct grid_noise_call {
  const double *values;
  const int64_t *noise;
  size_t n;
  grid on;
  double *out;
} grid_noise_call;

static cydp_status add_chunk(void *self, size_t i) {
  const grid_noise_call *call = self;
  size_t first = i * CHUNK;
  add_rows(&call->on, call->values + first, call->noise + first,
           cydp_task_rows(call->n, CHUNK, i), call->out + first);
  return CYDP_OK;
}

cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                int exponent, unsigned threads, double *out) {
  if (exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT)
    return CYDP_ERROR_DOMAIN;
  const grid on = {ldexp(1, -exponent), ldexp(1, exponent), MOST_UNITS};
  grid_noise_call call = {values, noise, n, on, out};
  return cydp_parallel_for(add_chunk, &call, cydp_task_count(n, CHUNK), threads);
}

/* Returns e of 2^e, at which numbers are cut. */
static int end_of(int exponent) {
  return exponent + MOST_BITS > FLOAT_BITS ? exponent + MOST_BITS : FLOAT_BITS;
}

/* How integers of 64 bits are read. */
static cydp_grid_integers integers_of(int exponent, bool is_signed) {
  const int end = end_of(exponent);
  const uint64_t zero = is_signed ? UINT64_C(1) << 63 : 0;
  cydp_grid_integers reading = {.zero = zero, .most = UINT64_MAX};
  if (end < (is_signed ? 63 : 64)) {
    reading.most = zero + (UINT64_C(1) << end);
    reading.least = is_signed ? zero - (UINT64_C(1) << end) : 0;
  }
  if (end == FLOAT_BITS) /* every one is a double */
    return reading;
  if (exponent > SPARE_BITS + 1) {
    reading.low = SPARE_BITS;
    reading.odd = true;
    return reading;
  }
  /* The upper part has at most 52 bits, and is an even number of units, so ties stay
   * ties. */
  int bits = (end < 64 ? end : 64) - 52;
  reading.low = (unsigned)(bits > exponent + 1 ? bits : exponent + 1);
  reading.left = (unsigned)(exponent < 0 ? -exponent : 0);
  reading.right = (unsigned)(exponent > 0 ? exponent : 0);
  return reading;
}

void cydp_split_integers(const uint64_t *values, bool is_signed, size_t n, int exponent,
                         double *near, int64_t *multiples) {
  const cydp_grid_integers reading = integers_of(exponent, is_signed);
  cydp_mechanisms_kernels()->grid_integers(values, n, &reading, near, multiples);
}

typedef struct draw_call {
  const cydp_sampler *sampler;
  cydp_work_mode work_mode;
  bool are_doubles;
  cydp_grid_integers integers;
  const void *values;
  size_t n;
  grid on;
  double *out;
  const cydp_key *key;
} draw_call;

static void add_drawn(const draw_call *call, size_t first, size_t n, int64_t *noise) {
  double near[BATCH_VALUES];
  const double *values = (const double *)call->values + first;
  if (!call->are_doubles) {
    cydp_mechanisms_kernels()->grid_integers((const uint64_t *)call->values + first, n,
                                             &call->integers, near, noise);
    values = near;
  }
  add_rows(&call->on, values, noise, n, call->out + first);
}

static size_t batch_chunks(const draw_call *call) {
  return BATCH_VALUES / call->sampler->chunk;
}

static cydp_status draw_part(void *self, size_t i) {
  const draw_call *call = self;
  _Alignas(64) int64_t noise[BATCH_VALUES];
  const size_t chunks = batch_chunks(call), batch = chunks * call->sampler->chunk;
  cydp_keystream keystream;
  cydp_status status = cydp_keystream_begin(&keystream, call->key);
  if (status != CYDP_OK)
    return status;
  for (size_t j = PART_BATCHES * i; j < PART_BATCHES * (i + 1) && status == CYDP_OK;
       j++) {
    if (j * batch >= call->n)
      break;
    size_t n = cydp_task_rows(call->n, batch, j);
    status = cydp_sampler_fill_from(call->sampler, chunks * j, n, &keystream,
                                    call->work_mode, noise);
    if (status == CYDP_OK)
      add_drawn(call, batch * j, n, noise);
  }
  cydp_keystream_end(&keystream);
  cydp_wipe(noise, sizeof noise);
  return status;
}

static cydp_status draw_small(const draw_call *call, cydp_rng *rng) {
  int64_t noise[CYDP_SMALL_CALL];
  cydp_status status =
      cydp_sampler_fill(call->sampler, call->n, rng, call->work_mode, 1, noise);
  if (status == CYDP_OK)
    add_drawn(call, 0, call->n, noise);
  cydp_wipe(noise, call->n * sizeof *noise);
  return status;
}

cydp_status cydp_fill_grid_noise(const cydp_sampler *sampler, cydp_numbers numbers,
                                 const void *values, size_t n, int exponent,
                                 cydp_rng *rng, cydp_work_mode work_mode,
                                 unsigned threads, double *out) {
  if (exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT ||
      sampler->value_bytes != sizeof(int64_t))
    return CYDP_ERROR_DOMAIN;
  cydp_call_key key;
  draw_call call = {sampler,
                    work_mode,
                    numbers == CYDP_DOUBLES,
                    integers_of(exponent, numbers == CYDP_SIGNED),
                    values,
                    n,
                    {ldexp(1, -exponent), ldexp(1, exponent),
                     fmin(ldexp(1, end_of(exponent) - exponent), MOST_UNITS)},
                    out,
                    &key.key};
  if (n == 0)
    return CYDP_OK;
  if (n <= CYDP_SMALL_CALL)
    return draw_small(&call, rng);
  cydp_status status = cydp_call_begin(rng, &key);
  if (status == CYDP_OK) {
    size_t part = PART_BATCHES * batch_chunks(&call) * sampler->chunk;
    status = cydp_parallel_for(draw_part, &call, cydp_task_count(n, part), threads);
  }
  status = cydp_call_end(rng, &key, status);
  if (status != CYDP_OK) /* a fork's other half may publish sums with this noise */
    cydp_wipe(out, n * sizeof *out);
  return status;
}
