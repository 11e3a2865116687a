/* SPDX-License-Identifier: MIT
 *
 * What the source files of the core know of each other: the kernel table and the private
 * prototypes. Contracts stand here, once. */
#ifndef CYDP_INTERNAL_H
#define CYDP_INTERNAL_H

#include "cydp.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "cydp's streams are defined by little-endian words; this machine is big-endian"
#endif

/* Kernels: one table for each instruction set -------------------------------------------
 */

/* `groups` groups of 16 blocks from `counter` on, in the order of
 * cydp_chacha20_keystream. The words overlap neither key nor nonce. */
typedef void cydp_chacha20_kernel(const uint32_t key[8], const uint32_t nonce[3],
                                  uint32_t counter, size_t groups, uint32_t *words);

/* The 16 blocks of these counters, in that order. */
typedef void cydp_chacha20_blocks_kernel(const uint32_t key[8], const uint32_t nonce[3],
                                         const uint32_t counters[16],
                                         uint32_t words[CYDP_GROUP_WORDS]);

/* Kernels are straight-line code: what they do depends on no bit of the words. They say
 * of which candidates the answer is not certain, in `undecided`: bit i of it is that of
 * candidate i, bits behind the n-th are 0. */

/* The constants of the logarithm kernel for one law. Derived in docs/sampling.md. */
#define CYDP_LOG_INTERVALS 8
#define CYDP_LOG_TERMS 8
typedef struct cydp_log_law {
  double base[CYDP_LOG_INTERVALS]; /* a - scale * (ln of the interval's centre) */
  double q[CYDP_LOG_TERMS];        /* -scale * the coefficients of ln(1 + r) / r */
  /* For vectors, by the upper 3 bits of m, where 2 u + 1 = 2^E m and 1 <= m < 2: */
  double inverse[CYDP_LOG_INTERVALS]; /* c with |m c - 1| < 1/17 */
  double start[CYDP_LOG_INTERVALS];   /* y = start - E * step + r * q(r), r = m c - 1 */
  double step;                        /* scale * ln 2 */
  double guard;                       /* half-width of the guard band around integers */
  uint64_t tail;                      /* u below this is the far tail */
  unsigned bits;                      /* u has this many: 8..31 in 32-bit words, or 63 */
} cydp_log_law;

/* out[i] for n <= CYDP_BATCH words; arbitrary where undecided. */
#define CYDP_BATCH 2048
typedef void cydp_log_kernel(const cydp_log_law *law, const void *words, size_t n,
                             int64_t *out, uint8_t *undecided);

/* Thresholds floor(2^16 T_k) of a law with tails T_1 > T_2 > ..., falling; several may
 * share a cell. A law of unbounded support ends in a 0, since infinitely many lie in that
 * cell. At most CYDP_THRESHOLDS - 1 cells are not 0; those behind the last one are. */
#define CYDP_THRESHOLDS 64
typedef struct cydp_threshold_law {
  uint16_t cell[CYDP_THRESHOLDS];
  unsigned count;
} cydp_threshold_law;

/* magnitudes[i] = #{k : words[i] < cell[k]}; undecided if the word equals a cell. */
typedef void cydp_threshold_kernel(const cydp_threshold_law *law, const uint16_t *words,
                                   size_t n, uint16_t *magnitudes, uint8_t *undecided);

/* out[i] = magnitudes[i], below 2^15, or the negative where bit i of `signs` is set. */
typedef void cydp_signs_kernel(const uint16_t *magnitudes, const uint8_t *signs, size_t n,
                               int64_t *out);

/* The Gaussian split. A word holds the sign in its lowest bit and R in the next ones. */
typedef struct cydp_split_law {
  double step;    /* 2^-m: r = R step */
  double rate0;   /* 1 / (2 s0^2), at most 1/32 */
  unsigned shift; /* m, at least 1 */
  unsigned width; /* bytes of a word: 2, 4 or 8 for m <= 15, 31 or 62 */
} cydp_split_law;

