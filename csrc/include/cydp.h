/* SPDX-License-Identifier: MIT
 *
 * cydp: exact noise for differential privacy, and the counts and sums it is added to.
 *
 * The whole public C API, in this order:
 *
 *   1. Status        every call that can fail returns one
 *   2. Build         the kernels in use
 *   3. ChaCha20      the keystream
 *   4. Generator     random bits from the operating system, expanded
 *   5. Samplers      what the laws have in common
 *   6. Discrete Laplace
 *   7. Discrete Gaussian
 *   8. Bernoulli
 *   9. Addition of noise
 *  10. Histogram
 *  11. Counts of codes
 *  12. Contribution bounding
 *  13. Sums on a grid
 *  14. Randomized response
 *  15. Selection
 *
 * A function that returns void cannot fail. State is passed, never global, but for the
 * kernels in use and the number of forks. The library knows scales; it knows nothing of
 * epsilon. Proofs are in docs/sampling.md, exact.md.
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

/* The kernels in use: "avx512", "avx2", "neon" or "portable". All give the same values.
 */
const char *cydp_isa(void);

/* The compiler and its version. */
const char *cydp_compiler(void);

/* The flags that it was called with, but for warnings and those of single kernels. */
const char *cydp_flags(void);

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
 * finds it wiped and keys it afresh. Where the kernel has no MADV_WIPEONFORK (before
 * Linux 4.14, gVisor, macOS), process ids and a handler of pthread_atfork tell that there
 * was a fork: there a child may not be cloned without handlers under its parent's process
 * id, and a library that holds the core may be unloaded only if the C library then drops
 * its handlers, as glibc does. */
typedef struct cydp_rng cydp_rng;

/* Keyed by the operating system. CYDP_ERROR_ENTROPY, CYDP_ERROR_MEMORY. */
cydp_status cydp_rng_new(cydp_rng **rng);

/* The same stream for the same key, in a forked child too. For tests, never for data.
 * CYDP_ERROR_MEMORY. */
cydp_status cydp_rng_new_seeded(cydp_rng **rng, const uint32_t key[8]);

/* Wipes and frees; NULL is allowed. */
void cydp_rng_free(cydp_rng *rng);

/* n uniform bytes. */
cydp_status cydp_rng_bytes(cydp_rng *rng, uint8_t *out, size_t n);

/* A fresh key: what a large call expands in place of the generator's own. */
cydp_status cydp_rng_key(cydp_rng *rng, uint32_t key[8]);

/* Uniform words, and doubles k 2^-53 in [0, 1), for consumers that know no errors: a
 * forked child whose operating system gives no random bytes aborts here. */
uint64_t cydp_rng_next64(cydp_rng *rng);
uint32_t cydp_rng_next32(cydp_rng *rng);
double cydp_rng_next_double(cydp_rng *rng);

/* 5. Samplers --------------------------------------------------------------------------
 */

/* A prepared law, made by one of the constructors of sections 6 to 8 and 14. It is
 * read-only: any number of threads may draw from it. */
typedef struct cydp_sampler cydp_sampler;

/* NULL is allowed. */
void cydp_sampler_free(cydp_sampler *sampler);

/* How much is done for candidates that their words leave undecided. The values are the
 * same. */
typedef enum cydp_effort {
  CYDP_FAST = 0,   /* what they need, which a clock can see */
  CYDP_FIXED_WORK, /* always what they might need, but for a probability of 2^-40 */
  CYDP_RESOLVE_ALL /* the fast paths decide nothing; for tests */
} cydp_effort;

/* n values from a generator: int64_t each, or bool for Bernoulli; section 14 has its own.
 * Up to CYDP_SMALL_CALL
 * of them come out of the generator's own stream; more come from a key of their own, in
 * chunks. If it fails, what stands in `out` is no sample. */
#define CYDP_SMALL_CALL 256
cydp_status cydp_sampler_fill(const cydp_sampler *sampler, cydp_rng *rng,
                              cydp_effort effort, void *out, size_t n);

/* The same values, from this thread and up to threads - 1 more, which live as long as the
 * call: worth it above some 2^19 values. */
