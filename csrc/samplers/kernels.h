/* SPDX-License-Identifier: MIT
 *
 * The samplers' kernels, and the constants that they take for one distribution.
 *
 * Kernels are straight-line code: what they do depends on no bit of the words. They set
 * bit i of `undecided` if the answer for candidate i is not certain; bits behind the n-th
 * are 0. */
#ifndef CYDP_SAMPLERS_KERNELS_H
#define CYDP_SAMPLERS_KERNELS_H

#include "base/isa.h"

/* The constants of the inverse CDF kernel, y = a - scale ln U, for one distribution.
 * docs/samplers/inverse_cdf.md derives them. */
#define CYDP_LOG_INTERVALS 8
#define CYDP_LOG_TERMS 8
#define CYDP_LOG_NARROW_TERMS 5

/* The vectors' constants in single precision, for 31 bits and scales up to 2^10. Each of
 * `start` - 1/2 and `step` is a whole number and a part of at most 1/2, so that rounding
 * sees small numbers only. */
typedef struct cydp_inverse_cdf_single {
  float inverse[CYDP_LOG_INTERVALS];
  float start_whole[CYDP_LOG_INTERVALS], start_part[CYDP_LOG_INTERVALS];
  float q[CYDP_LOG_NARROW_TERMS];
  float step_whole, step_part;
  float decided; /* 1/2 - guard: certain if y - 1/2 is closer to an integer */
  float tail;
  bool usable;
} cydp_inverse_cdf_single;

typedef struct cydp_inverse_cdf_constants {
  double base[CYDP_LOG_INTERVALS]; /* a - scale * (ln of the interval's centre) */
  double q[CYDP_LOG_TERMS];        /* -scale * the coefficients of ln(1 + r) / r */
  /* For vectors, by the upper 3 bits of m, where 2 u + 1 = 2^E m and 1 <= m < 2: */
  double inverse[CYDP_LOG_INTERVALS]; /* c with |m c - 1| < 1/17 */
  double start[CYDP_LOG_INTERVALS];   /* y = start - E * step + r * q(r), r = m c - 1 */
  double step;                        /* scale * ln 2 */
  double guard;                       /* half-width of the guard band around integers */
  uint64_t tail;                      /* u below this is the far tail */
  unsigned bits;                      /* of u: 8 to 31 in words of 32 bits, or 63 */
  cydp_inverse_cdf_single single;
} cydp_inverse_cdf_constants;

/* Sets out[i] to the value of word i for n <= CYDP_BATCH words; where that is undecided,
 * to anything. `inverse_cdf` takes words of 64 bits, `inverse_cdf_narrow` of 32. */
#define CYDP_BATCH 2048
typedef void cydp_inverse_cdf_kernel(const cydp_inverse_cdf_constants *constants,
                                     const void *words, size_t n, int64_t *out,
                                     uint8_t *undecided);
typedef cydp_inverse_cdf_kernel cydp_inverse_cdf_narrow_kernel;

/* A CDF table: floor(2^16 T_k) for a distribution with tails T_1 > T_2 > ..., so that
 * entries never rise; several may be equal. The table of a distribution of unbounded
 * support ends in a 0, since infinitely many tails lie there. At most CYDP_CDF_ENTRIES -
 * 1 entries are not 0; those behind the last one are. */
#define CYDP_CDF_ENTRIES 64
typedef struct cydp_cdf_table {
  uint16_t entry[CYDP_CDF_ENTRIES];
  unsigned count;
} cydp_cdf_table;

/* Sets magnitudes[i] to #{k : words[i] < entry[k]}: undecided if the word equals an
 * entry. */
typedef void cydp_cdf_table_kernel(const cydp_cdf_table *constants, const uint16_t *words,
                                   size_t n, uint16_t *magnitudes, uint8_t *undecided);

/* Sets out[i] to magnitudes[i] < 2^15, or to its negative if bit i of `signs` is set. */
typedef void cydp_signs_kernel(const uint16_t *magnitudes, const uint8_t *signs, size_t n,
                               int64_t *out);

/* The constants of the Gaussian with quotient x and remainder R. A word holds the sign in
 * its lowest bit and R in the next ones. */
