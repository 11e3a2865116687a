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
    if (dtype > CYDP_I32 || (bins->buckets.integers && dtype != CYDP_I64) ||
        bins->count > CYDP_MOST_BINS / product)
      return 0;
    product *= bins->count;
  }
  return product;
}

static void indices_of(const cydp_axis *axis, size_t first, size_t n, uint32_t *indices) {
  cydp_bin_indices(axis->bins, axis->dtype, cydp_row(axis->dtype, axis->x, first), n,
                   indices);
}

/* Sets the cells' indices from the columns' bins: 0 if any of these is outside. Every
 * product of bin counts fits, since that of all does; an index outside may wrap, and is
 * not used. */
static void combine_indices(const cydp_axis *axes, size_t n_axes, size_t first, size_t n,
                            uint32_t *indices) {
  uint32_t inside[CYDP_INDEX_BATCH], index[CYDP_INDEX_BATCH];
  for (size_t i = 0; i < n; i++) {
    indices[i] = 0;
    inside[i] = UINT32_MAX;
  }
  for (size_t c = 0; c < n_axes; c++) {
    const uint32_t count = (uint32_t)axes[c].bins->count;
    indices_of(&axes[c], first, n, index);
    for (size_t i = 0; i < n; i++) {
      uint32_t bin = index[i] - 1; /* UINT32_MAX if below */
      inside[i] &= -(uint32_t)(bin < count);
      indices[i] = indices[i] * count + bin;
    }
  }
  for (size_t i = 0; i < n; i++)
    indices[i] = (indices[i] + 1) & inside[i];
}

void cydp_axes_indices(const cydp_axis *axes, size_t n_axes, size_t first, size_t n,
                       uint32_t *indices) {
  if (n_axes == 1)
    indices_of(axes, first, n, indices);
  else
    combine_indices(axes, n_axes, first, n, indices);
}