cydp_status cydp_sampler_fill_shared(const cydp_sampler *sampler, cydp_rng *rng,
                                     cydp_effort effort, void *out, size_t n,
                                     unsigned threads);

/* The chunks that a large call consists of, for those with threads of their own: the same
 * key gives the same values. `out` is the place of the first value of chunk `first`. */
size_t cydp_sampler_chunk(const cydp_sampler *sampler); /* values in a chunk */
cydp_status cydp_sampler_fill_chunks(const cydp_sampler *sampler, const uint32_t key[8],
                                     cydp_effort effort, uint64_t first, void *out,
                                     size_t n);

/* Bits that the caller gives, for tests. Candidates lie in planes, one behind the other: all words
 * of width[0] bytes, then those of width[1], width[2]; at last, if `signs`, a bit for
 * each candidate, lowest first. A width of 0 ends the list. */
typedef struct cydp_layout {
  uint8_t width[3];
  bool signs;
} cydp_layout;
cydp_layout cydp_sampler_layout(const cydp_sampler *sampler);

/* The endless bits behind the words of n candidates, for their decision 1 or 2: 512 a
 * level and candidate, the most significant bit of words[i][0] first. Addressed, not
 * consumed: the same arguments give the same words. */
typedef struct cydp_extension {
  cydp_status (*read)(void *self, uint32_t decision, uint32_t level,
                      const uint64_t *candidates, size_t n, uint64_t (*words)[8]);
  void *self;
} cydp_extension;

/* What the draws of one call cost. */
typedef struct cydp_work {
  uint64_t candidates;
  uint64_t undecided;       /* decisions that the prefix left open */
  uint64_t looks;           /* at 64 bits, dummies included */
  uint64_t resolved;        /* runs of the resolver, dummies included */
  uint64_t second_resolved; /* those of them for decision 2 */
  uint64_t levels;          /* extension blocks read */
} cydp_work;

/* The map from bits to values under `fill`: n candidates give *values <= n values, in
 * order, the same for every effort. */
cydp_status cydp_sampler_map(const cydp_sampler *sampler, const void *planes, size_t n,
                             const cydp_extension *extension, cydp_effort effort,
                             void *out, size_t *values, cydp_work *work);

/* Rational parameters are given in limbs of 64 bits, least significant first. */

/* 6. Discrete Laplace ------------------------------------------------------------------
 */

/* P(X = k) is proportional to exp(-|k| / scale), exactly, for a scale in [1e-6, 2^56],
 * else CYDP_ERROR_DOMAIN. |X| stops at 2^63 - 1, which it reaches with probability below
 * 2^-100. prefix_bits is 0, or 8 to 31 for tests: the logarithm kernel with so few bits.
 */
cydp_status cydp_discrete_laplace_new(cydp_sampler **sampler, const uint64_t *numerator,
                                      size_t numerator_limbs, const uint64_t *denominator,
                                      size_t denominator_limbs, unsigned prefix_bits);

/* 7. Discrete Gaussian -----------------------------------------------------------------
 */

/* P(X = k) is proportional to exp(-k^2 / (2 sigma^2)), exactly, for a sigma^2 in
 * [1e-6, 2^112], given as a rational, else CYDP_ERROR_DOMAIN. */
cydp_status cydp_discrete_gaussian_new(cydp_sampler **sampler, const uint64_t *numerator,
                                       size_t numerator_limbs,
                                       const uint64_t *denominator,
                                       size_t denominator_limbs);

/* 8. Bernoulli -------------------------------------------------------------------------
 */

/* true with the probability numerator / denominator <= 1, exactly. */
cydp_status cydp_bernoulli_new(cydp_sampler **sampler, const uint64_t *numerator,
                               size_t numerator_limbs, const uint64_t *denominator,
                               size_t denominator_limbs);

/* 9. Addition of noise ---------------------------------------------------------------
 */

/* noise[i] becomes values[i] + noise[i], or the end of int64 next to that. If the noise
 * may have stopped, at 2^63 - 1, a value is clamped to 2^62 before, and the sum to
 * 2^62 - 1: whatever the noise would have been beyond lands on the same end for every
 * value. Only discrete Laplace noise of a scale above 2^52 stops. */