typedef struct cydp_gaussian_constants {
  double step;    /* 2^-m: r = R step */
  double rate0;   /* 1 / (2 s0^2), at most 1/32 */
  unsigned shift; /* m, at least 1 */
  unsigned width; /* bytes of a word: 2, 4 or 8 for m <= 15, 31 or 62 */
} cydp_gaussian_constants;

/* Sets bit i of `accepted` to whether V < exp(-g), g = r (r + 2 x) rate0, x < 2^9, by the
 * first 16 bits of V, for each i < n; other bits of its last byte are set to anything. */
typedef void cydp_accept_kernel(const cydp_gaussian_constants *constants,
                                const void *words, const uint16_t *x, const uint16_t *v,
                                size_t n, uint8_t *accepted, uint8_t *undecided);

/* Writes sign (M x + R) of the accepted candidates, except for negative zeros, in their
 * order; returns how many they are. `out` has room for n, and any of that may be written.
 */
typedef size_t cydp_recombine_gaussian_kernel(const cydp_gaussian_constants *constants,
                                              const void *words, const uint16_t *x,
                                              const uint8_t *accepted, size_t n,
                                              int64_t *out);

/* Writes sign (M |Q| + R) of the accepted candidates, or INT64_MAX with that sign if it
 * is larger, in the same way: M = 2^shift, 1 <= shift < 62; signs are the lowest bits of
 * `signs`, R those of `remainders`, words of `width` 4 or 8. `out` may be `quotients`. */
typedef size_t cydp_recombine_laplace_kernel(unsigned shift, const uint64_t *signs,
                                             unsigned width, const void *remainders,
                                             const int64_t *quotients,
                                             const uint8_t *accepted, size_t n,
                                             int64_t *out);

/* Says undecided of each word of `width` 4 or 8 whose upper `bits` are all ones; these
 * are fewer than all its bits. */
typedef void cydp_prefix_is_ones_kernel(unsigned width, const void *words, unsigned bits,
                                        size_t n, uint8_t *undecided);

/* The constants of offsets among many categories: y = (u + 1/2) factor is U / w. */
typedef struct cydp_category_offset_constants {
  double factor; /* 2^-bits / w */
  double last;   /* K - 1 */
  double guard;  /* half-width of the guard band around integers */
  double rate;   /* probability of undecided, at most */
  unsigned bits; /* 32, or the upper 63 of 64-bit words */
} cydp_category_offset_constants;

/* Sets out[i] to max(last - floor(y), 0), a uint16_t for words of 32 bits, else a
 * uint32_t, for n <= CYDP_BATCH words; where that is undecided, to anything. */
typedef void cydp_category_offset_kernel(const cydp_category_offset_constants *constants,
                                         const void *words, size_t n, void *out,
                                         uint8_t *undecided);

/* Sets out[i] to values[i], or to the nearest of -(2^31 - 1) and 2^31 - 1. */
typedef void cydp_narrow_kernel(const int64_t *values, size_t n, int32_t *out);

/* Which version each instruction set uses, in the order of isa.h. A kernel is in <its
 * name>_<isa>.c, except for `inverse_cdf_narrow` where it has no file of its own, in
 * inverse_cdf_<isa>.c, `narrow`, in narrow_each.c, `accept`, in acceptance_<isa>.c, and
 * `recombine_gaussian`, `recombine_laplace` and `prefix_is_ones`, in recombine_<isa>.c,
 * since they share how words are loaded. */
#define CYDP_SAMPLERS_KERNELS(KERNEL)                                                    \
  KERNEL(inverse_cdf, avx512, avx2, neon)                                                \
  KERNEL(inverse_cdf_narrow, avx512, avx2, neon)                                         \
  KERNEL(cdf_table, avx512, avx2, neon)                                                  \
  KERNEL(signs, avx512, avx2, neon)                                                      \
  KERNEL(accept, avx512, avx2, portable)                                                 \
  KERNEL(recombine_gaussian, avx512, avx2, portable)                                     \
  KERNEL(recombine_laplace, avx512, avx2, portable)                                      \
  KERNEL(prefix_is_ones, avx512, avx2, portable)                                         \
  KERNEL(category_offset, avx512, avx2, portable)                                        \
  KERNEL(narrow, avx512, avx2, portable)

CYDP_DECLARE_KERNELS(samplers, CYDP_SAMPLERS_KERNELS)

#endif
