/* SPDX-License-Identifier: MIT
 *
 * Noise drawn ahead: what lies in its pages. */
#ifndef CYDP_SAMPLERS_PREFETCH_H
#define CYDP_SAMPLERS_PREFETCH_H

#include "base/thread.h"
#include "cydp.h"

#include <stdatomic.h>

/* A process that finds another owner has none of the rest. */
typedef struct cydp_ahead {
  _Atomic(uint64_t) lock; /* see cydp_owner_lock */
  uint64_t owner;
  bool keyed;            /* `key` is that of the next array */
  bool drawing;          /* `thread` draws that array into `values` */
  _Atomic(bool) stop;    /* asks the thread to end early */
  _Atomic(size_t) begun; /* parts of `values` that may have been written; others are 0 */
  cydp_status status;    /* the thread's result */
  cydp_key key;
  cydp_thread thread;
  _Alignas(64) uint8_t values[];
} cydp_ahead;

struct cydp_prefetch {
  const cydp_sampler *sampler;
  size_t n;
  cydp_rng *rng;
  cydp_work_mode work_mode;
  unsigned threads;
  bool wiped; /* whether the kernel wipes the pages in a forked child */
  cydp_ahead *ahead;
  cydp_prefetch *next; /* in the list of all */
};

#endif
