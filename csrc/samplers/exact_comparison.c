/* SPDX-License-Identifier: MIT
 * Exact comparisons of an endless U with bounds, at a precision that doubles until a
 * comparison is decided. Doubles propose, certified comparisons decide.
 * docs/samplers/exact_comparison.md.
 */
#include "samplers/exact_comparison.h"
#include "base/fixed_point.h"
#include "base/wipe.h"
#include "cydp.h"

#include <string.h>

enum { LEAST_LIMBS = 2, WORDS_A_LEVEL = 8 };
#define LARGEST ((uint64_t)INT64_MAX)

cydp_status cydp_first_bits(cydp_bits *bits, size_t n, uint64_t *u) {
  for (; bits->levels * WORDS_A_LEVEL < n; bits->levels++) {
    uint64_t words[1][WORDS_A_LEVEL];
    cydp_status status =
        bits->extension->read(bits->extension->self, bits->decision,
                              (uint32_t)bits->levels, &bits->candidate, 1, words);
    cydp_wipe_stack();
    if (status != CYDP_OK)
      return status;
    memcpy(bits->words + bits->levels * WORDS_A_LEVEL, words, sizeof words);
    cydp_wipe(words, sizeof words);
    bits->work->levels++;
  }
  unsigned shift = bits->prefix_bits;
  uint64_t above = bits->prefix;
  for (size_t i = 0; i < n; i++) {
    u[n - 1 - i] = above << (64 - shift) | bits->words[i] >> shift;
    above = bits->words[i];
  }
  u[n] = 0;
  return CYDP_OK;
}

/* Finds the greatest k <= LARGEST with U < T_k (T_0 = 1). The proposal is nearly always
 * right, which costs two comparisons. A proposal of 0 costs two as well, though one would
 * do, so that it takes no less time. */
static cydp_answer search_magnitude(const cydp_tails *tails, size_t n, const uint64_t *u,
                                    uint64_t *k) {
  uint64_t low = tails->propose(tails, n, u); /* U < T_low, after the first loop */
  uint64_t high = 0; /* U >= T_high, unless high is 0; LARGEST + 1 is above all */
  cydp_answer answer;
  if (low == 0)
    (void)tails->below(tails, n, u, 1);
  for (uint64_t step = 1; low > 0; step *= 2) {
    if ((answer = tails->below(tails, n, u, low)) == CYDP_TOO_CLOSE)
      return answer;
    if (answer == CYDP_YES)
      break;
    high = low;
    low -= step < low ? step : low;
  }
  for (uint64_t step = 1; high == 0; step *= 2) {
    uint64_t next = step <= LARGEST - low ? low + step : LARGEST + 1;
    if (next <= LARGEST && (answer = tails->below(tails, n, u, next)) != CYDP_NO) {
      if (answer == CYDP_TOO_CLOSE)
        return answer;
      low = next;
    } else {
      high = next;
    }
  }
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if ((answer = tails->below(tails, n, u, middle)) == CYDP_TOO_CLOSE)
      return answer;
    *(answer == CYDP_YES ? &low : &high) = middle;
  }
  *k = low;
  return CYDP_YES;
}

typedef struct magnitude_search {
  const cydp_tails *tails;
  uint64_t *k;
} magnitude_search;

static cydp_answer find_magnitude(const void *bound, size_t n, const uint64_t *u) {
  const magnitude_search *search = bound;
  return search_magnitude(search->tails, n, u, search->k);
}

cydp_status cydp_resolve_below(cydp_comparison *compare, const void *bound,
                               cydp_bits *bits, bool *below) {
  cydp_fixed u;
  cydp_answer answer = CYDP_TOO_CLOSE;
  cydp_status status = CYDP_OK;
  for (size_t n = LEAST_LIMBS; n <= CYDP_MOST_LIMBS && answer == CYDP_TOO_CLOSE; n *= 2) {
    status = cydp_first_bits(bits, n, u);
    if (status != CYDP_OK)
      break;
    answer = compare(bound, n, u);
  }
  if (status == CYDP_OK && answer == CYDP_TOO_CLOSE)
    status = CYDP_ERROR_UNDECIDED;
  *below = answer == CYDP_YES;
  bits->work->resolved++;
  bits->work->second_resolved += bits->decision == 2;
  cydp_wipe(bits->words, sizeof bits->words);
  cydp_wipe(u, sizeof u);
  return status;
}

cydp_status cydp_resolve_magnitude(const cydp_tails *tails, cydp_bits *bits,
                                   uint64_t *k) {
  const magnitude_search search = {tails, k};
  bool found;
  *k = 0;
  return cydp_resolve_below(find_magnitude, &search, bits, &found);
}
