/* SPDX-License-Identifier: MIT
 *
 * cydp: exact noise for differential privacy, and the counts it is added to.
 *
 * The whole public C API, in this order:
 *
 *   1. Status        every call that can fail returns one
 *   2. Build         the kernels in use
 *   3. ChaCha20      the keystream
 *   4. Generator     random bits from the operating system, expanded
 *   5. Discrete Laplace
 *   6. Saturating addition
 *   7. Histogram
 *
 * A function that returns void cannot fail. State is passed, never global. The library
 * knows scales; it knows nothing of epsilon. Proofs are in docs/sampling.md.
 */
#ifndef CYDP_H
#define CYDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1. Status ----------------------------------------------------------------------------
 */

typedef enum cydp_status {
  CYDP_OK = 0,
  CYDP_ERROR_ENTROPY,   /* the operating system gave no random bytes */
  CYDP_ERROR_MEMORY,    /* memory ran out */
  CYDP_ERROR_DOMAIN,    /* a parameter is outside the documented range */
  CYDP_ERROR_EXHAUSTED, /* more than 2^32 blocks asked of one (key, nonce) */
  CYDP_ERROR_UNDECIDED, /* 1,024 bits did not decide a sample: probability below 2^-900 */
  CYDP_ERROR_ISA        /* CYDP_FORCE_ISA names no kernels that run here */
} cydp_status;

/* One line of English for a status. */
const char *cydp_status_text(cydp_status status);

/* 2. Build -----------------------------------------------------------------------------
 */

/* Chooses the kernels: the best this CPU runs, or those that the environment variable
 * CYDP_FORCE_ISA names. Without this call the portable kernels serve. Call it once,
 * before threads start. CYDP_ERROR_ISA leaves the portable kernels in place. */
cydp_status cydp_init(void);

/* The kernels in use: "portable". */
const char *cydp_isa(void);

/* The compiler and its version. */
const char *cydp_compiler(void);

/* True if the library was compiled for release (NDEBUG), as benchmarks demand. */
bool cydp_is_release(void);

/* 3. ChaCha20 (RFC 8439) ---------------------------------------------------------------
 */

#define CYDP_GROUP_WORDS 256 /* 16 blocks of 16 words */

/* One block in the order of the RFC, as sixteen words. */
void cydp_chacha20_block(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                         uint32_t words[16]);

/* Groups of 16 blocks, from block `counter` on. Within a group word w of block b stands
 * at 16 w + b: the order in which wide registers hold it, and the order of every stream
 * here. Fails only with CYDP_ERROR_EXHAUSTED, writing nothing. */
cydp_status cydp_chacha20_keystream(const uint32_t key[8], const uint32_t nonce[3],
                                    uint32_t counter, size_t groups, uint32_t *words);

/* 4. Generator -------------------------------------------------------------------------
 */

/* A keyed ChaCha20 stream with fast key erasure: what was served cannot be computed again
 * from the state. Any number of threads may use one. A forked child, raw clone included,
 * finds it wiped and keys it afresh. */
typedef struct cydp_rng cydp_rng;

/* Keyed by the operating system. */
cydp_status cydp_rng_new(cydp_rng **rng);

/* The same stream for the same key, in a forked child too. For tests, never for data. */
cydp_status cydp_rng_new_seeded(cydp_rng **rng, const uint32_t key[8]);

/* Wipes and frees; NULL is allowed. */
void cydp_rng_free(cydp_rng *rng);

/* n uniform bytes. */
cydp_status cydp_rng_bytes(cydp_rng *rng, uint8_t *out, size_t n);

/* A fresh key: what a large call expands in place of the generator's own. */
cydp_status cydp_rng_key(cydp_rng *rng, uint32_t key[8]);

/* 5. Discrete Laplace ------------------------------------------------------------------
 */

/* P(X = k) is proportional to exp(-|k| / scale), exactly. |X| stops at 2^63 - 1, which it
 * reaches with probability below 2^-100. */
typedef struct cydp_discrete_laplace cydp_discrete_laplace;

