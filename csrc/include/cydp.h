/* SPDX-License-Identifier: MIT
 *
 * cydp: exact noise for differential privacy, and the counts and sums it is added to.
 *
 * The whole public C API, in this order:
 *
 *   1. Status        every call that can fail returns one
 *   2. Build         the version of this header, the kernels in use
 *   3. Streams       ChaCha20 and AES-256
 *   4. Generator     random bits from the operating system, expanded
 *   5. Samplers      what all distributions have in common
 *   6. Discrete Laplace
 *   7. Discrete Gaussian
 *   8. Bernoulli
 *   9. Addition of noise
 *  10. Columns       element types, strings, key tables, masks
 *  11. Histogram
 *  12. Counts of codes
 *  13. Contribution bounding
 *  14. Sums on a grid
 *  15. Randomized response
 *  16. Report noisy max
 *  17. Quantiles
 *  18. Post-processing   of released counts
 *
 * Parameters come in one order: the object that is used; the data, its element type and
 * its length; other parameters; the generator, the work mode, the number of threads; and
 * last the outputs. `threads` is the largest number of threads to use, this one included
 * (0 counts as 1); they live as long as the call (but see cydp_prefetch_new), and the
 * results are the same for any number. An array without entries may be NULL.
 *
 * A function that returns void cannot fail. State is passed, never global, except for the
 * kernels in use, the number of forks, and a list of what draws ahead. The library knows
 * scales; it knows nothing of epsilon. docs/README.md lists the proofs. Hooks for tests are
 * in cydp_testing.h.
 *
 * Call cydp_init first. The library is static: each program, library or extension that
 * links it has a copy with kernels and a number of forks of its own, and calls cydp_init
 * itself.
 *
 * Stable: every declaration and number in this header. A change of one of them, other than
 * an addition, raises CYDP_ABI_VERSION. Not stable: the sizes and contents of types that
 * have no definition here, cydp_testing.h, and the values of seeded generators, whose
 * changes are in CHANGELOG.md.
 */
#ifndef CYDP_H
#define CYDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1. Status -------------------------------------------------------------------------- */

typedef enum cydp_status {
  CYDP_OK = 0,
  CYDP_ERROR_ENTROPY,   /* the operating system gave no random bytes */
  CYDP_ERROR_MEMORY,    /* memory ran out */
  CYDP_ERROR_DOMAIN,    /* a parameter is outside the documented range */
  CYDP_ERROR_EXHAUSTED, /* a call asked for more than 2^32 blocks of one (key, nonce) */
  CYDP_ERROR_UNDECIDED, /* 1,024 bits did not decide a sample: probability below 2^-894 */
  CYDP_ERROR_ISA,       /* CYDP_FORCE_ISA names no kernels that run on this machine */
  CYDP_ERROR_STREAM, /* CYDP_STREAM names no stream that runs here, or AES was asked for
                           and the kernels in use have none */
  CYDP_ERROR_ABI,    /* this header and the library have different ABI versions */
  CYDP_ERROR_FORKED  /* a signal handler forked during the call, and this is the child */
} cydp_status;

/* Returns one line of English for a status. */
const char *cydp_status_text(cydp_status status);

/* 2. Build --------------------------------------------------------------------------- */

/* The version of this binary interface. A new one comes with a release whose header has
 * changed what was there: then compile again. Additions keep it. In every version, the next
 * two functions, cydp_status_text and the numbers of cydp_status stay as they are. */
#define CYDP_ABI_VERSION 1

/* Returns the CYDP_ABI_VERSION that the library was compiled with. */
unsigned cydp_abi_version(void);

/* Does what cydp_init does, for callers of that ABI version. */
cydp_status cydp_init_abi(unsigned abi_version);

/* Chooses the kernels: the best that this CPU runs, or those that the environment
 * variable CYDP_FORCE_ISA names. Then chooses the stream of generators: AES if the CPU has
 * instructions for it and the kernels are not `portable`, else ChaCha20; or what
 * CYDP_STREAM names: "chacha20", "aes", or a version of AES as cydp_aes names it. Without
 * this call the portable kernels and ChaCha20 are used. Call it once, before threads start.
 * Returns CYDP_ERROR_ISA or CYDP_ERROR_STREAM if what is named does not run here; the
 * portable kernels or ChaCha20 are then in use. Returns CYDP_ERROR_ABI, and chooses nothing,
 * if this header is not of the library's version: then call nothing else but
 * cydp_abi_version and cydp_status_text. */
static inline cydp_status cydp_init(void) { return cydp_init_abi(CYDP_ABI_VERSION); }

/* Returns the kernels in use: "avx512", "avx2", "neon" or "portable". All of them compute
 * the same values. */
const char *cydp_isa(void);

/* Returns the compiler and its version. */
const char *cydp_compiler(void);

/* Returns the flags that the compiler was called with, except for warnings and the flags
 * of single kernels. */
const char *cydp_flags(void);

/* Returns whether the library was compiled for release (NDEBUG), as benchmarks demand. */
bool cydp_is_release(void);