/* Whether V < exp(-g), g = r (r + 2 x) rate0, x < 2^9, by the first 16 bits of V: bit i
 * of `accepted` is set or cleared for each i < n, other bits of its last byte
 * arbitrarily. */
typedef void cydp_accept_kernel(const cydp_split_law *law, const void *words,
                                const uint16_t *x, const uint16_t *v, size_t n,
                                uint8_t *accepted, uint8_t *undecided);
/* exp(-g) on [0, CYDP_ACCEPT_LIMIT], within CYDP_ACCEPT_ERROR (proved: a sixteenth); and
 * in single precision. */
#define CYDP_ACCEPT_LIMIT 1.25
#define CYDP_ACCEPT_ERROR 0x1p-20
#define CYDP_ACCEPT_TERMS 8
#define CYDP_ACCEPT_SINGLE_ERROR 0x1p-17F
#define CYDP_ACCEPT_SINGLE_TERMS 7
extern const double cydp_accept_q[CYDP_ACCEPT_TERMS];
extern const float cydp_accept_single_q[CYDP_ACCEPT_SINGLE_TERMS];

/* sign (M x + R) of the accepted candidates, but for negative zeros, in their order; and
 * how many these are. `out` has room for n, and any of that may be written. */
typedef size_t cydp_join_gaussian_kernel(const cydp_split_law *law, const void *words,
                                         const uint16_t *x, const uint8_t *accepted,
                                         size_t n, int64_t *out);

/* The same of sign (M |Q| + R), or INT64_MAX with that sign if it is larger: M = 2^shift,
 * 1 <= shift < 62, the signs in the lowest bits of `signs`, R in those of `remainders`,
 * words of `width` 4 or 8. `out` may be `quotients`. */
typedef size_t cydp_join_laplace_kernel(unsigned shift, const uint64_t *signs,
                                        unsigned width, const void *remainders,
                                        const int64_t *quotients, const uint8_t *accepted,
                                        size_t n, int64_t *out);

/* Undecided are the words of `width` 4 or 8 whose upper `bits` are all ones: fewer than
 * all of them. */
typedef void cydp_ones_kernel(unsigned width, const void *words, unsigned bits, size_t n,
                              uint8_t *undecided);

/* SipHash-2-4 of n messages of `length` words, 1 to 3: message i is words[0][i],
 * words[1][i], words[2][i]. `out` may be one of these. */
typedef void cydp_siphash_kernel(const uint64_t key[2], const uint64_t *const *words,
                                 size_t length, size_t n, uint64_t *out);

/* The sum of the integers q of n numbers, which int64 holds whatever they are; and these
 * integers. Rounding is to nearest. */
typedef int64_t cydp_grid_sum_kernel(const cydp_grid *grid, cydp_number type,
                                     const void *x, size_t n);
typedef void cydp_grid_round_kernel(const cydp_grid *grid, cydp_number type,
                                    const void *x, size_t n, int64_t *q);
static inline size_t cydp_number_bytes(cydp_number number) {
  static const uint8_t bytes[] = {
      [CYDP_F64] = 8, [CYDP_F32] = 4, [CYDP_I64] = 8, [CYDP_I32] = 4, [CYDP_I16] = 2,
      [CYDP_I8] = 1,  [CYDP_U32] = 4, [CYDP_U16] = 2, [CYDP_U8] = 1};
  return bytes[number];
}

static inline const void *cydp_row(cydp_number number, const void *x, size_t i) {
  return (const char *)x + i * cydp_number_bytes(number);
}

/* Cells on the real line: x lies in the cell trunc((x - origin) scale), clamped to
 * [0, last]; cells never fall as x grows. Each operation is rounded by itself. */
typedef struct cydp_cells {
  double origin, scale;
  double last;         /* below 2^31 */
  double lo, step, hi; /* even edges only */
  bool single;         /* even edges are rounded to float */
  bool integers;       /* keys are those of integers */
} cydp_cells;

