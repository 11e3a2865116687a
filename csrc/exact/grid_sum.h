/* SPDX-License-Identifier: MIT
 *
 * Valid grids, how many rows int64 holds a sum of, and cydp_grid_sum with a choice that
 * tests make. */
#ifndef CYDP_EXACT_GRID_SUM_H
#define CYDP_EXACT_GRID_SUM_H

#include "cydp.h"

/* Returns whether the grid is one that cydp.h allows for this element type. */
bool cydp_grid_valid(const cydp_grid *grid, cydp_dtype dtype);

/* Returns how many rows, at least 4,095, cannot carry a sum of int64 to 2^63. */
size_t cydp_grid_fold_rows(const cydp_grid *grid);

/* cydp_grid_sum with chunks of at most chunk_rows. */
cydp_status cydp_grid_sum_chunked(const cydp_grid *grid, const void *x, cydp_dtype dtype,
                                  size_t n, size_t chunk_rows, unsigned threads,
                                  cydp_int128 *sum, cydp_int128 *squares);

#endif