/* 3. Streams ------------------------------------------------------------------------- */

/* What expands a generator's key: ChaCha20 (RFC 8439), or AES-256 in counter mode (FIPS
 * 197) where the CPU has instructions for it. */
typedef enum cydp_stream { CYDP_CHACHA20 = 0, CYDP_AES } cydp_stream;

/* Returns the stream that cydp_rng_new gives. */
cydp_stream cydp_default_stream(void);

/* Returns "chacha20" or "aes". */
const char *cydp_stream_name(cydp_stream stream);

/* Returns the version of AES in use: "vaes512", "vaes", "aesni" or "armv8", or "none". All
 * of them compute the same values. */
const char *cydp_aes(void);

/* 256 bits, and the stream that they are the key of. */
typedef struct cydp_key {
  uint32_t words[8];
  cydp_stream stream;
} cydp_key;

#define CYDP_GROUP_WORDS 256 /* 16 blocks of 16 words */

/* Sets words to one block of ChaCha20, in the order of the RFC. */
void cydp_chacha20_block(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                         uint32_t words[16]);

/* Sets words to `groups` groups of 16 blocks of ChaCha20, beginning with block `counter`.
 * Within a group, word w of block b stands at 16 w + b: the order in which wide registers
 * hold it. Returns CYDP_ERROR_EXHAUSTED, and writes
 * nothing, if the counter would pass 2^32. */
cydp_status cydp_chacha20_keystream(const uint32_t key[8], const uint32_t nonce[3],
                                    uint32_t counter, size_t groups, uint32_t *words);

/* 4. Generator ----------------------------------------------------------------------- */

/* A keyed stream with fast key erasure: nobody can compute earlier output from its state.
 * Any number of threads may use one generator.
 *
 * A forked child, even one made by a raw clone, finds the generator wiped and keys it
 * afresh. Where the kernel has no MADV_WIPEONFORK (Linux before 4.14, gVisor, macOS), the
 * generator notices a fork by the process id and by a handler of pthread_atfork. On such
 * a system two things are not allowed: a clone that runs no handlers and gets its
 * parent's process id, and unloading the library that holds this core, unless the C
 * library then drops its handlers, as glibc does.
 *
 * Signal handlers. A handler that interrupts a call with a generator may fork: the parent's
 * call goes on; in a child that returns from the handler the call fails with
 * CYDP_ERROR_FORKED, since its key was its parent's or is wiped, and the next call keys the
 * generator afresh. Three things stay undefined. A call with helper threads does not return
 * in such a child, which has none of them: it must exec or _exit in the handler. A handler
 * must not use a generator, or a block or prefetch, that the interrupted call uses, except in
 * such a child: it would wait for itself for ever. And what a call had written before the
 * fork, or what was drawn by a key of cydp_rng_key, is the same in both processes. */
typedef struct cydp_rng cydp_rng;

/* Makes a generator that is keyed by the operating system, of the default stream or of the
 * given one. Returns CYDP_ERROR_ENTROPY, CYDP_ERROR_MEMORY or CYDP_ERROR_STREAM if it
 * cannot. */
cydp_status cydp_rng_new(cydp_rng **rng);
cydp_status cydp_rng_new_of(cydp_stream stream, cydp_rng **rng);

/* Returns the stream of a generator. */
cydp_stream cydp_rng_stream(const cydp_rng *rng);

/* Wipes and frees a generator; NULL is allowed. */
void cydp_rng_free(cydp_rng *rng);

/* Sets out to n uniform bytes. Returns CYDP_ERROR_ENTROPY in a forked child whose
 * operating system gives no random bytes, or CYDP_ERROR_FORKED (see above); then what `out`
 * holds is not random. */
cydp_status cydp_rng_bytes(cydp_rng *rng, size_t n, uint8_t *out);

/* Sets key to a fresh key of the generator's stream, for cydp_sampler_fill_chunks. Fails as
 * cydp_rng_bytes does. */
cydp_status cydp_rng_key(cydp_rng *rng, cydp_key *key);

/* Return uniform words, and uniform doubles k 2^-53 in [0, 1), for callers that cannot
 * handle errors: these functions abort where cydp_rng_bytes fails. */
uint64_t cydp_rng_next64(cydp_rng *rng);
uint32_t cydp_rng_next32(cydp_rng *rng);
double cydp_rng_next_double(cydp_rng *rng);

/* 5. Samplers ------------------------------------------------------------------------ */

/* A prepared distribution, which functions with an output `cydp_sampler **` make. It is
 * read-only: any number of threads may draw from it. */
typedef struct cydp_sampler cydp_sampler;

/* Frees a sampler; NULL is allowed. */
void cydp_sampler_free(cydp_sampler *sampler);

/* A rational parameter: integers in limbs of 64 bits, least significant limb first. */
typedef struct cydp_rational {
  const uint64_t *numerator;
  size_t numerator_limbs;
  const uint64_t *denominator;
  size_t denominator_limbs;
} cydp_rational;

