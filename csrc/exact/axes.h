/* SPDX-License-Identifier: MIT
 *
 * The cells of rows: a cell is a bin of each axis. docs/exact/bins.md. */
#ifndef CYDP_EXACT_AXES_H
#define CYDP_EXACT_AXES_H

#include "cydp.h"

/* Returns the number of cells, or 0 if an axis is wrong or there are too many cells. */
size_t cydp_axes_cells(const cydp_axis *axes, size_t n_axes);

/* Sets the indices of n <= CYDP_INDEX_BATCH rows from `first` on: a cell's number + 1, or
 * for rows outside 0 or the number of cells + 1. Another thread that writes to the numbers
 * meanwhile may change an index, but never takes it out of bounds. */
void cydp_axes_indices(const cydp_axis *axes, size_t n_axes, size_t first, size_t n,
                       uint32_t *indices);

#endif
