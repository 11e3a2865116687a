/* SPDX-License-Identifier: MIT
 *
 * The samplers' kernels, and the constants that they take for one law.
 *
 * Kernels are straight-line code: what they do depends on no bit of the words. They say
 * of which candidates the answer is not certain, in `undecided`: bit i of it is that of
 * candidate i, bits behind the n-th are 0. */
#ifndef CYDP_SAMPLERS_KERNELS_H
#define CYDP_SAMPLERS_KERNELS_H

#include "base/isa.h"

/* The constants of the logarithm kernel for one law. Derived in docs/sampling.md. */
#define CYDP_LOG_INTERVALS 8
#define CYDP_LOG_TERMS 8
typedef struct cydp_inverse_cdf_law {
  double base[CYDP_LOG_INTERVALS]; /* a - scale * (ln of the interval's centre) */
  double q[CYDP_LOG_TERMS];        /* -scale * the coefficients of ln(1 + r) / r */
  /* For vectors, by the upper 3 bits of m, where 2 u + 1 = 2^E m and 1 <= m < 2: */
  double inverse[CYDP_LOG_INTERVALS]; /* c with |m c - 1| < 1/17 */
  double start[CYDP_LOG_INTERVALS];   /* y = start - E * step + r * q(r), r = m c - 1 */
  double step;                        /* scale * ln 2 */
  double guard;                       /* half-width of the guard band around integers */
  uint64_t tail;                      /* u below this is the far tail */
  unsigned bits;                      /* u has this many: 8..31 in 32-bit words, or 63 */
} cydp_inverse_cdf_law;

/* out[i] for n <= CYDP_BATCH words; arbitrary where undecided. */
#define CYDP_BATCH 2048
typedef void cydp_inverse_cdf_kernel(const cydp_inverse_cdf_law *law, const void *words,
                                     size_t n, int64_t *out, uint8_t *undecided);

/* Thresholds floor(2^16 T_k) of a law with tails T_1 > T_2 > ..., falling; several may
 * share a cell. A law of unbounded support ends in a 0, since infinitely many lie in that
 * cell. At most CYDP_THRESHOLDS - 1 cells are not 0; those behind the last one are. */
#define CYDP_THRESHOLDS 64
typedef struct cydp_cdf_table {
  uint16_t cell[CYDP_THRESHOLDS];
  unsigned count;
} cydp_cdf_table;

/* magnitudes[i] = #{k : words[i] < cell[k]}; undecided if the word equals a cell. */
typedef void cydp_cdf_table_kernel(const cydp_cdf_table *law, const uint16_t *words,
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

/* sign (M x + R) of the accepted candidates, but for negative zeros, in their order; and
 * how many these are. `out` has room for n, and any of that may be written. */
typedef size_t cydp_recombine_gaussian_kernel(const cydp_split_law *law,
                                              const void *words, const uint16_t *x,
                                              const uint8_t *accepted, size_t n,
                                              int64_t *out);

/* The same of sign (M |Q| + R), or INT64_MAX with that sign if it is larger: M = 2^shift,
 * 1 <= shift < 62, the signs in the lowest bits of `signs`, R in those of `remainders`,
 * words of `width` 4 or 8. `out` may be `quotients`. */
typedef size_t cydp_recombine_laplace_kernel(unsigned shift, const uint64_t *signs,
                                             unsigned width, const void *remainders,
                                             const int64_t *quotients,
                                             const uint8_t *accepted, size_t n,
                                             int64_t *out);

/* Undecided are the words of `width` 4 or 8 whose upper `bits` are all ones: fewer than
 * all of them. */
typedef void cydp_ones_kernel(unsigned width, const void *words, unsigned bits, size_t n,
                              uint8_t *undecided);

/* The constants of shifts among many categories: y = (u + 1/2) factor is U / w. */
typedef struct cydp_shift_law {
  double factor; /* 2^-bits / w */
  double last;   /* K - 1 */
  double guard;  /* half-width of the guard band around integers */
  double rate;   /* undecided, at most */
  unsigned bits; /* 32, or the upper 63 of 64-bit words */
} cydp_shift_law;

/* out[i] = max(last - floor(y), 0), a uint16_t by 32 bits, else a uint32_t, for n <=
 * CYDP_BATCH words; arbitrary where undecided. */
typedef void cydp_shift_kernel(const cydp_shift_law *law, const void *words, size_t n,
                               void *out, uint8_t *undecided);

/* Whose version AVX-512, AVX2 and Neon take. */
#define CYDP_SAMPLERS_KERNELS(KERNEL)                                                    \
  KERNEL(inverse_cdf, avx512, avx2, portable)                                            \
  KERNEL(cdf_table, avx512, avx2, portable)                                              \
  KERNEL(signs, avx512, avx2, portable)                                                  \
  KERNEL(accept, avx512, avx2, portable)                                                 \
  KERNEL(recombine_gaussian, avx512, avx2, portable)                                     \
  KERNEL(recombine_laplace, avx512, avx2, portable)                                      \
  KERNEL(ones, avx512, avx2, portable)                                                   \
  KERNEL(shift, avx512, avx2, portable)

CYDP_DECLARE_KERNELS(samplers, CYDP_SAMPLERS_KERNELS)

#endif