/* How much work is done for candidates that their first bits leave undecided. The values
 * are the same in each mode. */
typedef enum cydp_work_mode {
  CYDP_FAST = 0,  /* the work that they need, which a clock can see */
  CYDP_FIXED_WORK /* always the same work, except with a probability of 2^-40 */
} cydp_work_mode;

/* Returns the bytes of a value: an int64_t, an int32_t (cydp_sampler_new_int32), a bool
 * (Bernoulli), a uint16_t or a uint32_t (category offsets). */
size_t cydp_sampler_value_bytes(const cydp_sampler *sampler);

/* Sets out to n values. Up to CYDP_SMALL_CALL values come from the generator's own
 * stream; more come from a fresh key, in chunks. Several threads are worth it from about
 * 2^19 values on. Returns CYDP_ERROR_ENTROPY or CYDP_ERROR_FORKED as cydp_rng_bytes does, or
 * CYDP_ERROR_UNDECIDED; then what `out` holds is no sample. */
#define CYDP_SMALL_CALL 256
cydp_status cydp_sampler_fill(const cydp_sampler *sampler, size_t n, cydp_rng *rng,
                              cydp_work_mode work_mode, unsigned threads, void *out);

/* Returns how many values a chunk of a large call has. */
size_t cydp_sampler_chunk(const cydp_sampler *sampler);

/* Sets out to n values of a large call, from the first value of chunk `first` on, for
 * callers with threads of their own. The same key gives the same values. Fails as
 * cydp_sampler_fill does. */
cydp_status cydp_sampler_fill_chunks(const cydp_sampler *sampler, uint64_t first,
                                     size_t n, const cydp_key *key,
                                     cydp_work_mode work_mode, void *out);

/* Makes a sampler of the values of another one, which must live as long, as int32_t. |X|
 * stops at 2^31 - 1, which it reaches with probability below 2^-100. Returns
 * CYDP_ERROR_DOMAIN unless that is discrete Laplace noise of a scale up to 2^24 or
 * discrete Gaussian noise of a sigma up to 2^27, in int64_t; or CYDP_ERROR_MEMORY. */
cydp_status cydp_sampler_new_int32(const cydp_sampler *wide, cydp_sampler **sampler);

/* Values for callers that take one at a time: CYDP_BLOCK_VALUES are drawn ahead, and each
 * is wiped as it is served. Any number of threads may take values from one block. A forked
 * child never serves what its parent has drawn: it draws anew. */
#define CYDP_BLOCK_VALUES 4096
typedef struct cydp_noise_block cydp_noise_block;

/* Makes a block, in which nothing is drawn yet; the sampler and the generator must live as
 * long. Returns CYDP_ERROR_MEMORY if it cannot. */
cydp_status cydp_noise_block_new(const cydp_sampler *sampler, cydp_rng *rng,
                                 cydp_work_mode work_mode, cydp_noise_block **block);

/* Wipes and frees a block; NULL is allowed. */
void cydp_noise_block_free(cydp_noise_block *block);

/* Sets *value to the next value; a bool or an unsigned integer of fewer bytes is widened.
 * If the block is empty, it draws what cydp_sampler_fill writes for CYDP_BLOCK_VALUES
 * values; it fails as that does, and then serves nothing. */
cydp_status cydp_noise_block_next(cydp_noise_block *block, int64_t *value);

/* Wipes the values that are left, none of which is served. */
void cydp_noise_block_drop(cydp_noise_block *block);

/* Arrays for callers that do other work meanwhile, such as a training step on a GPU: while
 * the caller works, a thread draws the array that it will ask for next. This is the only
 * thread of the library that outlives a call. A fork waits until the thread has stopped,
 * and until calls of cydp_prefetch_next have ended, and wipes what was drawn ahead: parent
 * and child draw anew. So a signal handler that may interrupt such a call must not fork, and
 * a fork handler must not make one. Any number of threads may take arrays from one prefetch;
 * they wait for each other. */
typedef struct cydp_prefetch cydp_prefetch;

/* Makes a prefetch of arrays of n values, and starts to draw the first. The sampler and the
 * generator must live as long. `threads` draw each array. Arrays of up to CYDP_SMALL_CALL
 * values are drawn when they are asked for. Returns CYDP_ERROR_MEMORY if it cannot. */
cydp_status cydp_prefetch_new(const cydp_sampler *sampler, size_t n, cydp_rng *rng,
                              cydp_work_mode work_mode, unsigned threads,
                              cydp_prefetch **prefetch);

/* Stops the thread, wipes what it drew, and frees it all; NULL is allowed. */
void cydp_prefetch_free(cydp_prefetch *prefetch);

/* Sets out to the next n values, and starts to draw the following ones. The k-th call
 * writes what the k-th call of cydp_sampler_fill would, if nobody else draws from the
 * generator and nothing was dropped. If nothing is drawn ahead, since there was no thread
 * or a fork, it draws them now. Fails as cydp_sampler_fill does. */
cydp_status cydp_prefetch_next(cydp_prefetch *prefetch, void *out);

