/* SPDX-License-Identifier: MIT
 * Codes and their shifts to reports, for any machine. */
#include "mechanisms/kernels.h"
#include "mechanisms/randomized_response_lanes.h"

bool cydp_respond_portable(uint32_t last, unsigned code_bytes, const void *codes,
                           unsigned shift_bytes, const void *shifts, size_t n,
                           void *reports) {
  return respond_all(last, code_bytes, codes, shift_bytes, shifts, n, reports);
}

void cydp_replace_portable(uint32_t last, unsigned code_bytes, unsigned shift_bytes,
                           const void *others, size_t n, void *reports) {
  replace_all(last, code_bytes, shift_bytes, others, n, reports);
}
