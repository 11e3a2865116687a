/* SPDX-License-Identifier: MIT
 *
 * The kernels of exact counts and sums. */
#ifndef CYDP_EXACT_KERNELS_H
#define CYDP_EXACT_KERNELS_H

#include "base/isa.h"
#include "cydp.h"

/* Return the sum of the integers q of n numbers, which int64 holds whatever they are; and
 * set q to these integers. The rounding mode must be to nearest. */
typedef int64_t cydp_grid_sum_kernel(const cydp_grid *grid, cydp_dtype dtype,
                                     const void *x, size_t n);
typedef void cydp_grid_round_kernel(const cydp_grid *grid, cydp_dtype dtype,
                                    const void *x, size_t n, int64_t *q);

/* Buckets on the real line: x lies in the bucket trunc((x - origin) scale), clamped to
 * [0, last]; buckets never fall as x grows. Each operation is rounded by itself. */
typedef struct cydp_buckets {
  double origin, scale;
  double last;         /* below 2^31 */
  double lo, step, hi; /* even edges only */
  bool single;         /* even edges are rounded to float */
  bool integers;       /* edges are integers */
} cydp_buckets;

/* Sets indices[i] to j + (x[i] >= edge j) for the bucket j of x[i]; the edge of the last
 * bucket is the number above hi. n <= CYDP_INDEX_BATCH. */
#define CYDP_INDEX_BATCH 256
typedef void cydp_even_kernel(const cydp_buckets *buckets, cydp_dtype dtype,
                              const void *x, size_t n, uint32_t *indices);

/* Sets the bucket of each x[i], and its key (bins.h). */
typedef void cydp_buckets_kernel(const cydp_buckets *buckets, cydp_dtype dtype,
                                 const void *x, size_t n, uint32_t *bucket,
                                 uint64_t *keys);

/* Cells: as buckets, but more of them, of equal width or of equally many numbers. By
 * `bits`, x lies in the cell (u - least) / 2^shift, rounded down, where u is x's upper 32
 * bits, made an integer that never falls as x grows, and clamped to [least, greatest].
 * Sets the cell of each x[i]. NaN is in the cell of the least or of the greatest numbers.
 * n <= CYDP_INDEX_BATCH. */
typedef struct cydp_cells {
  cydp_buckets width; /* the cells, unless `bits` */
  bool bits;
  int32_t least, greatest;
  uint32_t shift;
} cydp_cells;
typedef void cydp_cells_kernel(const cydp_cells *cells, cydp_dtype dtype, const void *x,
                               size_t n, uint32_t *cell);

/* Sets indices[i] to that of the cell of a further axis of `count` bins: a cell's index is its
 * number + 1, or 0 outside, as a bin's is, or count + 1. */
typedef void cydp_divide_kernel(uint32_t count, const uint32_t *bins, size_t n,
                                uint32_t *indices);

/* Sets indices[i] to min(codes[i], length) + 1, where a negative code is above all
 * others; returns the largest code, or UINT64_MAX if any is negative. length < 2^32 - 2.
 */
typedef uint64_t cydp_codes_kernel(cydp_dtype dtype, const void *codes, size_t n,
                                   uint32_t length, uint32_t *indices);

/* Sets low[i] to the lower 32 bits of codes[i]; returns whether all codes are in [0,
 * length), each as it was read for low. length < 2^32 - 2. */
typedef bool cydp_codes_inside_kernel(cydp_dtype dtype, const void *codes, size_t n,
                                      uint32_t length, uint32_t *low);

/* Which version each instruction set uses, in the order of isa.h. `grid_sum` and
 * `grid_round` are in grid_<isa>.c, `even`, `buckets` and `cells` in bin_index_<isa>.c,
 * `divide` in divide_each.c, `codes` and `codes_inside` in codes_<isa>.c; what the vector
 * versions share is in <thing>_vector.h, which these include. */
#define CYDP_EXACT_KERNELS(KERNEL)                                                       \
  KERNEL(grid_sum, avx512, avx2, portable)                                               \
  KERNEL(grid_round, avx512, avx2, portable)                                             \
  KERNEL(even, avx512, avx2, neon)                                                       \
  KERNEL(buckets, avx512, avx2, neon)                                                    \
  KERNEL(cells, avx512, avx2, neon)                                                      \
  KERNEL(divide, avx512, avx2, portable)                                                 \
  KERNEL(codes, avx512, avx2, portable)                                                  \
  KERNEL(codes_inside, avx512, avx2, portable)

CYDP_DECLARE_KERNELS(exact, CYDP_EXACT_KERNELS)

#endif
