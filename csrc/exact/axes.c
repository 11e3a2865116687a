/* SPDX-License-Identifier: MIT
 * From the bins of columns to cells; contracts in axes.h. docs/exact/bins.md. */
#include "exact/axes.h"
#include "cydp.h"
#include "exact/bin_index.h"
#include "exact/bins.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

size_t cydp_axes_cells(const cydp_axis *axes, size_t n_axes) {
  size_t product = n_axes > 0;
  for (size_t c = 0; c < n_axes && product; c++) {
    const cydp_bins *bins = axes[c].bins;
    cydp_dtype dtype = axes[c].dtype;
    bool fits = bins->method == CYDP_CODES   ? dtype >= CYDP_I64 && dtype <= CYDP_U8
                : bins->buckets.integers ? dtype == CYDP_I64
                                         : dtype <= CYDP_I32;
    if (!fits || bins->count > CYDP_MOST_BINS / product)
      return 0;
    product *= bins->count;
  }
  return product;
}

static void indices_of(const cydp_axis *axis, size_t first, size_t n, uint32_t *indices) {
  cydp_bin_indices(axis->bins, axis->dtype, cydp_row(axis->dtype, axis->x, first), n,
                   indices);
}

/* Of no axes there is one cell, which each further axis divides. */
static void combine_indices(const cydp_axis *axes, size_t n_axes, size_t first, size_t n,
                            uint32_t *indices) {
  uint32_t bins[CYDP_INDEX_BATCH];
  for (size_t i = 0; i < n; i++)
    indices[i] = 1;
  for (size_t c = 0; c < n_axes; c++) {
    indices_of(&axes[c], first, n, bins);
    cydp_exact_kernels()->divide((uint32_t)axes[c].bins->count, bins, n, indices);
  }
}

void cydp_axes_indices(const cydp_axis *axes, size_t n_axes, size_t first, size_t n,
                       uint32_t *indices) {
  if (n_axes == 1)
    indices_of(axes, first, n, indices);
  else
    combine_indices(axes, n_axes, first, n, indices);
}