/* Stops the thread and wipes what it drew, which is never served; the memory goes back to
 * the system where it can. */
void cydp_prefetch_drop(cydp_prefetch *prefetch);

/* 6. Discrete Laplace ---------------------------------------------------------------- */

/* Makes a sampler of P(X = k) proportional to exp(-|k| / scale), exactly. |X| stops at
 * 2^63 - 1, which it reaches with probability below 2^-100. Returns CYDP_ERROR_DOMAIN
 * unless the scale is in [1e-6, 2^56], or CYDP_ERROR_MEMORY. */
cydp_status cydp_discrete_laplace_new(const cydp_rational *scale, cydp_sampler **sampler);

/* 7. Discrete Gaussian --------------------------------------------------------------- */

/* Makes a sampler of P(X = k) proportional to exp(-k^2 / (2 sigma^2)), exactly. Returns
 * CYDP_ERROR_DOMAIN unless sigma^2 is in [1e-6, 2^112], or CYDP_ERROR_MEMORY. */
cydp_status cydp_discrete_gaussian_new(const cydp_rational *sigma2,
                                       cydp_sampler **sampler);

/* 8. Bernoulli ----------------------------------------------------------------------- */

/* Makes a sampler of bools that are true with the given probability, exactly. Returns
 * CYDP_ERROR_DOMAIN unless the probability is in [0, 1], or CYDP_ERROR_MEMORY. */
cydp_status cydp_bernoulli_new(const cydp_rational *probability, cydp_sampler **sampler);

/* 9. Addition of noise --------------------------------------------------------------- */

/* Sets noise[i] to values[i] + noise[i], or to the end of int64_t next to that sum.
 * `may_saturate`: the noise may have been cut at 2^63 - 1, as only discrete Laplace noise
 * of a scale above 2^52 is. Then each value is clamped to 2^62 before, and each sum to
 * 2^62 - 1 after, so that cut noise gives the same result for every value. */
#define CYDP_VALUE_BOUND ((int64_t)1 << 62)
void cydp_add_noise(const int64_t *values, size_t n, bool may_saturate, int64_t *noise);

/* Rounds values[i] to the nearest multiple of 2^exponent, ties to even; adds noise[i]
 * times 2^exponent; and sets out[i] to the exact sum, rounded once. A value is clamped to
 * 2^126 multiples from 0, and NaN counts as 0. The noise must be within 2^62. `out` may
 * be the memory of the noise or of the values. Returns CYDP_ERROR_DOMAIN unless -1021 <=
 * exponent <= 896. */
cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                int exponent, unsigned threads, double *out);

/* Draws the n values of a sampler of int64_t that cydp_sampler_fill would draw, and adds
 * them, as cydp_add_grid_noise does, to n numbers, of which `out` may be the memory.
 * Integers are read exactly. Numbers are clamped to the larger of 2^53 and 2^113
 * multiples. Returns CYDP_ERROR_DOMAIN for another sampler or exponent, else what
 * cydp_sampler_fill does; after an error there, `out` may be zeros. */
typedef enum cydp_numbers { CYDP_DOUBLES, CYDP_SIGNED, CYDP_UNSIGNED } cydp_numbers;
cydp_status cydp_fill_grid_noise(const cydp_sampler *sampler, cydp_numbers numbers,
                                 const void *values, size_t n, int exponent,
                                 cydp_rng *rng, cydp_work_mode work_mode,
                                 unsigned threads, double *out);

/* 10. Columns ------------------------------------------------------------------------ */

/* The element type of an array. */
typedef enum cydp_dtype {
  CYDP_F64,
  CYDP_F32,
  CYDP_I64,
  CYDP_I32,
  CYDP_I16,
  CYDP_I8,
  CYDP_U32,
  CYDP_U16,
  CYDP_U8
} cydp_dtype;

/* An array of strings of bytes, in one of three forms:
 *   - `buffers` is not NULL: Arrow's views of 16 bytes each, in `bytes`;
 *   - `offsets` is not NULL: string i is bytes[offsets[i]] to before
 *     bytes[offsets[i + 1]], and the offsets never fall;
 *   - else each string has `width` bytes, and zeros at its end do not belong to it.
 * `bytes` is never NULL. While a call runs, another thread may change the strings' bytes,
 * but not offsets, views or buffers, since these are addresses. */
typedef struct cydp_strings {
  const uint8_t *bytes;
  const int64_t *offsets;
  size_t width;
  const uint8_t *const *buffers;
} cydp_strings;

/* Sets ids[i] to the index of the first string that equals string i, and hashes[i] to a
 * keyed hash of string i alone; cydp_hash_strings sets hashes alone. Bytes decide what is
 * equal. If another thread changes them meanwhile, each string is some mixture of old and
 * new bytes, and two strings that were read as the same bytes still have the same id and
 * hash. Returns CYDP_ERROR_MEMORY, or CYDP_ERROR_DOMAIN for 2^40 - 1 strings or more. */
cydp_status cydp_factorize(const cydp_strings *strings, size_t n, const uint64_t key[2],
                           uint64_t *ids, uint64_t *hashes);