static inline uint32_t cydp_cell(const cydp_cells *cells, double x) {
  double t = (x - cells->origin) * cells->scale;
  t = t > 0 ? t : 0; /* NaN too */
  t = t < cells->last ? t : cells->last;
  return (uint32_t)(int32_t)t;
}

/* Edge j, but for the last one. */
static inline double cydp_even_edge(const cydp_cells *cells, double j) {
  double edge = j * cells->step + cells->lo;
  return cells->single ? (double)(float)edge : edge;
}

/* slots[i] = j + (x[i] >= edge j) for the cell j of x[i]; the last cell's edge is the
 * number above hi. For n <= CYDP_SLOTS_BATCH. */
#define CYDP_SLOTS_BATCH 256
typedef void cydp_even_kernel(const cydp_cells *cells, cydp_number number, const void *x,
                              size_t n, uint32_t *slots);

/* The cell of each x[i], and its key (bins.h). */
typedef void cydp_cells_kernel(const cydp_cells *cells, cydp_number number, const void *x,
                               size_t n, uint32_t *cell, uint64_t *keys);

/* slots[i] = min(codes[i], length) + 1, a negative code being above all others; returns
 * the largest code, or UINT64_MAX if any is negative. length < 2^32 - 2. */
typedef uint64_t cydp_codes_kernel(cydp_number number, const void *codes, size_t n,
                                   uint32_t length, uint32_t *slots);

/* out[i] becomes the number nearest to values[i] on the grid of `unit`, a power of two,
 * plus noise[i] units, rounded once. NaN counts as 0; values are clamped to 2^126 units.
 * `out` may be the memory of `noise`. */
typedef void cydp_grid_noise_kernel(const double *values, const int64_t *noise, size_t n,
                                    double per_unit, double unit, double *out);

/* The constants of shifts among many categories: y = (u + 1/2) factor is U / w. */
typedef struct cydp_shift_law {
  double factor; /* 2^-bits / w */
  double last;   /* K - 1 */
  double guard;  /* half-width of the guard band around integers */
  double rate;   /* undecided, at most */
  unsigned bits; /* 32, or the upper 63 of 64-bit words */
} cydp_shift_law;
#define CYDP_SHIFT_ERROR 0x1p-46 /* 16 times what docs/sampling.md proves of y / K */

/* out[i] = max(last - floor(y), 0), a uint16_t by 32 bits, else a uint32_t, for n <=
 * CYDP_BATCH words; arbitrary where undecided. */
typedef void cydp_shift_kernel(const cydp_shift_law *law, const void *words, size_t n,
                               void *out, uint8_t *undecided);

/* reports[i] = (codes[i] + shifts[i]) mod (last + 1), which fits, for shifts in
 * [0, last]; last + 1 for codes, taken as unsigned, beyond `last`; whether there was one.
 * Codes have 1, 2, 4 or 8 bytes, shifts 2 or 4: these if `last` needs them. */
typedef bool cydp_respond_kernel(uint32_t last, unsigned code_bytes, const void *codes,
                                 unsigned shift_bytes, const void *shifts, size_t n,
                                 void *reports);

/* reports[i] = others[i] where it is beyond `last`. */
typedef void cydp_replace_kernel(uint32_t last, unsigned code_bytes, unsigned shift_bytes,
                                 const void *others, size_t n, void *reports);

/* Selection: coarse keys of candidates that race. v = ((score half - reference) rate)
 * rate_units is what a candidate is behind the best score, in units of ln 2 / 2^23, cut
 * to [CYDP_KEY_LOWEST, 0]; keys[i] = trunc(v) - the bits of the float nearest to
 * floor(words[i] / 2), an upper bound as docs/sampling.md, "Selection", has it. Returns
 * the largest. n >= 1. */