/* What the draws of one call cost. */
typedef struct cydp_work {
  uint64_t words;     /* prefix words read: one a candidate */
  uint64_t undecided; /* candidates that the resolver finished */
  uint64_t levels;    /* extension blocks that the resolver read */
} cydp_work;

/* The endless bits of a candidate behind its prefix word, 512 a level, most significant
 * bit of words[0] first. Addressed, not consumed: the same arguments give the same words.
 */
typedef struct cydp_extension {
  cydp_status (*read)(void *self, uint32_t level, uint64_t candidate, uint64_t words[8]);
  void *self;
} cydp_extension;

/* Prepares the law of scale numerator / denominator, each in limbs of 64 bits, least
 * significant first; the scale must lie in [1e-6, 2^56], else CYDP_ERROR_DOMAIN.
 * prefix_bits is 0, for the width that suits the scale, or 8 to 31 for tests. The law is
 * read-only afterwards: any number of threads may draw from it. */
cydp_status cydp_discrete_laplace_new(cydp_discrete_laplace **law,
                                      const uint64_t *numerator, size_t numerator_limbs,
                                      const uint64_t *denominator,
                                      size_t denominator_limbs, unsigned prefix_bits);
void cydp_discrete_laplace_free(cydp_discrete_laplace *law);

/* Magnitude bits in a prefix word, beside the sign in its lowest bit. Words are of 32
 * bits if this is at most 31, else of 64. */
unsigned cydp_discrete_laplace_prefix_bits(const cydp_discrete_laplace *law);

/* n samples from a generator. Up to CYDP_SMALL_CALL of them come out of the generator's
 * own stream; more come from a key of their own, in chunks that threads could share. */
#define CYDP_SMALL_CALL 256
cydp_status cydp_discrete_laplace_fill(const cydp_discrete_laplace *law, cydp_rng *rng,
                                       int64_t *out, size_t n);

/* The map from bits to values under `fill`: candidate first + i has prefix words[i]. With
 * resolve_all the fast path decides nothing; the values are the same. work may be NULL.
 */
cydp_status cydp_discrete_laplace_map(const cydp_discrete_laplace *law, const void *words,
                                      size_t n, const cydp_extension *extension,
                                      uint64_t first, bool resolve_all, int64_t *out,
                                      cydp_work *work);

/* 6. Saturating addition ---------------------------------------------------------------
 */

/* values[i] becomes clamp(clamp(values[i], 2^62) + noise[i], 2^62 - 1), where clamp(x, b)
 * is the nearest integer in [-b, b]. Private although the noise stops at 2^63 - 1:
 * whatever it would have been beyond lands on the same end for every value. */
#define CYDP_VALUE_BOUND ((int64_t)1 << 62)
void cydp_add_noise(int64_t *values, const int64_t *noise, size_t n);

/* 7. Histogram -------------------------------------------------------------------------
 */

/* Adds to counts[j] the number of x in [edges[j], edges[j + 1]), the last bin closed on
 * the right; edges has bins + 1 entries that never fall, none of them NaN. NaN and what
 * lies outside are left out. Exact comparisons with the edges decide. The input may
 * change under the call: counts are then those of some mixture of old and new values.
 * CYDP_ERROR_DOMAIN for no bins. */
cydp_status cydp_histogram_edges_f64(const double *x, size_t n, const double *edges,
                                     size_t bins, int64_t *counts);
cydp_status cydp_histogram_edges_i64(const int64_t *x, size_t n, const int64_t *edges,
                                     size_t bins, int64_t *counts);

/* The same counts, faster, for finite edges from lo to hi in near-equal steps:
 * |edges[j] - (lo + j width)| < width / 8 for the real width (hi - lo) / bins. Other
 * edges give wrong counts, nothing worse. Integers are rounded to double first.
 * CYDP_ERROR_DOMAIN unless 1 <= bins <= 2^32 and 2^-900 <= hi - lo <= 2^1000. */
cydp_status cydp_histogram_equal_f64(const double *x, size_t n, const double *edges,
                                     size_t bins, int64_t *counts);
cydp_status cydp_histogram_equal_i64(const int64_t *x, size_t n, const double *edges,
                                     size_t bins, int64_t *counts);

#ifdef __cplusplus
}
#endif
#endif