#define CYDP_VALUE_BOUND ((int64_t)1 << 62)
void cydp_add_noise(int64_t *noise, const int64_t *values, size_t n, bool stops);

/* out[i] becomes the multiple of 2^exponent nearest to values[i], ties to even, at most
 * 2^126 of these from 0, plus noise[i] of them; their exact sum is rounded to a double
 * once. NaN counts as 0. The noise must be within 2^62; `out` may be its memory, or that
 * of the values. CYDP_ERROR_DOMAIN unless -1021 <= exponent <= 896. */
cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                int exponent, unsigned threads, double *out);

/* 10. Histogram -------------------------------------------------------------------------
 */

typedef enum cydp_number {
  CYDP_F64,
  CYDP_F32,
  CYDP_I64,
  CYDP_I32,
  CYDP_I16,
  CYDP_I8,
  CYDP_U32,
  CYDP_U16,
  CYDP_U8
} cydp_number;

/* Bin j is [edges[j], edges[j + 1]), the last one closed on the right too; `count` bins
 * have count + 1 edges that never fall, none of them NaN. Read-only once made: any number
 * of threads may count in them. CYDP_ERROR_DOMAIN unless 1 <= count <= CYDP_MOST_BINS. */
#define CYDP_MOST_BINS ((size_t)1 << 30)
typedef struct cydp_bins cydp_bins;
cydp_status cydp_bins_new(cydp_bins **bins, const double *edges, size_t count);
cydp_status cydp_bins_new_i64(cydp_bins **bins, const int64_t *edges, size_t count);

/* NULL is allowed. */
void cydp_bins_free(cydp_bins *bins);

/* Numbers, and the bins to count them in. Those of another type are compared as doubles:
 * an int64 is rounded first. But bins of int64 edges take CYDP_I64 only, as it is. */
typedef struct cydp_axis {
  const cydp_bins *bins;
  const void *x;
  cydp_number number; /* CYDP_F64, CYDP_F32, CYDP_I64 or CYDP_I32 */
} cydp_axis;

/* Adds to `counts`, one for each cell of the columns' bins, those of the last column next
 * to each other, how many of the n rows lie in it. A row that any column has NaN or a
 * number outside for is left out. Exact comparisons with the edges decide. The input may
 * change under the call: counts are then those of some mixture of old and new values.
 * CYDP_ERROR_DOMAIN for other types, and for more than CYDP_MOST_BINS cells. */
cydp_status cydp_histogram(const cydp_axis *axes, size_t n_axes, size_t n,
                           int64_t *counts, unsigned threads);

/* 11. Counts of codes -------------------------------------------------------------------
 */

/* Adds to counts[c] how many of the n codes are c, for c < length; others are left out.
 * `largest` becomes the largest code, or UINT64_MAX if any is negative; 0 for none. The
 * input may change under the call, as in section 10. CYDP_ERROR_DOMAIN for floats, and
 * for a length of 2^32 - 2 or more. */
cydp_status cydp_bincount(const void *codes, cydp_number number, size_t n,
                          int64_t *counts, size_t length, uint64_t *largest,
                          unsigned threads);

/* 12. Contribution bounding -------------------------------------------------------------
 */

/* A column of users or groups. Rows with the same code are the same user; the name is
 * what is hashed of them, so the same code has the same name. Both may be one array. */
typedef struct cydp_column {
  const uint64_t *code, *name;
} cydp_column;

/* Strings of bytes: string i from offsets[i] to before offsets[i + 1], which never fall;
 * or, if `offsets` is NULL, of `width` bytes each, without the zeros at its end; or, if
 * `buffers` is not NULL, Arrow's views of 16 bytes each. `bytes` is never NULL. While a
 * call runs, the strings' bytes may change, but not the offsets, views or buffers, which
 * are addresses. */
typedef struct cydp_strings {
  const uint8_t *bytes;
  const int64_t *offsets;
  size_t width;
  const uint8_t *const *buffers;
} cydp_strings;

