/* SPDX-License-Identifier: MIT
 *
 * What all samplers have in common. */
#ifndef CYDP_SAMPLERS_SAMPLER_H
#define CYDP_SAMPLERS_SAMPLER_H

#include "cydp.h"
#include "cydp_testing.h"
#include "generator/keystream.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"

/* Every sampler begins with this. */
struct cydp_sampler {
  cydp_status (*map)(const cydp_sampler *sampler, const cydp_batch *batch, void *out,
                     size_t *values);
  cydp_layout layout;
  size_t value_bytes;
  bool fits_int32; /* |X| < 2^31 of int64_t, except with a probability below 2^-100 */
  size_t chunk;    /* values; a constant of the stream, as is the next */
  size_t spare;    /* candidates drawn beyond the values wanted, in 1/1024 of these */
  /* Of decisions 1 and 2: the probability of an exact comparison, at most. */
  double resolve_rates[2];
  /* Makes an exact comparison for decision 1 or 2 of a candidate that does not count: it
   * costs as much as any other. */
  cydp_status (*resolve_dummy)(const cydp_sampler *sampler, cydp_bits *bits);
};

/* cydp_sampler_fill_chunks for a keystream that the caller begins and ends. */
cydp_status cydp_sampler_fill_from(const cydp_sampler *sampler, uint64_t first, size_t n,
                                   cydp_keystream *keystream, cydp_work_mode work_mode,
                                   void *out);

/* A large call, which threads take in parts: cydp_fill_part is a cydp_task on it. */
typedef struct cydp_large_fill {
  const cydp_sampler *sampler;
  const cydp_key *key;
  cydp_work_mode work_mode;
  void *out;
  size_t n;
} cydp_large_fill;
size_t cydp_fill_part_values(const cydp_large_fill *fill); /* of each but the last */
size_t cydp_fill_parts(const cydp_large_fill *fill);
cydp_status cydp_fill_part(void *fill, size_t i);

/* Returns memory that is aligned to 64 bytes and zeroed, or NULL if memory ran out.
 * cydp_sampler_free frees it. */
void *cydp_sampler_allocate(size_t bytes);

#endif
