/* SPDX-License-Identifier: MIT
 * A race: who of two candidates is ahead. docs/sampling.md, "Selection". */
#ifndef CYDP_SELECTION_H
#define CYDP_SELECTION_H

#include "base/internal.h"

/* Limbs of the rate's numerator and denominator, at most. */
#define CYDP_RATE_LIMBS 130

struct cydp_selection {
  cydp_race race;
  cydp_keys_law keys;
  double rate; /* keys.rate_units in units of 1 */
  size_t numerator_limbs, denominator_limbs;
  uint64_t numerator[CYDP_RATE_LIMBS], denominator[CYDP_RATE_LIMBS];
};

/* The scores of a row. Integers, and rows without a finite largest score, are raced by
 * what they are behind it. */
typedef struct cydp_field {
  const cydp_selection *law;
  const void *scores;
  bool integers; /* int64_t, else double */
  double top;
  int64_t top_integer;
  uint64_t first; /* number of the first candidate, for its bits */
  const cydp_extension *extension;
} cydp_field;

/* A candidate: its place in the row, the first 32 or 64 bits of its U, and bounds of its
 * key v + G that hold whatever bits follow. */
typedef struct cydp_runner {
  size_t place;
  uint64_t u;
  unsigned bits;
  double v, low, high;
} cydp_runner;

/* The key of the best is above this with a probability of at least 1 - 2^-4300: who has
 * the best score falls below it only if more than 1,024 bits of its U are ones. */
#define CYDP_KEY_FLOOR (-8.0)

/* A runner from how far, in keys.half, its score is behind, and a word. */
cydp_runner cydp_runner_of(const cydp_selection *law, size_t place, double behind,
                           uint32_t word);

/* Whether a is ahead of b; their bounds may become closer. */
cydp_status cydp_ahead(const cydp_field *row, cydp_runner *a, cydp_runner *b,
                       cydp_effort effort, bool *ahead);
cydp_status cydp_ahead_exactly(const cydp_field *row, const cydp_runner *a,
                               const cydp_runner *b, bool *ahead);

/* CYDP_ERROR_UNDECIDED unless the key is above the floor. */
cydp_status cydp_above_floor(const cydp_field *row, cydp_runner *a);

/* The bits of a runner's U, from the first on. */
cydp_bits cydp_runner_bits(const cydp_field *row, const cydp_runner *a, cydp_work *work);

/* Bounds of -ln(x) for 0 < x <= 1 with n fraction limbs. CYDP_ERROR_MEMORY. */
cydp_status cydp_negative_logarithm(size_t n, uint64_t *low, uint64_t *high,
                                    const uint64_t *x);

#endif