typedef struct cydp_keys_law {
  double half, rate, rate_units;
} cydp_keys_law;
#define CYDP_KEY_LOWEST (-80 * 0x1p23)
typedef int32_t cydp_race_keys_kernel(const cydp_keys_law *law, double reference,
                                      const double *scores, const uint32_t *words,
                                      size_t n, int32_t *keys);

/* The first i >= first with keys[i] >= limit, or n. */
typedef size_t cydp_race_next_kernel(const int32_t *keys, int32_t limit, size_t first,
                                     size_t n);

/* The largest of n numbers, NaN left out; -infinity for none. */
typedef double cydp_largest_kernel(const double *x, size_t n);

/* The largest of n >= 1 integers; and factor (top - x[i]), that difference below 2^64
 * rounded to the nearest. */
typedef int64_t cydp_largest_integer_kernel(const int64_t *x, size_t n);
typedef void cydp_distances_kernel(int64_t top, double factor, const int64_t *x, size_t n,
                                   double *out);

typedef struct cydp_kernels {
  const char *isa;
  cydp_chacha20_kernel *chacha20;
  cydp_chacha20_blocks_kernel *chacha20_blocks;
  cydp_log_kernel *log;
  cydp_threshold_kernel *threshold;
  cydp_signs_kernel *signs;
  cydp_accept_kernel *accept;
  cydp_join_gaussian_kernel *join_gaussian;
  cydp_join_laplace_kernel *join_laplace;
  cydp_ones_kernel *ones;
  cydp_siphash_kernel *siphash;
  cydp_grid_sum_kernel *grid_sum;
  cydp_grid_round_kernel *grid_round;
  cydp_even_kernel *even;
  cydp_cells_kernel *cells;
  cydp_codes_kernel *codes;
  cydp_grid_noise_kernel *grid_noise;
  cydp_shift_kernel *shift;
  cydp_respond_kernel *respond;
  cydp_replace_kernel *replace;
  cydp_race_keys_kernel *race_keys;
  cydp_race_next_kernel *race_next;
  cydp_largest_kernel *largest;
  cydp_largest_integer_kernel *largest_integer;
  cydp_distances_kernel *distances;
} cydp_kernels;

const cydp_kernels *cydp_kernels_in_use(void);

/* The i-th table that runs here, best first; NULL behind the last, which is "portable".
 */
const cydp_kernels *cydp_kernels_at(size_t i);

cydp_chacha20_kernel cydp_chacha20_portable, cydp_chacha20_avx2, cydp_chacha20_avx512,
    cydp_chacha20_neon;
cydp_chacha20_blocks_kernel cydp_chacha20_blocks_portable, cydp_chacha20_blocks_avx2,
    cydp_chacha20_blocks_avx512, cydp_chacha20_blocks_neon;
cydp_log_kernel cydp_log_portable, cydp_log_avx2, cydp_log_avx512;
cydp_threshold_kernel cydp_threshold_portable, cydp_threshold_avx2, cydp_threshold_avx512;
cydp_signs_kernel cydp_signs_portable, cydp_signs_avx2, cydp_signs_avx512;
cydp_accept_kernel cydp_accept_portable, cydp_accept_avx2, cydp_accept_avx512;
cydp_join_gaussian_kernel cydp_join_gaussian_portable, cydp_join_gaussian_avx2,
    cydp_join_gaussian_avx512;
cydp_join_laplace_kernel cydp_join_laplace_portable, cydp_join_laplace_avx2,
    cydp_join_laplace_avx512;
cydp_ones_kernel cydp_ones_portable, cydp_ones_avx2, cydp_ones_avx512;
cydp_siphash_kernel cydp_siphash_portable, cydp_siphash_avx2, cydp_siphash_avx512;
cydp_grid_sum_kernel cydp_grid_sum_portable, cydp_grid_sum_avx2, cydp_grid_sum_avx512;
cydp_grid_round_kernel cydp_grid_round_portable, cydp_grid_round_avx2,
    cydp_grid_round_avx512;
