/* SPDX-License-Identifier: MIT
 *
 * The mechanisms' kernels. */
#ifndef CYDP_MECHANISMS_KERNELS_H
#define CYDP_MECHANISMS_KERNELS_H

#include "base/isa.h"

/* out[i] becomes the number nearest to values[i] on the grid of `unit`, a power of two,
 * plus noise[i] units, rounded once. NaN counts as 0; values are clamped to 2^126 units.
 * `out` may be the memory of `noise`. */
typedef void cydp_grid_noise_kernel(const double *values, const int64_t *noise, size_t n,
                                    double per_unit, double unit, double *out);

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

/* Whose version AVX-512, AVX2 and Neon take. */
#define CYDP_MECHANISMS_KERNELS(KERNEL)                                                  \
  KERNEL(grid_noise, avx512, avx2, portable)                                             \
  KERNEL(respond, avx512, avx2, portable)                                                \
  KERNEL(replace, avx512, avx2, portable)                                                \
  KERNEL(race_keys, avx512, avx2, portable)                                              \
  KERNEL(race_next, avx512, avx2, portable)                                              \
  KERNEL(largest, avx512, avx2, portable)                                                \
  KERNEL(largest_integer, avx512, avx2, portable)                                        \
  KERNEL(distances, avx512, avx2, portable)

CYDP_DECLARE_KERNELS(mechanisms, CYDP_MECHANISMS_KERNELS)

#endif
