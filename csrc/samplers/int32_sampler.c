/* SPDX-License-Identifier: MIT
 * The values of another sampler as int32_t: the same candidates, bits and decisions.
 * docs/samplers.md, "Results of 32 bits". */
#include "base/wipe.h"
#include "cydp.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"

typedef struct int32_sampler {
  cydp_sampler base;
  const cydp_sampler *wide;
} int32_sampler;

static cydp_status map_narrowed(const cydp_sampler *self, const cydp_batch *batch,
                                void *out, size_t *values) {
  const cydp_sampler *wide = ((const int32_sampler *)self)->wide;
  _Alignas(64) int64_t mapped[CYDP_BATCH];
  cydp_status status = wide->map(wide, batch, mapped, values);
  if (status == CYDP_OK)
    cydp_samplers_kernels()->narrow(mapped, *values, out);
  cydp_wipe(mapped, batch->n * sizeof *mapped);
  return status;
}

static cydp_status resolve_dummy(const cydp_sampler *self, cydp_bits *bits) {
  const cydp_sampler *wide = ((const int32_sampler *)self)->wide;
  return wide->resolve_dummy(wide, bits);
}

cydp_status cydp_sampler_new_int32(const cydp_sampler *wide, cydp_sampler **out) {
  if (!wide->fits_int32)
    return CYDP_ERROR_DOMAIN;
  int32_sampler *narrow = cydp_sampler_allocate(sizeof *narrow);
  if (!narrow)
    return CYDP_ERROR_MEMORY;
  narrow->base = *wide;
  narrow->base.map = map_narrowed;
  narrow->base.resolve_dummy = resolve_dummy;
  narrow->base.value_bytes = sizeof(int32_t);
  narrow->base.fits_int32 = false;
  narrow->wide = wide;
  *out = &narrow->base;
  return CYDP_OK;
}