/* Codes and names of n strings: the place of the first that is equal, and a keyed hash of
 * the string alone. Strings are compared byte by byte. If their bytes change under the
 * call, a string is some mixture of old and new bytes; two that were read as the same
 * bytes have the same code and name all the same. CYDP_ERROR_MEMORY. */
cydp_status cydp_encode(const cydp_strings *strings, size_t n, const uint64_t key[2],
                        uint64_t *code, uint64_t *name);

/* Copies the entries of 1, 2, 4 or 8 bytes whose `masked` is 0, one behind the other, and
 * returns how many they are, or SIZE_MAX for another size. `to` must have room for n.
 * Both inputs may change under the call: an entry is then hidden or not. */
size_t cydp_compress(const void *from, size_t bytes, const uint8_t *masked, size_t n,
                     void *to);

/* Keys to find strings among, from 0 to 2^32 - 2. They are read as long as the table
 * lives. CYDP_ERROR_DOMAIN for equal keys and for more of them; CYDP_ERROR_MEMORY, and
 * CYDP_ERROR_ENTROPY, since the table is seeded. Any number of threads may use it. */
typedef struct cydp_keys cydp_keys;
cydp_status cydp_keys_new(cydp_keys **keys, const cydp_strings *strings, size_t n);

/* NULL is allowed. */
void cydp_keys_free(cydp_keys *keys);

/* codes[i] becomes the place of string i among the keys, or their number if it is none of
 * them, or valid[i] is 0; NULL: all are valid. A view that is not may be anything. */
cydp_status cydp_match(const cydp_keys *keys, const cydp_strings *strings,
                       const uint8_t *valid, size_t n, unsigned threads, uint32_t *codes);

/* mask[i] becomes 1 for the rows that stay, else 0: of each user at most max_groups
 * groups, of each of these groups at most max_rows rows, uniformly at random under a key
 * that is fresh and secret, by the user's own rows and their order alone. Rows whose
 * `valid` is 0 do not stay and count for nothing; NULL: all are valid. Codes may change
 * under the call: a row then counts for a user and a group that were read of it, and the
 * limits hold for these; it may be left out. Names in an array of their own, and `valid`,
 * must not change. Takes up to 256 MB, or more if a user has millions of rows: then 96 to
 * 144 bytes for each of these; and up to `threads` threads. CYDP_ERROR_DOMAIN for
 * max_groups or max_rows of 0 and for 2^40 rows or more, CYDP_ERROR_MEMORY. */
cydp_status cydp_bound_contributions(const cydp_column *users, const cydp_column *groups,
                                     const uint8_t *valid, size_t n, uint64_t max_groups,
                                     uint64_t max_rows, const uint64_t key[2],
                                     unsigned threads, uint8_t *mask);

/* 13. Sums on a grid --------------------------------------------------------------------
 */

/* A number x becomes q, the integer nearest to x / step, ties to even, and that is
 * clamped to [lowest, highest]; NaN becomes 0. The sums of q are exact: the same for
 * every order, every number of threads and all kernels. The input may change under the
 * call: a number is then the old or the new one. CYDP_ERROR_DOMAIN unless |lowest|,
 * |highest| <= 2^51, lowest <= highest, -1021 <= exponent <= 1022, or 62 for CYDP_I64,
 * and for other types than CYDP_F64, CYDP_F32, CYDP_I64, CYDP_I32. */
typedef struct cydp_grid {
  int exponent; /* step = 2^exponent */
  int64_t lowest, highest;
} cydp_grid;

/* high 2^64 + low */
typedef struct cydp_wide {
  uint64_t low;
  int64_t high;
} cydp_wide;

/* The sum of q, and that of q^2 unless `squares` is NULL; with it CYDP_ERROR_DOMAIN
 * unless |lowest|, |highest| <= 2^31. */
cydp_status cydp_grid_sum(const cydp_grid *grid, cydp_number type, const void *x,
                          size_t n, unsigned threads, cydp_wide *sum, cydp_wide *squares);

