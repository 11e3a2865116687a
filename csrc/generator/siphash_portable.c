/* SPDX-License-Identifier: MIT
 * SipHash-2-4, four messages at a time. */
#define SIP_LANES 4
#include "generator/kernels.h"
#include "generator/siphash_lanes.h"

void cydp_siphash_portable(const uint64_t key[2], const uint64_t *const *words,
                           size_t length, size_t n, uint64_t *out) {
  sip_all(key, words, length, n, out);
}
