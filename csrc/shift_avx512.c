/* SPDX-License-Identifier: MIT
 * Shifts among many categories, for AVX-512. */
#include "shift.h"

void cydp_shift_avx512(const cydp_shift_law *law, const void *words, size_t n,
                       uint32_t *out, uint8_t *undecided) {
  shift_all(law, words, n, out, undecided);
}