cydp_status cydp_hash_strings(const cydp_strings *strings, size_t n, const uint64_t key[2],
                              unsigned threads, uint64_t *hashes);

/* A hash table of strings, the keys, to look other strings up in. Read-only once made:
 * any number of threads may use it. */
typedef struct cydp_key_table cydp_key_table;

/* Makes a table of n <= 2^32 - 2 keys, which it reads as long as it lives. Returns
 * CYDP_ERROR_DOMAIN if there are more or if two keys are equal, CYDP_ERROR_MEMORY, or
 * CYDP_ERROR_ENTROPY, since the table is seeded. */
cydp_status cydp_key_table_new(const cydp_strings *keys, size_t n,
                               cydp_key_table **table);

/* Frees a table; NULL is allowed. */
void cydp_key_table_free(cydp_key_table *table);

/* Sets codes[i] to the index of strings[i] among the keys, or to the number of keys if it
 * is not one of them or valid[i] is 0. A NULL `valid` means that all are valid. An Arrow
 * view that is not valid may hold anything. Returns CYDP_OK. */
cydp_status cydp_key_table_lookup(const cydp_key_table *table,
                                  const cydp_strings *strings, const uint8_t *valid,
                                  size_t n, unsigned threads, uint32_t *codes);

/* Sets codes[i] to places[d], or to d if `places` is NULL; d is values[i] - least modulo 2^64,
 * or `beyond` if it is more or valid[i] is 0. A NULL `valid` means that all are valid. Another
 * thread may change the values meanwhile. Returns CYDP_ERROR_DOMAIN for floats. */
cydp_status cydp_dense_lookup(const void *values, cydp_dtype dtype, uint64_t least,
                              uint32_t beyond, const uint32_t *places,
                              const uint8_t *valid, size_t n, unsigned threads,
                              uint32_t *codes);

/* Copies those of n entries of 1, 2, 4 or 8 bytes whose `masked` is 0 to `out`, which has
 * room for n, and returns how many they are. Returns SIZE_MAX for another size. If
 * another thread changes the inputs meanwhile, an entry is masked or not. */
size_t cydp_drop_masked(const void *entries, size_t entry_bytes, const uint8_t *masked,
                        size_t n, void *out);

/* 11. Histogram ---------------------------------------------------------------------- */

/* Bins for counting, prepared once. Bin j is [edges[j], edges[j + 1]), and the last one
 * is closed on the right too. Read-only once made: any number of threads may count in
 * them. */
typedef struct cydp_bins cydp_bins;

/* Make `count` bins from count + 1 edges that never fall, none of them NaN; or one for each
 * code from 0 on. Return CYDP_ERROR_DOMAIN for other edges and unless 1 <= count <=
 * CYDP_MOST_BINS, or CYDP_ERROR_MEMORY. */
#define CYDP_MOST_BINS ((size_t)1 << 30)
cydp_status cydp_bins_new(const double *edges, size_t count, cydp_bins **bins);
cydp_status cydp_bins_new_i64(const int64_t *edges, size_t count, cydp_bins **bins);
cydp_status cydp_bins_of_codes(size_t count, cydp_bins **bins);

/* Frees bins; NULL is allowed. */
void cydp_bins_free(cydp_bins *bins);

/* A column of numbers, and the bins to count them in. Bins of double edges take CYDP_F64,
 * CYDP_F32, CYDP_I64 and CYDP_I32, and compare each number as a double: an int64_t is
 * rounded first. Bins of int64_t edges take CYDP_I64 only, and compare exactly. Bins of codes
 * take integers. */
typedef struct cydp_axis {
  const cydp_bins *bins;
  const void *x;
  cydp_dtype dtype;
} cydp_axis;

/* Counts n rows: adds 1 to the entry of `counts` for the cell in which a row lies. A cell
 * is a bin of each axis; the cells of the last axis are next to each other. A row is left
 * out if any axis has NaN, or a number outside of the bins, for it. If another thread
 * changes the numbers meanwhile, the counts are those of some mixture of old and new
 * ones. Returns CYDP_ERROR_DOMAIN for another type or more than CYDP_MOST_BINS cells, or
 * CYDP_ERROR_MEMORY. */
cydp_status cydp_histogram(const cydp_axis *axes, size_t n_axes, size_t n,
                           unsigned threads, int64_t *counts);

/* Sets codes[i] to the cell of row i, which is the entry of `counts` that cydp_histogram
 * adds 1 to, or to the number of cells if it leaves the row out. No code is greater, even
 * if another thread changes the numbers meanwhile. Returns what cydp_histogram does. */
cydp_status cydp_histogram_codes(const cydp_axis *axes, size_t n_axes, size_t n,
                                 unsigned threads, uint32_t *codes);

/* 12. Counts of codes ---------------------------------------------------------------- */

