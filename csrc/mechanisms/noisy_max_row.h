/* SPDX-License-Identifier: MIT
 *
 * A row of scores and a candidate of it, for report noisy max.
 * docs/mechanisms/noisy_max.md. */
#ifndef CYDP_MECHANISMS_NOISY_MAX_ROW_H
#define CYDP_MECHANISMS_NOISY_MAX_ROW_H

#include "cydp.h"
#include "cydp_testing.h"
#include "mechanisms/kernels.h"

/* Limbs of the rate's numerator and denominator, at most. */
#define CYDP_RATE_LIMBS 130

struct cydp_noisy_max {
  cydp_noise_kind noise;
  cydp_noisy_max_constants constants;
  double rate; /* constants.rate_units in units of 1 */
  size_t numerator_limbs, denominator_limbs;
  uint64_t numerator[CYDP_RATE_LIMBS], denominator[CYDP_RATE_LIMBS];
};

/* The scores of a row. Integers, and rows whose largest score is not finite, enter by
 * their distances from the largest score. */
typedef struct cydp_score_row {
  const cydp_noisy_max *noisy_max;
  const void *scores;
  bool integers; /* int64_t, else double */
  double top;
  int64_t top_integer;
  uint64_t first; /* candidates of the rows before, for the bits */
  const cydp_extension *extension;
} cydp_score_row;

/* A candidate: its place in the row, the first 32 or 64 bits of its U, and bounds of its
 * noisy score v + G that hold whatever bits follow. */
typedef struct cydp_candidate {
  size_t place;
  uint64_t u;
  unsigned bits;
  double v, low, high;
} cydp_candidate;

#endif
