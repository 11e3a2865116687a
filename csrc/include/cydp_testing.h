/* SPDX-License-Identifier: MIT
 *
 * cydp_testing: hooks for tests of cydp, and of what is built on it. NEVER FOR DATA.
 *
 * What is drawn through these functions is not private: anyone who knows the seed or the
 * bits can subtract the noise. This header is no part of the API, and any release may
 * change it. The core itself includes it for its types (layouts, extensions, work).
 */
#ifndef CYDP_TESTING_H
#define CYDP_TESTING_H

#include "cydp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seeded generators ------------------------------------------------------------------ */

/* Makes a generator that gives the same values for the same key and stream, in a forked
 * child too. Returns CYDP_ERROR_MEMORY or CYDP_ERROR_STREAM if it cannot. */
cydp_status cydp_rng_new_seeded(const cydp_key *key, cydp_rng **rng);

/* AES-256 ---------------------------------------------------------------------------- */

/* Sets words to `groups` groups of 64 blocks of AES-256 in counter mode, from block
 * `counter` on, by the i-th version that runs here, and returns that version's name; or
 * returns NULL if there are no more. The counter block is the nonce and the counter, most
 * significant byte first. */
const char *cydp_aes256_keystream(size_t i, const uint32_t key[8],
                                  const uint32_t nonce[3], uint32_t counter,
                                  size_t groups, uint32_t *words);

/* Exact comparisons for everything --------------------------------------------------- */

/* The work mode in which the fast paths decide nothing: exact comparisons decide each
 * candidate. The values are the same. */
#define CYDP_RESOLVE_ALL ((cydp_work_mode)2)

/* Makes a sampler of discrete Laplace noise whose inverse CDF kernel takes `prefix_bits`
 * bits, so that many more candidates are undecided; 0 means as many as
 * cydp_discrete_laplace_new takes. The values are those of the distribution all the same.
 * Returns CYDP_ERROR_DOMAIN unless prefix_bits is 0 or 8 to 31, and what
 * cydp_discrete_laplace_new returns. */
cydp_status cydp_discrete_laplace_new_prefix(const cydp_rational *scale,
                                             unsigned prefix_bits,
                                             cydp_sampler **sampler);

/* Maps from given bits to values ----------------------------------------------------- */

/* The bits of n candidates lie in planes, one behind the other: all words of width[0]
 * bytes, then those of width[1] and width[2], and last, if `signs`, a bit for each
 * candidate, lowest bit first. A width of 0 ends the list. */
typedef struct cydp_layout {
  uint8_t width[3];
  bool signs;
} cydp_layout;
cydp_layout cydp_sampler_layout(const cydp_sampler *sampler);

/* Where the endless bits behind the words of candidates are read, for their decision 1 or
 * 2. A level has 512 bits for each candidate; the most significant bit of words[i][0] is
 * the first. The bits are addressed, not consumed: the same arguments give the same
 * words. */
typedef struct cydp_extension {
  cydp_status (*read)(void *self, uint32_t decision, uint32_t level,
                      const uint64_t *candidates, size_t n, uint64_t (*words)[8]);
  void *self;
} cydp_extension;

/* The work that one call did. */
typedef struct cydp_work {
  uint64_t candidates;
  uint64_t undecided;       /* decisions that the prefix left open */
  uint64_t looks;           /* second looks, at 64 bits, dummies included */
  uint64_t resolved;        /* exact comparisons, dummies included */
  uint64_t second_resolved; /* those of them for decision 2 */
  uint64_t levels;          /* levels of extensions that were read */
} cydp_work;

/* Maps the bits of n candidates to *values <= n values, in their order: the map that
 * cydp_sampler_fill applies to its keystream. */
cydp_status cydp_sampler_map(const cydp_sampler *sampler, const void *planes, size_t n,
                             const cydp_extension *extension, cydp_work_mode work_mode,
                             void *out, size_t *values, cydp_work *work);

/* Chooses from one row of scores by given words, 32 bits of U for each candidate; behind
 * them lie the extension's bits for decision 1. */
cydp_status cydp_noisy_max_map(const cydp_noisy_max *noisy_max, const void *scores,
                               cydp_dtype dtype, size_t length, const uint32_t *words,
                               const cydp_extension *extension, cydp_work_mode work_mode,
                               int64_t *chosen);

/* Chooses the quantile of n sorted units by 12 given words: the first 192 bits of U, which
 * chooses a gap, and then of V, which chooses a unit in it. Each pair of words is a number of
 * 64 bits, lower half first. Behind them lie the extension's bits for decision 1 and 2.
 * CYDP_RESOLVE_ALL begins with 384 bits. */
cydp_status cydp_quantile_map(const cydp_quantile *quantile, const void *units,
                              cydp_dtype dtype, size_t n, int64_t lowest, int64_t highest,
                              const uint32_t *words, const cydp_extension *extension,
                              cydp_work_mode work_mode, int64_t *chosen);

/* Reads integers as cydp_fill_grid_noise does: sets near[i] to a double, and adds multiples
 * of 2^exponent to multiples[i], which together are the integer on the grid once the double is
 * rounded to it. */
void cydp_split_integers(const uint64_t *values, bool is_signed, size_t n, int exponent,
                         double *near, int64_t *multiples);

#ifdef __cplusplus
}
#endif
#endif
