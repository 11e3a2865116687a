/* SPDX-License-Identifier: MIT
 *
 * The mechanisms' kernels. */
#ifndef CYDP_MECHANISMS_KERNELS_H
#define CYDP_MECHANISMS_KERNELS_H

#include "base/isa.h"

/* Sets out[i] to the number nearest to values[i] on the grid of `unit`, a power of two,
 * plus noise[i] units, rounded once. NaN counts as 0; values are clamped to most_units, a
 * power of two up to 2^126. `out` may be the memory of `noise`. */
typedef void cydp_grid_noise_kernel(const double *values, const int64_t *noise, size_t n,
                                    double per_unit, double unit, double most_units,
                                    double *out);

/* Sets near[i] to a double, and adds units to noise[i], such that the double, rounded to
 * the grid, and the units are together the integer values[i], cut to [least, most] and
 * rounded to the grid. All are of 64 bits, and are `zero` more than they mean where that is 2^63:
 * signed integers with the other sign bit. The double has the bits from `low` on, and the units
 * are what the bits below mean, times 2^left or over 2^right, rounded to nearest, ties to
 * even; or, if `odd`, these bits make an odd multiple of 2^low of it. */
typedef struct cydp_grid_integers {
  uint64_t zero, least, most;
  unsigned low, left, right;
  bool odd;
} cydp_grid_integers;
typedef void cydp_grid_integers_kernel(const uint64_t *values, size_t n,
                                       const cydp_grid_integers *reading, double *near,
                                       int64_t *noise);

/* Sets reports[i] to (codes[i] + offsets[i]) mod (last + 1), for offsets in [0, last], or
 * to last + 1 for a code, read as unsigned, beyond `last`; returns whether there was one.
 * Codes have 1, 2, 4 or 8 bytes, offsets 2, or 4 if `last` needs them. */
typedef bool cydp_respond_kernel(uint32_t last, unsigned code_bytes, const void *codes,
                                 unsigned offset_bytes, const void *offsets, size_t n,
                                 void *reports);

/* Sets reports[i] to others[i] where the report is beyond `last`. */
typedef void cydp_replace_kernel(uint32_t last, unsigned code_bytes,
                                 unsigned offset_bytes, const void *others, size_t n,
                                 void *reports);

/* Upper bounds of noisy scores, in units of ln 2 / 2^23. v = ((score half - reference)
 * rate) rate_units is how far a score is behind the best one, cut to [CYDP_LEAST_BOUND,
 * 0]; bounds[i] = trunc(v) - the bits of the float nearest to floor(words[i] / 2), for
 * which docs/mechanisms/noisy_max.md, "Coarse bounds", proves the bound. Returns the
 * largest. n >= 1. */
typedef struct cydp_noisy_max_constants {
  double half, rate, rate_units;
} cydp_noisy_max_constants;
#define CYDP_LEAST_BOUND (-80 * 0x1p23)
typedef int32_t cydp_score_bounds_kernel(const cydp_noisy_max_constants *constants,
                                         double reference, const double *scores,
                                         const uint32_t *words, size_t n,
                                         int32_t *bounds);

/* Returns the first i >= first with bounds[i] >= limit, or n. */
typedef size_t cydp_next_candidate_kernel(const int32_t *bounds, int32_t limit,
                                          size_t first, size_t n);

/* Returns the largest of n numbers without NaN, or -infinity if there are none. */
typedef double cydp_largest_kernel(const double *x, size_t n);

/* Returns the largest of n >= 1 integers. */
typedef int64_t cydp_largest_integer_kernel(const int64_t *x, size_t n);

/* Sets out[i] to factor (top - x[i]), where the difference, below 2^64, is rounded to the
 * nearest double. */
typedef void cydp_distances_kernel(int64_t top, double factor, const int64_t *x, size_t n,
                                   double *out);

/* Which version each instruction set uses, in the order of isa.h. `grid_noise` is in
 * grid_noise_avx512.c and grid_noise_each.c, `grid_integers` in the latter, `respond` and `replace`
 * in randomized_response_each.c, all others in noisy_max_<isa>.c. */
#define CYDP_MECHANISMS_KERNELS(KERNEL)                                                  \
  KERNEL(grid_noise, avx512, avx2, portable)                                             \
  KERNEL(grid_integers, avx512, avx2, portable)                                          \
  KERNEL(respond, avx512, avx2, portable)                                                \
  KERNEL(replace, avx512, avx2, portable)                                                \
  KERNEL(score_bounds, avx512, avx2, portable)                                           \
  KERNEL(next_candidate, avx512, avx2, portable)                                         \
  KERNEL(largest, avx512, avx2, portable)                                                \
  KERNEL(largest_integer, avx512, avx2, portable)                                        \
  KERNEL(distances, avx512, avx2, portable)

CYDP_DECLARE_KERNELS(mechanisms, CYDP_MECHANISMS_KERNELS)

#endif
