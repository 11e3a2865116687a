/* SPDX-License-Identifier: MIT
 *
 * Candidates that are mapped to values together. */
#ifndef CYDP_SAMPLERS_BATCH_H
#define CYDP_SAMPLERS_BATCH_H

#include "cydp.h"
#include "cydp_testing.h"

/* Up to CYDP_BATCH candidates, and where their further bits are. */
typedef struct cydp_batch {
  const void *plane[3];
  const uint8_t *signs;
  size_t n;
  const cydp_extension *extension;
  uint64_t first;
  cydp_work_mode work_mode;
  cydp_work *work;
} cydp_batch;

#endif
