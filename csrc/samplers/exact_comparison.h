/* SPDX-License-Identifier: MIT
 *
 * Exact comparisons with a partially sampled uniform: a U of endless bits, of which only
 * as many are read as a comparison needs. */
#ifndef CYDP_SAMPLERS_EXACT_COMPARISON_H
#define CYDP_SAMPLERS_EXACT_COMPARISON_H

#include "cydp.h"
#include "cydp_testing.h"

/* The precision doubles from 2 limbs to this until a comparison is decided. The upper
 * limbs of a number with CYDP_MOST_LIMBS are the same number rounded down to fewer. */
#define CYDP_MOST_LIMBS 16
typedef enum cydp_answer { CYDP_NO, CYDP_YES, CYDP_TOO_CLOSE } cydp_answer;

/* A distribution by its tails, 1 > T_1 > T_2 > ...: |X| = #{k >= 1 : U < T_k}. */
typedef struct cydp_tails cydp_tails;
struct cydp_tails {
  /* Returns whether U < T_k for all U in [u, u + ulp) of n limbs; k from 1 to 2^63 - 1.
   */
  cydp_answer (*below)(const cydp_tails *tails, size_t n, const uint64_t *u, uint64_t k);
  /* Returns a guess at |X|, at most 2^62. */
  uint64_t (*propose)(const cydp_tails *tails, size_t n, const uint64_t *u);
};

/* A partially sampled uniform: its first bits, and where the next ones are read. */
typedef struct cydp_bits {
  uint64_t prefix;
  unsigned prefix_bits; /* 8 to 63 */
  const cydp_extension *extension;
  uint32_t decision;
  uint64_t candidate;
  cydp_work *work;
  uint64_t words[CYDP_MOST_LIMBS]; /* of the extension, as far as they have been read */
  size_t levels;
} cydp_bits;

/* Sets u to the first 64 n bits of U, as n fraction limbs and a 0. */
cydp_status cydp_first_bits(cydp_bits *bits, size_t n, uint64_t *u);

/* Sets *magnitude to |X| <= 2^63 - 1 of the distribution with these tails. */
cydp_status cydp_resolve_magnitude(const cydp_tails *tails, cydp_bits *bits,
                                   uint64_t *magnitude);

/* Sets *below to whether U < bound, by a comparison that certifies its answers. */
typedef cydp_answer cydp_comparison(const void *bound, size_t n, const uint64_t *u);
cydp_status cydp_resolve_below(cydp_comparison *compare, const void *bound,
                               cydp_bits *bits, bool *below);

#endif
