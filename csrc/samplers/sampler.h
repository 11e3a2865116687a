/* SPDX-License-Identifier: MIT
 *
 * What all laws have in common. */
#ifndef CYDP_SAMPLERS_SAMPLER_H
#define CYDP_SAMPLERS_SAMPLER_H

#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"

/* What every law begins with. */
struct cydp_sampler {
  cydp_status (*map)(const cydp_sampler *sampler, const cydp_batch *batch, void *out,
                     size_t *values);
  cydp_layout layout;
  size_t value_bytes;
  size_t chunk;       /* values; a constant of the stream, as is the next */
  size_t spare;       /* candidates drawn beyond the values wanted, in 1/1024 of these */
  double resolved[2]; /* the resolver takes at most this share of decisions 1 and 2 */
  /* Runs it for decision 1 or 2 of a candidate of which nobody asks; its like costs as
   * much as any other. */
  cydp_status (*resolve_unused)(const cydp_sampler *sampler, cydp_bits *bits);
};

/* Aligned to 64 bytes and zeroed; NULL if memory ran out. Freed by cydp_sampler_free. */
void *cydp_sampler_allocate(size_t bytes);

#endif
