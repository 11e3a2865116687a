/* SPDX-License-Identifier: MIT
 *
 * How candidates that a kernel leaves undecided are decided. */
#ifndef CYDP_SAMPLERS_DECISION_H
#define CYDP_SAMPLERS_DECISION_H

#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"

/* One of the decisions that a sampler takes for each candidate of a batch: an answer that
 * the first bits of U or V give, or more of them. */
#define CYDP_SECOND_LOOKS 32 /* second looks at a time */
typedef struct cydp_decision cydp_decision;
struct cydp_decision {
  uint32_t number; /* 1 or 2 */
  unsigned prefix_bits;
  double rate; /* probability that the prefix leaves a candidate open, at most */
  uint64_t (*prefix)(const cydp_decision *self, size_t lane);
  /* Sets the answers of n <= CYDP_SECOND_LOOKS lanes whose U begins with these 64 bits;
   * returns a bit for each answer that is not certain. Straight-line code. If it is NULL,
   * only exact comparisons decide. */
  uint64_t (*look_again)(const cydp_decision *self, size_t n, const uint16_t *lanes,
                         const uint64_t *u, uint64_t *answers);
  cydp_status (*resolve)(const cydp_decision *self, size_t lane, cydp_bits *bits,
                         uint64_t *answer);
  /* Stores the answer where `real` is all ones, nothing where it is 0. */
  void (*store)(const cydp_decision *self, size_t lane, uint64_t answer, uint64_t real);
};

/* Decides the candidates that are undecided, or, if `undecided` is NULL, all of them by
 * exact comparisons. */
cydp_status cydp_decide(const cydp_decision *decision, const cydp_batch *batch,
                        const uint8_t *undecided);

/* Number of second-look slots to reserve for a batch in which `mean` candidates are
 * expected to be undecided. Returns the smallest n such that mean^(n + 1) / (n + 1)! <=
 * CYDP_OVERFLOW, which bounds the probability that more than n are undecided; at most
 * CYDP_SECOND_LOOKS. The same n serves for exact comparisons of which `mean` are
 * expected. */
#define CYDP_OVERFLOW 0x1p-48
size_t cydp_second_look_slots(double mean);

/* Returns U from its first 64 bits, within 2^-63 and an ulp. The conversion is of a
 * signed number, which compilers do without a branch. */
static inline double cydp_middle(uint64_t u) {
  return ((double)(int64_t)(u >> 1) + 0.5) * 0x1p-63;
}

#endif