/* Adds to counts[c] how many of the n codes are c, for c < n_counts; other codes are left
 * out. Sets *largest to the largest code, to UINT64_MAX if any code is negative, or to 0
 * if n is 0. If another thread changes the codes meanwhile, the counts are those of some
 * mixture of old and new ones. Returns CYDP_ERROR_DOMAIN for floats and if n_counts is
 * 2^32 - 2 or more, or CYDP_ERROR_MEMORY. */
cydp_status cydp_bincount(const void *codes, cydp_dtype dtype, size_t n, size_t n_counts,
                          unsigned threads, int64_t *counts, uint64_t *largest);

/* 13. Contribution bounding ---------------------------------------------------------- */

/* A column of users. Rows with the same id, or with the same string unless `strings` is
 * NULL, are of one user, and have one hash, by which the random choice is made. Ids and
 * hashes may be one array; of strings it is that of cydp_hash_strings, by the same key. */
typedef struct cydp_column {
  const uint64_t *ids, *hashes;
  const cydp_strings *strings;
} cydp_column;

/* The partition of each row: a code below n < 2^32. Rows with other codes do not stay or
 * count. hashes[code], or the code if that is NULL, is what the choice depends on. */
typedef struct cydp_partitions {
  const uint32_t *codes;
  const uint64_t *hashes;
  size_t n;
} cydp_partitions;

/* Bounds what a user contributes: sets mask[i] to 1 for the rows that stay, and to 0 for
 * the others. Of each user at most max_partitions partitions stay, and at most max_rows
 * rows in each of these; all rows are of one partition if `partitions` is NULL. The choice
 * is uniformly random under a key, which must be fresh and secret, and depends on the
 * user's own rows alone. `contents` has a word for what each row holds beside user and
 * partition: rows with equal words are copies, of which any may stay, and the order of rows
 * changes nothing else. Without contents (NULL) all rows of a user in a partition are
 * copies. A row whose `valid` is 0 does not stay and is not counted; NULL: all are valid.
 * `pairs`, unless it is NULL, receives a number for each user and partition that stays, the
 * same for all of its rows, whether they stay or not, and UINT32_MAX for other rows. The
 * numbers are below *n_pairs, which is at most the sum of the least of max_partitions and a
 * user's rows; which pair has which number may differ from call to call.
 *
 * Another thread may change ids, codes, contents and strings' bytes meanwhile: a row then
 * counts for a user and a partition that were read of it, or is left out. `valid`, and
 * hashes in an array of their own, must not change; if ids do, users may share numbers.
 *
 * Takes memory of 128 MB, or 16 bytes a row if that is more, and up to 150 bytes for each
 * row of the user with the most. Returns CYDP_ERROR_DOMAIN if max_partitions or max_rows is 0 and
 * for 2^32 - 1 rows or more, or CYDP_ERROR_MEMORY. */
cydp_status cydp_bound_contributions(const cydp_column *users,
                                     const cydp_partitions *partitions,
                                     const uint64_t *contents, const uint8_t *valid,
                                     size_t n, uint64_t max_partitions, uint64_t max_rows,
                                     const uint64_t key[2], unsigned threads,
                                     uint8_t *mask, uint32_t *pairs, size_t *n_pairs);

/* Sets some of the n numbers `rows` to how many valid rows a user has, once for each user;
 * the others are 0. The key decides which. Users, `valid`, memory, errors: as above. */
cydp_status cydp_count_user_rows(const cydp_column *users, const uint8_t *valid, size_t n,
                                 const uint64_t key[2], unsigned threads,
                                 uint32_t *rows);

/* 14. Sums on a grid ----------------------------------------------------------------- */

/* A grid with a step of 2^exponent. A number x becomes q, the integer nearest to x /
 * step, ties to even, clamped to [lowest, highest]; NaN becomes 0. The sums of q are
 * exact: they are the same in every order, for every number of threads and for all
 * kernels. If another thread changes a number meanwhile, the old or the new one counts.
 *
 * The functions below return CYDP_ERROR_DOMAIN unless |lowest|, |highest| <= 2^51, lowest
 * <= highest, and -1021 <= exponent <= 1022 (or 62 for CYDP_I64), and for element types
 * other than CYDP_F64, CYDP_F32, CYDP_I64 and CYDP_I32. */
typedef struct cydp_grid {
  int exponent;
  int64_t lowest, highest;
} cydp_grid;

/* An integer of 128 bits: high 2^64 + low. */
typedef struct cydp_int128 {
  uint64_t low;
  int64_t high;
} cydp_int128;

/* Sets *sum to the sum of q and, unless `squares` is NULL, *squares to the sum of q^2.
 * For squares it returns CYDP_ERROR_DOMAIN unless |lowest|, |highest| <= 2^31. */
cydp_status cydp_grid_sum(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                          size_t n, unsigned threads, cydp_int128 *sum,
                          cydp_int128 *squares);

/* Adds q of each row to sums[codes[i]]; codes, which are integers, outside of [0,
 * n_groups) are left out. Returns CYDP_ERROR_DOMAIN too if n_groups is 2^32 - 2 or more,
 * and if n rows could carry a sum beyond int64_t; a caller that adds in several calls
 * must count the rows of all of them. */
