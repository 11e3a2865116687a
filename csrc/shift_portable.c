/* SPDX-License-Identifier: MIT
 * Shifts among many categories, for any machine. */
#include "shift.h"

void cydp_shift_portable(const cydp_shift_law *law, const void *words, size_t n,
                         uint32_t *out, uint8_t *undecided) {
  shift_all(law, words, n, out, undecided);
}