/* Adds q of each row to units[code]; codes, of integers, outside [0, groups) are left
 * out. CYDP_ERROR_DOMAIN for 2^32 - 2 groups and more, and if so many rows could carry a
 * sum beyond int64; whoever adds in several calls counts them all. */
cydp_status cydp_grid_sum_groups(const cydp_grid *grid, cydp_number codes_type,
                                 const void *codes, cydp_number type, const void *x,
                                 size_t n, unsigned threads, size_t groups,
                                 int64_t *units);

/* 14. Randomized response ---------------------------------------------------------------
 */

/* One of 0 to categories - 1: each but 0 with the probability w = numerator /
 * denominator, 0 with what is left, exactly. CYDP_ERROR_DOMAIN unless w >= 2^-900,
 * 2 <= categories <= CYDP_MOST_CATEGORIES, and categories w <= 1. Values are uint16_t for
 * up to 2^16 categories, else uint32_t. */
#define CYDP_MOST_CATEGORIES (UINT64_C(1) << 31)
cydp_status cydp_shift_new(cydp_sampler **sampler, const uint64_t *numerator,
                           size_t numerator_limbs, const uint64_t *denominator,
                           size_t denominator_limbs, uint64_t categories);

/* Bytes of a value. */
size_t cydp_sampler_value_bytes(const cydp_sampler *sampler);

/* reports[i] = (codes[i] + a shift) mod categories. A code that is no category, taken as
 * unsigned, becomes a value of `uniform`: the shift with w = 1 / categories. Codes and
 * reports, of 1, 2, 4 or 8 bytes, do not overlap. Codes may change under the call: each
 * is read once. The values are the same for every number of threads. CYDP_ERROR_DOMAIN
 * for other laws, laws of different numbers of categories, and widths that do not hold
 * them. If it fails, what stands in `reports` is no report. */
cydp_status cydp_respond(const cydp_sampler *shift, const cydp_sampler *uniform,
                         cydp_rng *rng, cydp_effort effort, const void *codes,
                         size_t code_bytes, size_t n, unsigned threads, void *reports);

/* 15. Selection -------------------------------------------------------------------------
 */

/* The law of G in a race, which the candidate with the largest c s + G wins: -ln(-ln(1 -
 * U)), so that i wins with a probability proportional to exp(c s_i); or -ln(U), as
 * permute-and-flip does. */
typedef enum cydp_race { CYDP_GUMBEL, CYDP_EXPONENTIAL } cydp_race;

/* Races at a rate c > 0, whose numerator and denominator may have 130 limbs, else
 * CYDP_ERROR_DOMAIN. Read-only once made: any number of threads may race by it. */
typedef struct cydp_selection cydp_selection;
cydp_status cydp_selection_new(cydp_selection **selection, cydp_race race,
                               const uint64_t *numerator, size_t numerator_limbs,
                               const uint64_t *denominator, size_t denominator_limbs);

/* NULL is allowed. */
void cydp_selection_free(cydp_selection *selection);

/* The place of the winner of each row of `length` >= 1 scores, exactly. Scores are
 * CYDP_F64 or CYDP_I64, read as they are, else CYDP_ERROR_DOMAIN. NaN counts as
 * -infinity, which wins only where there is nothing else; then, and among several of
 * +infinity, all of these are equal. The scores may change under the call: the places
 * stay within the row. The same places for any number of threads and every effort, of
 * which CYDP_FIXED_WORK is CYDP_FAST. If it fails, `chosen` is no sample. */
cydp_status cydp_select(const cydp_selection *selection, cydp_rng *rng,
                        cydp_effort effort, const void *scores, cydp_number number,
                        size_t rows, size_t length, unsigned threads, int64_t *chosen);

/* The winner of one row by words that the caller gives, for tests: 32 bits of U for each, and
 * behind them the extension's for decision 1. */
cydp_status cydp_select_map(const cydp_selection *selection, cydp_effort effort,
                            const void *scores, cydp_number number, size_t length,
                            const uint32_t *words, const cydp_extension *extension,
                            int64_t *chosen);

#ifdef __cplusplus
}
#endif
#endif