cydp_status cydp_grid_sum_groups(const cydp_grid *grid, const void *codes,
                                 cydp_dtype codes_dtype, const void *x, cydp_dtype dtype,
                                 size_t n, size_t n_groups, unsigned threads,
                                 int64_t *sums);

/* Sets units[0] and the next ones to q of each number that is not NaN, in their order, and
 * *kept to how many they are. `units` has room for n integers of CYDP_I32 or CYDP_I64.
 * Returns CYDP_ERROR_DOMAIN too if units are of another type, or of CYDP_I32 and a bound of
 * the grid does not fit. */
cydp_status cydp_grid_units(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                            size_t n, cydp_dtype units_dtype, void *units, size_t *kept);

/* Sorts n integers from lowest to highest, of CYDP_I32 or CYDP_I64, in ascending order. The
 * work depends on n and on highest - lowest alone; it pays from some thousand integers on.
 * Nobody may change them meanwhile. Returns CYDP_ERROR_DOMAIN for another element type and
 * for lowest > highest, or CYDP_ERROR_MEMORY. */
cydp_status cydp_sort_units(void *units, cydp_dtype dtype, size_t n, int64_t lowest,
                            int64_t highest);

/* 15. Randomized response ------------------------------------------------------------ */

/* Makes a sampler of category offsets, integers from 0 to categories - 1: each but 0 has
 * the probability `weight`, and 0 has the rest, exactly. Values are uint16_t for up to
 * 2^16 categories, else uint32_t. Returns CYDP_ERROR_DOMAIN unless weight >= 2^-900,
 * 2 <= categories <= CYDP_MOST_CATEGORIES and categories weight <= 1, or
 * CYDP_ERROR_MEMORY. */
#define CYDP_MOST_CATEGORIES (UINT64_C(1) << 31)
cydp_status cydp_category_offset_new(const cydp_rational *weight, uint64_t categories,
                                     cydp_sampler **sampler);

/* Sets reports[i] to (codes[i] + an offset) mod categories. A code that is no category,
 * read as unsigned, becomes a value of `uniform`, which is the sampler of offsets with
 * the weight 1 / categories. Codes and reports have `code_bytes` of 1, 2, 4 or 8 and do
 * not overlap. Another thread may change the codes meanwhile: each is read once. Returns
 * CYDP_ERROR_DOMAIN for samplers of another distribution or of different numbers of
 * categories, and for code_bytes that do not hold them. If it fails, what `reports` holds
 * is no report. */
cydp_status cydp_randomize_responses(const cydp_sampler *offset,
                                     const cydp_sampler *uniform, const void *codes,
                                     size_t code_bytes, size_t n, cydp_rng *rng,
                                     cydp_work_mode work_mode, unsigned threads,
                                     void *reports);

/* 16. Report noisy max --------------------------------------------------------------- */

/* The distribution of the noise G. The candidate with the largest rate score + G is
 * chosen. */
typedef enum cydp_noise_kind {
  CYDP_GUMBEL,     /* -ln(-ln(1 - U)): i is chosen with a probability proportional to
                    * exp(rate score_i), as the exponential mechanism does */
  CYDP_EXPONENTIAL /* -ln(U), as permute-and-flip does */
} cydp_noise_kind;

/* A prepared rate and kind of noise. Read-only once made: any number of threads may use
 * it. */
typedef struct cydp_noisy_max cydp_noisy_max;

/* Returns CYDP_ERROR_DOMAIN unless the rate is positive and its numerator and denominator
 * have at most 130 limbs, or CYDP_ERROR_MEMORY. */
cydp_status cydp_noisy_max_new(cydp_noise_kind noise, const cydp_rational *rate,
                               cydp_noisy_max **noisy_max);

/* Frees it; NULL is allowed. */
void cydp_noisy_max_free(cydp_noisy_max *noisy_max);

/* Sets chosen[i] to the index of the chosen candidate of row i, exactly; each of the rows
 * has `length` >= 1 scores. Scores are CYDP_F64 or CYDP_I64, and are read as they are.
 * NaN counts as -infinity, which is chosen only where a row has nothing else. Where that
 * is so, and among several scores of +infinity, all of these are equally likely. If
 * another thread changes the scores meanwhile, an index still lies within its row.
 * CYDP_FIXED_WORK is CYDP_FAST for this function. Returns CYDP_ERROR_DOMAIN for another
 * element type, CYDP_ERROR_ENTROPY, CYDP_ERROR_MEMORY or CYDP_ERROR_UNDECIDED; then what
 * `chosen` holds is no sample. */
cydp_status cydp_report_noisy_max(const cydp_noisy_max *noisy_max, const void *scores,
                                  cydp_dtype dtype, size_t rows, size_t length,
                                  cydp_rng *rng, cydp_work_mode work_mode,
                                  unsigned threads, int64_t *chosen);

/* 17. Quantiles ---------------------------------------------------------------------- */

/* A prepared quantile q = a / b, and a rate. Read-only once made: any number of threads may
 * use it. */
