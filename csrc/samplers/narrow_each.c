/* SPDX-License-Identifier: MIT
 * The kernel that narrows values, compiled for each instruction set. docs/samplers.md. */
#include "base/independent.h"
#include "samplers/kernels.h"

void CYDP_KERNEL(narrow)(const int64_t *values, size_t n, int32_t *out) {
  CYDP_INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    int64_t x = values[i];
    x = x < -INT32_MAX ? -INT32_MAX : x;
    out[i] = (int32_t)(x > INT32_MAX ? INT32_MAX : x);
  }
}