cydp_even_kernel cydp_even_portable, cydp_even_avx2, cydp_even_avx512;
cydp_cells_kernel cydp_cells_portable, cydp_cells_avx2, cydp_cells_avx512;
cydp_codes_kernel cydp_codes_portable, cydp_codes_avx2, cydp_codes_avx512;
cydp_grid_noise_kernel cydp_grid_noise_portable, cydp_grid_noise_avx2,
    cydp_grid_noise_avx512;
cydp_shift_kernel cydp_shift_portable, cydp_shift_avx2, cydp_shift_avx512;
cydp_respond_kernel cydp_respond_portable, cydp_respond_avx2, cydp_respond_avx512;
cydp_replace_kernel cydp_replace_portable, cydp_replace_avx2, cydp_replace_avx512;
cydp_race_keys_kernel cydp_race_keys_portable, cydp_race_keys_avx2, cydp_race_keys_avx512;
cydp_race_next_kernel cydp_race_next_portable, cydp_race_next_avx2, cydp_race_next_avx512;
cydp_largest_kernel cydp_largest_portable, cydp_largest_avx2, cydp_largest_avx512;
cydp_largest_integer_kernel cydp_largest_integer_portable, cydp_largest_integer_avx2,
    cydp_largest_integer_avx512;
cydp_distances_kernel cydp_distances_portable, cydp_distances_avx2, cydp_distances_avx512;

/* The certified logarithm: ln(z) = -ln(c_i) + ln(1 + r), r = z c_i - 1, c_i ~ 1/z. */
extern const double cydp_log_inverse[CYDP_LOG_INTERVALS]; /* c_i */
extern const double cydp_log_centre[CYDP_LOG_INTERVALS];  /* -ln c_i */
extern const double cydp_log_q[CYDP_LOG_TERMS];           /* ln(1 + r) / r */
#define CYDP_LOG_OFFSET UINT64_C(0x3fe6000000000000) /* bits of the least z, 0.6875 */
#define CYDP_LOG_ERROR 0x1p-40 /* 16 times what docs/sampling.md proves of y / scale */

/* Operating system ----------------------------------------------------------------------
 */

/* n bytes from the operating system's generator, or CYDP_ERROR_ENTROPY. */
cydp_status cydp_entropy(void *out, size_t n);

/* Where a forked child's memory is not wiped: makes `cydp_process` differ in every child,
 * from now on. CYDP_ERROR_MEMORY. */
cydp_status cydp_watch_forks(void);

/* Not 0; no other in this process, and none of an ancestor's. A child that was cloned
 * without fork handlers differs only if its process id does. */
uint64_t cydp_process(void);

/* Overwrites in a way that the compiler may not leave out. */
void cydp_wipe(void *memory, size_t n);

/* Memory, in huge pages where there are any; NULL if it ran out. For free(). */
void *cydp_large_allocate(size_t bytes);

/* Contribution bounding -----------------------------------------------------------------
 */

/* cydp_bound_contributions with records of so many rows at a time, or more if one part
 * has them: for tests. The mask is the same. */
cydp_status cydp_bound_slices(const cydp_column *users, const cydp_column *groups,
                              const uint8_t *valid, size_t n, uint64_t max_groups,
                              uint64_t max_rows, const uint64_t key[2], unsigned threads,
                              size_t slice_rows, uint8_t *mask);

/* Generator -----------------------------------------------------------------------------
 */

/* Who may read which bits of a key: word 0 of the nonce. Level and round are 0 unless
 * set. */
enum { CYDP_DOMAIN_PREFIX = 0 }; /* 1 and 2: extensions of decision 1 and 2 */
void cydp_nonce(uint32_t nonce[3], uint32_t domain, uint32_t level, uint32_t round,
                uint64_t chunk);

