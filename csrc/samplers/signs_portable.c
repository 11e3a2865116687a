/* SPDX-License-Identifier: MIT
 * Signs for magnitudes, the version to read: a bit says the sign. docs/samplers.md. */
#include "samplers/kernels.h"

void cydp_signs_portable(const uint16_t *magnitudes, const uint8_t *signs, size_t n,
                         int64_t *out) {
  for (size_t i = 0; i < n; i++) {
    int64_t sign = signs[i / 8] >> (i % 8) & 1;
    out[i] = (magnitudes[i] ^ -sign) + sign;
  }
}
