/* SPDX-License-Identifier: MIT
 * Adds integer noise to numbers on a grid. In units of the grid both are integers, and
 * the result depends on nothing but their exact sum, of up to 127 bits, which is rounded
 * once. docs/mechanisms/grid_noise.md. */
#include "base/parallel_for.h"
#include "cydp.h"
#include "mechanisms/kernels.h"

#include <fenv.h>
#include <math.h>

enum { CHUNK = 1 << 16 };

typedef struct grid_noise_call {
  const double *values;
  const int64_t *noise;
  size_t n;
  double per_unit, unit;
  double *out;
} grid_noise_call;

static cydp_status add_chunk(void *self, size_t i) {
  const grid_noise_call *call = self;
  size_t first = i * CHUNK;
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  cydp_mechanisms_kernels()->grid_noise(call->values + first, call->noise + first,
                                        cydp_task_rows(call->n, CHUNK, i), call->per_unit,
                                        call->unit, call->out + first);
  fesetround(mode);
  return CYDP_OK;
}

cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                int exponent, unsigned threads, double *out) {
  if (exponent < -1021 || exponent > 896)
    return CYDP_ERROR_DOMAIN;
  grid_noise_call call = {values, noise, n, ldexp(1, -exponent), ldexp(1, exponent), out};
  return cydp_parallel_for(add_chunk, &call, cydp_task_count(n, CHUNK), threads);
}
