/* SPDX-License-Identifier: MIT
 * From cells and the bins of a further axis to cells, in a plain loop, which the compiler
 * turns into the registers of each instruction set. docs/exact/bins.md. */
#include "exact/kernels.h"

/* A product fits, since the number of all cells does; one outside may wrap, and is not
 * used. */
void CYDP_KERNEL(divide)(uint32_t count, const uint32_t *restrict bins, size_t n,
                         uint32_t *restrict indices) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t index = indices[i], bin = bins[i];
    const uint32_t inside = (index - 1) * count + bin;
    indices[i] = ((index != 0) & (bin - 1 < count)) ? inside : 0;
  }
}
