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
 * cydp_chacha20_keystream. */
typedef void cydp_chacha20_kernel(const uint32_t key[8], const uint32_t nonce[3],
                                  uint32_t counter, size_t groups, uint32_t *words);

/* The constants of the logarithm kernel for one law. Derived in docs/sampling.md. */
#define CYDP_LOG_INTERVALS 8
#define CYDP_LOG_TERMS 8
typedef struct cydp_log_law {
  double base[CYDP_LOG_INTERVALS]; /* a - scale * (ln of the interval's centre) */
  double q[CYDP_LOG_TERMS];        /* -scale * the coefficients of ln(1 + r) / r */
  double step;                     /* scale * ln 2 */
  double guard;                    /* half-width of the guard band around integers */
  uint64_t tail;                   /* u below this is the far tail */
  unsigned bits;                   /* u has this many: 8..31 in 32-bit words, or 63 */
} cydp_log_law;

/* out[i] for n <= CYDP_BATCH words, and the indices of the lanes whose value is not
 * certain (their out[i] is arbitrary). Returns the number of these. */
#define CYDP_BATCH 1024
typedef size_t cydp_log_kernel(const cydp_log_law *law, const void *words, size_t n,
                               int64_t *out, uint16_t *undecided);

typedef struct cydp_kernels {
  const char *isa;
  cydp_chacha20_kernel *chacha20;
  cydp_log_kernel *log;
} cydp_kernels;

const cydp_kernels *cydp_kernels_in_use(void);

cydp_chacha20_kernel cydp_chacha20_portable;
cydp_log_kernel cydp_log_portable;

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

/* Overwrites in a way that the compiler may not leave out. */
void cydp_wipe(void *memory, size_t n);

/* Generator -----------------------------------------------------------------------------
 */

/* Who may read which bits of a key: word 0 of the nonce. Level and round are 0 unless
 * set. */
enum { CYDP_DOMAIN_PREFIX = 0, CYDP_DOMAIN_EXTENSION = 1 };
void cydp_nonce(uint32_t nonce[3], uint32_t domain, uint32_t level, uint64_t chunk);

/* Words of the generator's own stream, for a small call: between `begin` and `end` the
 * caller alone has the generator. `take` serves up to n words of the given size (4 or 8
 * bytes) out of one refill, at least one; `used` wipes them, to be called before the next
 * `take`. The extension key and the numbers of the candidates belong to that refill. */
typedef struct cydp_taken {
  void *words;
  size_t n;
  uint64_t first;         /* number of the first candidate since the refill */
  const uint32_t *extend; /* the refill's extension key */
} cydp_taken;
cydp_status cydp_rng_begin(cydp_rng *rng);
void cydp_rng_end(cydp_rng *rng);
cydp_taken cydp_rng_take(cydp_rng *rng, size_t word_bytes, size_t n);
void cydp_rng_used(cydp_rng *rng, const cydp_taken *taken);

/* Fixed point ---------------------------------------------------------------------------
 */

/* Numbers 0 <= x < 2^64 in limbs of 64 bits, least significant first: n fraction limbs
 * and then one for the integer part. Every operation rounds down; an "ulp" is 2^(-64 n).
 */
#define CYDP_FIXED_LIMBS 20
typedef uint64_t cydp_fixed[CYDP_FIXED_LIMBS];

int cydp_fixed_compare(size_t n, const uint64_t *a, const uint64_t *b);
void cydp_fixed_add(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_add_ulps(size_t n, uint64_t *a, uint64_t ulps);
void cydp_fixed_subtract(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_multiply(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_multiply_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word);
void cydp_fixed_divide_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word);
void cydp_fixed_shift_right(size_t n, uint64_t *out, const uint64_t *a, unsigned bits);

/* floor(numerator / denominator * 2^(64 n)); CYDP_ERROR_DOMAIN if the quotient is 2^64 or
 * more, CYDP_ERROR_MEMORY. The denominator's top limb is not 0. */
cydp_status cydp_fixed_divide(size_t n, uint64_t *out, const uint64_t *numerator,
                              size_t numerator_limbs, const uint64_t *denominator,
                              size_t denominator_limbs);

/* exp(-x), with n fraction limbs: true value in [out, out + 2 ulp). x has n + 1 fraction
 * limbs and stands for any value in [x, x + 2 ulp of its own). n <= 16, x < 2^11. */
void cydp_exp_negative(size_t n, uint64_t *out, const uint64_t *x);

/* Resolver ------------------------------------------------------------------------------
 */

/* The law as the resolver needs it: rational, to 1,024 bits. Upper limbs are the same
 * numbers, rounded down, to less. */
#define CYDP_MOST_LIMBS 16
typedef struct cydp_exact_law {
  cydp_fixed inverse;    /* 1 / t, with CYDP_MOST_LIMBS + 2 fraction limbs */
  cydp_fixed one_plus_p; /* 1 + exp(-1/t), within 2 ulps, CYDP_MOST_LIMBS limbs */
  double scale, offset;  /* t and a, rounded */
  double inverse_scale;  /* 1 / t, rounded */
  unsigned prefix_bits;
} cydp_exact_law;

/* The value of one candidate, from its prefix word and as much of its extension as it
 * takes. Adds to work what that cost. */
cydp_status cydp_resolve(const cydp_exact_law *law, uint64_t word,
                         const cydp_extension *extension, uint64_t candidate,
                         int64_t *out, cydp_work *work);

#endif
