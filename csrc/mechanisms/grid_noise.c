/* SPDX-License-Identifier: MIT
 * Numbers on a grid plus integer noise. In units of the grid both are integers, whose
 * exact sum, of up to 127 bits, is all that the result depends on: it is rounded once. */
#include "base/parallel_for.h"
#include "cydp.h"
#include "mechanisms/kernels.h"

#include <fenv.h>
#include <math.h>

enum { CHUNK = 1 << 16 };

typedef struct job {
  const double *values;
  const int64_t *noise;
  size_t n;
  double per_unit, unit;
  double *out;
} job;

static cydp_status add_chunk(void *self, size_t i) {
  const job *of = self;
  size_t first = i * CHUNK, left = of->n - first;
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  cydp_mechanisms_kernels()->grid_noise(of->values + first, of->noise + first,
                                        left < CHUNK ? left : CHUNK, of->per_unit,
                                        of->unit, of->out + first);
  fesetround(mode);
  return CYDP_OK;
}

cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                int exponent, unsigned threads, double *out) {
  if (exponent < -1021 || exponent > 896)
    return CYDP_ERROR_DOMAIN;
  job of = {values, noise, n, ldexp(1, -exponent), ldexp(1, exponent), out};
  return cydp_parallel_for(add_chunk, &of, n / CHUNK + (n % CHUNK != 0), threads);
}
