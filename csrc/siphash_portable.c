/* SPDX-License-Identifier: MIT
 * SipHash-2-4, 4 messages at a time. */
#define SIP_LANES 4
#include "siphash.h"

void cydp_siphash_portable(const uint64_t key[2], const uint64_t *const *words,
                           size_t length, size_t n, uint64_t *out) {
  switch (length) {
  case 1:
    sip_all(key, words, 1, n, out);
    break;
  case 2:
    sip_all(key, words, 2, n, out);
    break;
  default:
    sip_all(key, words, 3, n, out);
  }
}