typedef struct cydp_quantile cydp_quantile;

/* Returns CYDP_ERROR_DOMAIN unless a <= b, b > 0, the rate is positive and its numerator
 * and denominator have at most 130 limbs; or CYDP_ERROR_MEMORY. */
cydp_status cydp_quantile_new(uint64_t a, uint64_t b, const cydp_rational *rate,
                              cydp_quantile **quantile);

/* Frees it; NULL is allowed. */
void cydp_quantile_free(cydp_quantile *quantile);

/* Sets chosen[g] to a unit y from lowest to highest with a probability proportional to
 * exp(-rate d(y)), exactly, d(y) = max(#{x < y} - q n, q n - #{x <= y}, 0). x_1 to x_n are
 * the units of group g: they begin at offsets[g] and end before offsets[g + 1], never
 * fall, and lie from lowest to highest. A group without units gets a uniform y. Units
 * are CYDP_I32 or CYDP_I64, and nobody may change them meanwhile. CYDP_FIXED_WORK is
 * CYDP_FAST for this function: its work does not depend on the noise, except with a
 * probability below 2^-62 for each group. Returns CYDP_ERROR_DOMAIN for another element
 * type, unless |lowest|, |highest| and highest - lowest are at most 2^62 and lowest <=
 * highest, and unless offsets never fall and no group has 2^32 units;
 * CYDP_ERROR_ENTROPY; or CYDP_ERROR_UNDECIDED: then what `chosen` holds is no sample. */
cydp_status cydp_choose_quantiles(const cydp_quantile *quantile, const void *units,
                                  cydp_dtype dtype, const int64_t *offsets, size_t groups,
                                  int64_t lowest, int64_t highest, cydp_rng *rng,
                                  cydp_work_mode work_mode, unsigned threads,
                                  int64_t *chosen);

/* As cydp_choose_quantiles, of places: a unit has 2^bits, bits <= 31, those of `base` from 0
 * on, and the k-th of the units of a group that are equal takes the one that
 * docs/mechanisms/quantile_lists.md says. Group g has a range, whose units begin at first[g],
 * end before last[g] and have places from lowest[g] to highest[g]. cuts[g] is where the places
 * of the range up to chosen[g] end. Units are base or more, and their places below 2^62; first
 * and last lie from offsets[g] to offsets[g + 1]. Neither units nor `chosen` may be `cuts`. */
cydp_status cydp_choose_quantiles_between(const cydp_quantile *quantile,
                                          const void *units, cydp_dtype dtype,
                                          const int64_t *offsets, size_t groups,
                                          int64_t base, unsigned bits,
                                          const int64_t *first, const int64_t *last,
                                          const int64_t *lowest, const int64_t *highest,
                                          cydp_rng *rng, cydp_work_mode work_mode,
                                          unsigned threads, int64_t *chosen,
                                          int64_t *cuts);

/* 18. Post-processing ---------------------------------------------------------------- */

/* Functions of released counts alone: their work depends on the counts, which are not
 * secret. There are `tables` tables of `cells` counts each, fewer than 2^63, one after the
 * other, each with a total of its own. `counts` and `out` do not overlap, and nobody may
 * change the counts meanwhile. If a call fails, what `out` holds is no table. */

/* Sets out to the closest integer tables in L2 that sum to totals[0], totals[1], ...: each
 * count less the same number, rounded down or up. Returns CYDP_ERROR_DOMAIN if a result is
 * not in int64_t, or if a table without cells has a total that is not 0. */
cydp_status cydp_project_total(const int64_t *counts, size_t tables, size_t cells,
                               const cydp_int128 *totals, int64_t *out);

/* Sets out to the closest integer tables in L2 without negative cells that sum to totals[0],
 * totals[1], ..., or, if totals is NULL, to the same totals as before: a table whose total
 * is below 0 becomes zeros. Sets *negative to the number of tables whose counts sum to less
 * than 0. Returns CYDP_ERROR_DOMAIN as above, and for a given total below 0. */
cydp_status cydp_project_nonnegative(const int64_t *counts, size_t tables, size_t cells,
                                     const cydp_int128 *totals, int64_t *out,
                                     size_t *negative);

/* Sets shares to counts over the total of their table, to within 2^-51 of each share; to
 * zeros where the total is not above 0. Returns the number of tables where that is so. */
size_t cydp_shares(const int64_t *counts, size_t tables, size_t cells, double *shares);

/* Sets out to the nearest multiples of the base, ties to even multiples. Where that is not
 * in int64_t, it is the last multiple that is; *saturated is the number of such counts.
 * Returns CYDP_ERROR_DOMAIN unless base >= 1. */
cydp_status cydp_round_counts(const int64_t *counts, size_t n, int64_t base, int64_t *out,
                              size_t *saturated);

/* Sets out to the counts, clamped to [lower, upper]. */
void cydp_clamp_counts(const int64_t *counts, size_t n, int64_t lower, int64_t upper,
                       int64_t *out);

#ifdef __cplusplus
}
#endif
#endif
