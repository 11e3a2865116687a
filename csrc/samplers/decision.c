/* SPDX-License-Identifier: MIT
 * What becomes of undecided candidates: a second look, at the first 64 bits of U, and
 * where that is not certain either, the resolver.
 *
 * With CYDP_FIXED_WORK a batch gets the same number of second looks whatever is
 * undecided, the missing ones at bits that nobody uses, and which of them are real
 * decides no branch. docs/sampling.md, "Fixed work". */
#include "samplers/decision.h"
#include "base/wipe.h"
#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"

#include <string.h>

enum { WORDS = CYDP_BATCH / 64 };

/* The bits of a batch that say which lanes are undecided and not yet looked at. */
typedef struct open_lanes {
  uint64_t word[WORDS];
  size_t words;
} open_lanes;

static open_lanes open_lanes_of(const uint8_t *undecided, size_t n) {
  open_lanes open = {.words = (n + 63) / 64};
  memcpy(open.word, undecided, (n + 7) / 8);
  return open;
}

/* A few lanes, and the first 64 bits of their U. Only the first `real` are meant; the
 * others are lane 0. */
typedef struct slots {
  size_t n, real;
  uint16_t lane[CYDP_SLOTS];
  uint64_t u[CYDP_SLOTS];
} slots;

size_t cydp_second_look_slots(double mean) {
  double bound = 1;
  for (size_t n = 0; n < CYDP_SLOTS; n++)
    if ((bound *= mean / (double)(n + 1)) <= CYDP_OVERFLOW)
      return n;
  return CYDP_SLOTS;
}

/* As many as there are. */
static slots take(open_lanes *open) {
  slots of = {.n = 0};
  for (size_t w = 0; w < open->words; w++)
    for (; open->word[w] && of.n < CYDP_SLOTS; open->word[w] &= open->word[w] - 1)
      of.lane[of.n++] = (uint16_t)(64 * w + (size_t)__builtin_ctzll(open->word[w]));
  of.real = of.n;
  return of;
}

/* n of them, in steps that depend on no bit of `open`. */
static slots take_fixed(open_lanes *open, size_t n) {
  slots of = {.n = n};
  for (size_t i = 0; i < n; i++) {
    uint64_t found = 0, chosen = 0, at = 0; /* found: all ones once it is */
    for (size_t w = 0; w < open->words; w++) {
      uint64_t word = open->word[w], lowest = word & (0 - word);
      uint64_t here = ~found & (0 - ((word | (0 - word)) >> 63));
      chosen |= here & lowest;
      at |= here & 64 * w;
      found |= here;
      open->word[w] = word & ~(here & lowest);
    }
    uint64_t bit = 0; /* the place of the one bit in `chosen` */
    for (unsigned step = 0; step < 6; step++) {
      static const uint64_t upper[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                        0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                        0xffff0000ffff0000, 0xffffffff00000000};
      uint64_t there = chosen & upper[step];
      bit |= ((there | (0 - there)) >> 63) << step;
    }
    of.lane[i] = (uint16_t)(at | bit);
    of.real += found & 1;
  }
  return of;
}

static bool any(const open_lanes *open) {
  uint64_t bits = 0;
  for (size_t w = 0; w < open->words; w++)
    bits |= open->word[w];
  return bits != 0;
}

static cydp_bits bits_of(const cydp_decision *decision, const cydp_batch *batch,
                         size_t lane) {
  return (cydp_bits){.prefix = decision->prefix(decision, lane),
                     .prefix_bits = decision->prefix_bits,
                     .extension = batch->extension,
                     .decision = decision->number,
                     .candidate = batch->first + lane,
                     .work = batch->work};
}

static cydp_status read_slots(const cydp_decision *decision, const cydp_batch *batch,
                              slots *of) {
  uint64_t candidates[CYDP_SLOTS], words[CYDP_SLOTS][8];
  unsigned shift = decision->prefix_bits;
  for (size_t i = 0; i < of->n; i++)
    candidates[i] = batch->first + of->lane[i];
  cydp_status status = batch->extension->read(batch->extension->self, decision->number, 0,
                                              candidates, of->n, words);
  for (size_t i = 0; i < of->n; i++)
    of->u[i] =
        decision->prefix(decision, of->lane[i]) << (64 - shift) | words[i][0] >> shift;
  batch->work->looks += of->n;
  batch->work->levels += of->n;
  cydp_wipe(words, of->n * sizeof *words);
  return status;
}

static cydp_status resolve(const cydp_decision *decision, const cydp_batch *batch,
                           size_t lane) {
  cydp_bits bits = bits_of(decision, batch, lane);
  uint64_t answer = 0;
  cydp_status status = decision->resolve(decision, lane, &bits, &answer);
  decision->put(decision, lane, answer, UINT64_MAX);
  return status;
}

/* Answers the slots that 64 bits decide, and sends the others to the resolver. */
static cydp_status look_again(const cydp_decision *decision, const cydp_batch *batch,
                              slots *of) {
  uint64_t answers[CYDP_SLOTS];
  cydp_status status = read_slots(decision, batch, of);
  if (status != CYDP_OK)
    return status;
  uint64_t open = decision->look(decision, of->n, of->lane, of->u, answers);
  uint64_t left = 0;
  for (size_t i = 0; i < of->n; i++) {
    uint64_t real = 0 - (uint64_t)(i < of->real);
    decision->put(decision, of->lane[i], answers[i], real);
    left |= open & real & UINT64_C(1) << i;
  }
  cydp_wipe(of->u, of->n * sizeof *of->u);
  for (; left && status == CYDP_OK; left &= left - 1)
    status = resolve(decision, batch, of->lane[__builtin_ctzll(left)]);
  return status;
}

cydp_status cydp_decide(const cydp_decision *decision, const cydp_batch *batch,
                        const uint8_t *undecided) {
  cydp_status status = CYDP_OK;
  if (!undecided) {
    batch->work->undecided += batch->n;
    for (size_t lane = 0; lane < batch->n && status == CYDP_OK; lane++)
      status = resolve(decision, batch, lane);
    return status;
  }
  open_lanes open = open_lanes_of(undecided, batch->n);
  if (decision->look && batch->work_mode == CYDP_FIXED_WORK) {
    size_t n = cydp_second_look_slots(decision->rate * (double)batch->n);
    slots of = take_fixed(&open, n < batch->n ? n : batch->n);
    batch->work->undecided += of.real;
    if (of.n > 0)
      status = look_again(decision, batch, &of);
  }
  while (status == CYDP_OK && any(&open)) {
    slots of = take(&open);
    batch->work->undecided += of.n;
    if (decision->look)
      status = look_again(decision, batch, &of);
    else
      for (size_t i = 0; i < of.n && status == CYDP_OK; i++)
        status = resolve(decision, batch, of.lane[i]);
  }
  return status;
}