/* Bytes of the generator's own stream, for a small call: between `begin` and `end` the
 * caller alone has the generator. `left` says how many the refill still holds; `take`
 * serves that many or fewer for so many candidates, at a multiple of 8; `used` wipes
 * them, before the next `take`. The extension key and the numbers of the candidates
 * belong to that refill. */
typedef struct cydp_taken {
  void *bytes;
  size_t n;               /* bytes */
  uint64_t first;         /* number of the first candidate since the refill */
  const uint32_t *extend; /* the refill's extension key */
} cydp_taken;
cydp_status cydp_rng_begin(cydp_rng *rng);
void cydp_rng_end(cydp_rng *rng);
void cydp_rng_refill(cydp_rng *rng);
size_t cydp_rng_left(cydp_rng *rng);
cydp_taken cydp_rng_take(cydp_rng *rng, size_t bytes, size_t candidates);
void cydp_rng_used(const cydp_taken *taken);

/* Threads -------------------------------------------------------------------------------
 */

/* Calls task(self, i) once for each i < count, in any order, on this thread and up to
 * threads - 1 more (1,023 at most), which are gone when it returns. A status other than
 * CYDP_OK ends it early and is returned. Where the system gives no thread, fewer do all
 * the work. Helpers take no signals. */
typedef cydp_status cydp_task(void *self, size_t i);
cydp_status cydp_share(cydp_task *task, void *self, size_t count, unsigned threads);

/* Fixed point ---------------------------------------------------------------------------
 */

/* Numbers 0 <= x < 2^64 in limbs of 64 bits, least significant first: n fraction limbs
 * and then one for the integer part. Every operation rounds down; an "ulp" is 2^(-64 n).
 */
#define CYDP_FIXED_LIMBS 24
typedef uint64_t cydp_fixed[CYDP_FIXED_LIMBS];

