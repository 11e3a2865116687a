/* SPDX-License-Identifier: MIT
 * How undecided candidates are decided: by a second look, at the first 64 bits of U, and
 * where that is not certain either, by an exact comparison.
 *
 * With CYDP_FIXED_WORK a batch gets the same number of second looks whatever is
 * undecided. Dummy looks at unused bits fill the number, and no branch depends on which
 * looks are real. docs/samplers/fixed_work.md. */
#include "samplers/decision.h"
#include "base/wipe.h"
#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"

#include <string.h>

enum { WORDS = CYDP_BATCH / 64 };

/* A bit for each lane of a batch that is undecided and has had no second look. */
typedef struct open_lanes {
  uint64_t word[WORDS];
  size_t words;
} open_lanes;

static open_lanes open_lanes_of(const uint8_t *undecided, size_t n) {
  open_lanes open = {.words = (n + 63) / 64};
  memcpy(open.word, undecided, (n + 7) / 8);
  return open;
}

/* Lanes for a second look, and the first 64 bits of their U. Only the first `real` slots
 * count; the others hold lane 0. */
typedef struct slots {
  size_t n, real;
  uint16_t lane[CYDP_SECOND_LOOKS];
  uint64_t u[CYDP_SECOND_LOOKS];
} slots;

size_t cydp_second_look_slots(double mean) {
  double bound = 1;
  for (size_t n = 0; n < CYDP_SECOND_LOOKS; n++)
    if ((bound *= mean / (double)(n + 1)) <= CYDP_OVERFLOW)
      return n;
  return CYDP_SECOND_LOOKS;
}

/* Takes as many open lanes as there are slots for. */
static slots take(open_lanes *open) {
  slots taken = {.n = 0};
  for (size_t w = 0; w < open->words; w++)
    for (; open->word[w] && taken.n < CYDP_SECOND_LOOKS;
         open->word[w] &= open->word[w] - 1)
      taken.lane[taken.n++] = (uint16_t)(64 * w + (size_t)__builtin_ctzll(open->word[w]));
  taken.real = taken.n;
  return taken;
}

/* Takes n open lanes, in steps that depend on no bit of `open`. */
static slots take_fixed(open_lanes *open, size_t n) {
  slots taken = {.n = n};
  for (size_t i = 0; i < n; i++) {
    uint64_t found = 0, chosen = 0, at = 0; /* found: all ones once a lane is found */
    for (size_t w = 0; w < open->words; w++) {
      uint64_t word = open->word[w], lowest = word & (0 - word);
      uint64_t is_first = ~found & (0 - ((word | (0 - word)) >> 63));
      chosen |= is_first & lowest;
      at |= is_first & 64 * w;
      found |= is_first;
      open->word[w] = word & ~(is_first & lowest);
    }
    uint64_t bit = 0; /* the place of the one bit in `chosen` */
    for (unsigned step = 0; step < 6; step++) {
      static const uint64_t upper[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                        0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                        0xffff0000ffff0000, 0xffffffff00000000};
      uint64_t upper_part = chosen & upper[step];
      bit |= ((upper_part | (0 - upper_part)) >> 63) << step;
    }
    taken.lane[i] = (uint16_t)(at | bit);
    taken.real += found & 1;
  }
  return taken;
}

static bool has_open(const open_lanes *open) {
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
                              slots *taken) {
  uint64_t candidates[CYDP_SECOND_LOOKS], words[CYDP_SECOND_LOOKS][8];
  unsigned shift = decision->prefix_bits;
  for (size_t i = 0; i < taken->n; i++)
    candidates[i] = batch->first + taken->lane[i];
  cydp_status status = batch->extension->read(batch->extension->self, decision->number, 0,
                                              candidates, taken->n, words);
  cydp_wipe_stack();
  for (size_t i = 0; i < taken->n; i++)
    taken->u[i] =
        decision->prefix(decision, taken->lane[i]) << (64 - shift) | words[i][0] >> shift;
  batch->work->looks += taken->n;
  batch->work->levels += taken->n;
  cydp_wipe(words, taken->n * sizeof *words);
  return status;
}

static cydp_status resolve(const cydp_decision *decision, const cydp_batch *batch,
                           size_t lane) {
  cydp_bits bits = bits_of(decision, batch, lane);
  uint64_t answer = 0;
  cydp_status status = decision->resolve(decision, lane, &bits, &answer);
  decision->store(decision, lane, answer, UINT64_MAX);
  cydp_wipe(&bits, sizeof bits);
  return status;
}

/* Stores the answers of slots that 64 bits decide; exact comparisons decide the others.
 */
static cydp_status decide_slots(const cydp_decision *decision, const cydp_batch *batch,
                                slots *taken) {
  uint64_t answers[CYDP_SECOND_LOOKS];
  cydp_status status = read_slots(decision, batch, taken);
  if (status != CYDP_OK)
    return status;
  uint64_t open =
      decision->look_again(decision, taken->n, taken->lane, taken->u, answers);
  uint64_t left = 0;
  for (size_t i = 0; i < taken->n; i++) {
    uint64_t real = 0 - (uint64_t)(i < taken->real);
    decision->store(decision, taken->lane[i], answers[i], real);
    left |= open & real & UINT64_C(1) << i;
  }
  cydp_wipe(taken->u, taken->n * sizeof *taken->u);
  cydp_wipe(answers, taken->n * sizeof *answers);
  for (; left && status == CYDP_OK; left &= left - 1)
    status = resolve(decision, batch, taken->lane[__builtin_ctzll(left)]);
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
  if (decision->look_again && batch->work_mode == CYDP_FIXED_WORK) {
    size_t n = cydp_second_look_slots(decision->rate * (double)batch->n);
    slots taken = take_fixed(&open, n < batch->n ? n : batch->n);
    batch->work->undecided += taken.real;
    if (taken.n > 0)
      status = decide_slots(decision, batch, &taken);
  }
  while (status == CYDP_OK && has_open(&open)) {
    slots taken = take(&open);
    batch->work->undecided += taken.n;
    if (decision->look_again)
      status = decide_slots(decision, batch, &taken);
    else
      for (size_t i = 0; i < taken.n && status == CYDP_OK; i++)
        status = resolve(decision, batch, taken.lane[i]);
  }
  return status;
}
