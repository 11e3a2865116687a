/* SPDX-License-Identifier: MIT
 *
 * What becomes of candidates that a kernel leaves undecided. */
#ifndef CYDP_SAMPLERS_DECISION_H
#define CYDP_SAMPLERS_DECISION_H

#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"

/* One of the decisions that a law takes for each candidate of a batch: an answer, given
 * by the first bits of U or V, or by more of them. */
#define CYDP_SLOTS 32 /* second looks at a time */
typedef struct cydp_decision cydp_decision;
struct cydp_decision {
  uint32_t number; /* 1 or 2 */
  unsigned prefix_bits;
  double rate; /* the prefix leaves open at most this share of candidates */
  uint64_t (*prefix)(const cydp_decision *self, size_t lane);
  /* The answers of n <= CYDP_SLOTS lanes whose U begins with these 64 bits, and a bit for
   * each whose answer is not certain. Straight-line code. NULL: only the resolver. */
  uint64_t (*look)(const cydp_decision *self, size_t n, const uint16_t *lanes,
                   const uint64_t *u, uint64_t *answers);
  cydp_status (*resolve)(const cydp_decision *self, size_t lane, cydp_bits *bits,
                         uint64_t *answer);
  /* Stores the answer where `real` is all ones, nothing where it is 0. */
  void (*put)(const cydp_decision *self, size_t lane, uint64_t answer, uint64_t real);
};

/* Decides those candidates that are undecided, or all of them, by the resolver, if that
 * is NULL. */
cydp_status cydp_decide(const cydp_decision *decision, const cydp_batch *batch,
                        const uint8_t *undecided);

/* Number of second-look slots to reserve for a batch in which `mean` candidates are
 * expected to be undecided. Returns the smallest n such that more than n are undecided
 * with a probability of at most mean^(n + 1) / (n + 1)! <= CYDP_OVERFLOW, or CYDP_SLOTS
 * if that is smaller. */
#define CYDP_OVERFLOW 0x1p-48
size_t cydp_second_look_slots(double mean);

/* About the U that begins with these 64 bits, within 2^-63 and an ulp. As a signed
 * number, which compilers convert without a branch. */
static inline double cydp_middle(uint64_t u) {
  return ((double)(int64_t)(u >> 1) + 0.5) * 0x1p-63;
}

#endif
