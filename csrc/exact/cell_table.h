/* SPDX-License-Identifier: MIT
 *
 * A table with the bin index of every cell, in a byte. Cells are many and edges few, so
 * that nearly all rows lie in cells without an edge, whose numbers have one index; the
 * others are in doubt, and are compared with edges. docs/exact/bins.md. */
#ifndef CYDP_EXACT_CELL_TABLE_H
#define CYDP_EXACT_CELL_TABLE_H

#include "cydp.h"
#include "exact/bins.h"
#include "exact/count_table.h"
#include "exact/kernels.h"

enum {
  CYDP_CELLS = 1 << 14,         /* a table stays in the L1 cache */
  CYDP_CELLS_MOST_BINS = 254,   /* whose indices are bytes other than CYDP_IN_DOUBT */
  CYDP_CELLS_LEAST_ROWS = 8192, /* for fewer, a table costs more than it saves */
  CYDP_IN_DOUBT = 0
};

typedef struct cydp_cell_table {
  cydp_cells cells;
  /* Below and above all bins, it is the number of bins + 1: neither is counted. */
  uint8_t index[CYDP_CELLS];
} cydp_cell_table;

/* Makes the table for a column of this type. Returns false if these bins have none: even
 * ones are computed faster, and so many that their tables leave the L1 cache are not found
 * faster. */
bool cydp_cell_table_set(cydp_cell_table *table, const cydp_bins *bins, cydp_dtype dtype);

/* Counts the rows of the column from `first` to before `end`, with the table of its bins.
 * If many rows are in doubt, most of them are compared without a look at the cells. */
void cydp_cell_table_count(const cydp_cell_table *table, const cydp_axis *axis,
                           size_t first, size_t end, cydp_count_table *counts);

/* Sets the codes of these rows instead, as cydp_histogram_codes does. */
void cydp_cell_table_codes(const cydp_cell_table *table, const cydp_axis *axis,
                           size_t first, size_t end, uint32_t *codes);

#endif