int cydp_fixed_compare(size_t n, const uint64_t *a, const uint64_t *b);
void cydp_fixed_add(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_add_ulps(size_t n, uint64_t *a, uint64_t ulps);
void cydp_fixed_subtract(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_multiply(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_multiply_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word);
void cydp_fixed_divide_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word);
void cydp_fixed_shift_right(size_t n, uint64_t *out, const uint64_t *a, unsigned bits);

/* floor(numerator / denominator * 2^(64 n)), and whether that is the quotient exactly;
 * CYDP_ERROR_DOMAIN if it is 2^64 or more, CYDP_ERROR_MEMORY. The denominator's top limb
 * is not 0. */
cydp_status cydp_fixed_divide(size_t n, uint64_t *out, const uint64_t *numerator,
                              size_t numerator_limbs, const uint64_t *denominator,
                              size_t denominator_limbs, bool *exact);

/* Without the zeros at the upper end. */
size_t cydp_significant_limbs(const uint64_t *limbs, size_t n);

/* exp(-x), with n fraction limbs: true value in [out, out + 2 ulp). x has n + 1 fraction
 * limbs and stands for any value in [x, x + 2 ulp of its own). n <= 17, x < 2^11. */
void cydp_exp_negative(size_t n, uint64_t *out, const uint64_t *x);

/* Resolver ------------------------------------------------------------------------------
 */

/* Precision doubles from 2 limbs to this until a comparison is decided. A number kept to
 * so many limbs is, without its lower ones, the same number rounded down to fewer. */
#define CYDP_MOST_LIMBS 16
typedef enum cydp_answer { CYDP_NO, CYDP_YES, CYDP_TOO_CLOSE } cydp_answer;

/* A law by its tails, 1 > T_1 > T_2 > ...: |X| = #{k >= 1 : U < T_k}. */
typedef struct cydp_tails cydp_tails;
struct cydp_tails {
  /* Whether U < T_k for all U in [u, u + ulp) of n limbs; k from 1 to 2^63 - 1. */
  cydp_answer (*below)(const cydp_tails *tails, size_t n, const uint64_t *u, uint64_t k);
  /* A guess at |X|, at most 2^62. */
  uint64_t (*propose)(const cydp_tails *tails, size_t n, const uint64_t *u);
};

/* An endless stream of bits: the first of them, and where the rest is read. */
typedef struct cydp_bits {
  uint64_t prefix;
  unsigned prefix_bits; /* 8 to 63 */
  const cydp_extension *extension;
  uint32_t decision;
  uint64_t candidate;
  cydp_work *work;
  uint64_t words[CYDP_MOST_LIMBS]; /* of the extension, as far as it has been read */
  size_t levels;
} cydp_bits;

/* The first 64 n bits of U, as n fraction limbs and a 0. */
cydp_status cydp_first_bits(cydp_bits *bits, size_t n, uint64_t *u);

/* |X|, at most 2^63 - 1, of the law with these tails. */
cydp_status cydp_resolve_magnitude(const cydp_tails *tails, cydp_bits *bits,
                                   uint64_t *magnitude);

/* Whether U < bound, by a comparison that certifies its answers. */
typedef cydp_answer cydp_comparison(const void *bound, size_t n, const uint64_t *u);
cydp_status cydp_resolve_below(cydp_comparison *compare, const void *bound,
                               cydp_bits *bits, bool *below);

/* U < exp(-x), for an x in [x, x + 2 ulps) of n + 1 limbs. */
cydp_answer cydp_below_exponential(size_t n, const uint64_t *u, const uint64_t *x);

/* Tails of exponential laws: T_k = 2 p^k / (1 + p), or p^k if `one_sided`; p = exp(-1/t).
 */
typedef struct cydp_exponential_tails {
  cydp_tails tails;
  bool one_sided;
  cydp_fixed inverse;    /* 1 / t, with CYDP_MOST_LIMBS + 2 fraction limbs */
  cydp_fixed one_plus_p; /* 1 + p, within 2 ulps, CYDP_MOST_LIMBS limbs */
  double scale, offset;  /* t, and a = t ln(2 / (1 + p)) or 0, rounded */
  double inverse_scale;  /* 1 / t, rounded */
} cydp_exponential_tails;

/* From 1 / t with CYDP_MOST_LIMBS + 2 fraction limbs, rounded down. */
void cydp_exponential_tails_set(cydp_exponential_tails *tails, const uint64_t *inverse,
                                bool one_sided);

/* Tails of Gaussian laws, rho(j) = exp(-j^2 / (2 s^2)), 1e-3 <= s < 8: T_k = 2 S_k / (1 +
 * 2 S_1) for S_k = rho(k) + rho(k + 1) + ..., or S_k / (1 + S_1) if `one_sided`. */
#define CYDP_GAUSSIAN_LIMBS 4   /* what undecided candidates nearly always need */
#define CYDP_GAUSSIAN_TERMS 176 /* rho(j) above 2^-320, and zeros */
typedef struct cydp_gaussian_tails {
  cydp_tails tails;
  bool one_sided;
  cydp_fixed
      rate; /* 1 / (2 s^2), with CYDP_MOST_LIMBS + 2 fraction limbs, rounded down */
  uint64_t sums[CYDP_GAUSSIAN_TERMS][CYDP_GAUSSIAN_LIMBS + 1]; /* Z T_k, within 2 ulps */
  double rounded[CYDP_GAUSSIAN_TERMS];                         /* T_k */
} cydp_gaussian_tails;
void cydp_gaussian_tails_set(cydp_gaussian_tails *tails, const uint64_t *rate,
                             bool one_sided);

/* Samplers
 * ------------------------------------------------------------------------------- */

/* Up to CYDP_BATCH candidates and where their further bits are. */
typedef struct cydp_batch {
  const void *plane[3];
  const uint8_t *signs;
  size_t n;
  const cydp_extension *extension;
  uint64_t first;
  cydp_effort effort;
  cydp_work *work;
} cydp_batch;

/* What every law begins with. */
struct cydp_sampler {
  cydp_status (*map)(const cydp_sampler *sampler, const cydp_batch *batch, void *out,
                     size_t *values);
  cydp_layout layout;
  size_t value_bytes;
  size_t chunk;       /* values; a constant of the stream, as is the next */
  size_t spare;       /* candidates drawn beyond the values wanted, in 1/1024 of these */
  double resolved[2]; /* the resolver takes at most this share of decisions 1 and 2 */
  /* Runs it for decision 1 or 2 of a candidate of which nobody asks; its like costs as
   * much as any other. */
  cydp_status (*resolve_unused)(const cydp_sampler *sampler, cydp_bits *bits);
};

/* Aligned to 64 bytes and zeroed; NULL if memory ran out. Freed by cydp_sampler_free. */
void *cydp_sampler_allocate(size_t bytes);

/* The categories of a law of cydp_shift_new, 0 of any other. */
uint64_t cydp_shift_categories(const cydp_sampler *sampler);

/* Decisions
 * ------------------------------------------------------------------------------ */

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

/* What fixed work makes room for, given how many of independent events are expected: n
 * more than which happen with a probability of at most mean^(n + 1) / (n + 1)!, which is
 * CYDP_OVERFLOW or less, unless n is CYDP_SLOTS. */
#define CYDP_OVERFLOW 0x1p-48
size_t cydp_slots(double mean);

/* About the U that begins with these 64 bits, within 2^-63 and an ulp. As a signed
 * number, which compilers convert without a branch. */
static inline double cydp_middle(uint64_t u) {
  return ((double)(int64_t)(u >> 1) + 0.5) * 0x1p-63;
}

/* Magnitudes by 16-bit thresholds. The second look is at the logarithm, or NULL, or the
 * rounded T_k. */
typedef struct cydp_threshold_route {
  const cydp_tails *tails;
  const double *rounded; /* T_k within CYDP_TAIL_ERROR of itself */
  size_t terms;
  const cydp_log_law *wide;
  double rate;
  cydp_threshold_law law;
} cydp_threshold_route;
#define CYDP_TAIL_ERROR 0x1p-40 /* 16 times what docs/sampling.md proves, and more */
#define CYDP_LEAST_TAIL 0x1p-60
void cydp_threshold_route_set(cydp_threshold_route *route, const cydp_tails *tails,
                              const double *rounded, size_t terms);
cydp_status cydp_threshold_magnitudes(const cydp_threshold_route *route,
                                      const cydp_batch *batch, const uint16_t *words,
                                      uint16_t *magnitudes);
/* With what probability the rounded T_k leave a candidate to the resolver, at most. */
double cydp_threshold_resolved(const cydp_threshold_route *route);

/* Magnitudes with a sign by the logarithm kernel. The second look at narrow words is the
 * same kernel, at 63 bits. */
typedef struct cydp_log_route {
  const cydp_exponential_tails *tails;
  cydp_log_law law, wide;
  bool certain;          /* false: the guard band fills everything */
  double rate, resolved; /* undecided by `law` and by `wide`, at most */
} cydp_log_route;
void cydp_log_route_set(cydp_log_route *route, const cydp_exponential_tails *tails,
                        unsigned bits);
cydp_status cydp_log_values(const cydp_log_route *route, const cydp_batch *batch,
                            const void *words, int64_t *out);
/* `look` of a decision whose answers are magnitudes. */
uint64_t cydp_log_look(const cydp_log_law *wide, size_t n, const uint64_t *u,
                       uint64_t *answers);

/* The second look at V < exp(-g), 0 <= g: which of yes, no and not certain. exp(-g) is
 * within CYDP_TAIL_ERROR / 16 for g <= 4; beyond that nothing is certain. */
cydp_answer cydp_look_below_exponential(uint64_t v, double g);

#endif
