/* SPDX-License-Identifier: MIT
 *
 * Which grids there are, how long int64 holds a sum, and the entry behind
 * cydp_grid_sum, in which a test can choose when sums are folded. */
#ifndef CYDP_EXACT_GRID_SUM_H
#define CYDP_EXACT_GRID_SUM_H

#include "cydp.h"

/* Whether the grid is one that cydp.h allows for such numbers. */
bool cydp_grid_valid(const cydp_grid *grid, cydp_dtype dtype);

/* So many rows, at least 4,095, cannot carry a sum of int64 to 2^63. */
size_t cydp_grid_fold_rows(const cydp_grid *grid);

/* At most chunk_rows, and at most those, in int64; the rest in 128 bits. */
cydp_status cydp_grid_sum_chunked(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                                  size_t n, size_t chunk_rows, unsigned threads,
                                  cydp_int128 *sum, cydp_int128 *squares);

#endif
