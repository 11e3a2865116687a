/* SPDX-License-Identifier: MIT
 *
 * A block of noise: what lies in its pages. */
#ifndef CYDP_SAMPLERS_NOISE_BLOCK_H
#define CYDP_SAMPLERS_NOISE_BLOCK_H

#include "cydp.h"

#include <stdatomic.h>

typedef struct cydp_drawn_values {
  _Atomic(uint64_t) lock; /* see cydp_owner_lock */
  uint64_t owner;         /* that drew the values; 0: nobody has */
  size_t left;            /* values, the last ones of the block */
  _Alignas(64) uint8_t values[CYDP_BLOCK_VALUES * sizeof(int64_t)];
} cydp_drawn_values;

struct cydp_noise_block {
  const cydp_sampler *sampler;
  cydp_rng *rng;
  cydp_work_mode work_mode;
  bool wiped; /* whether the kernel wipes the pages in a forked child */
  cydp_drawn_values *drawn;
};

#endif
