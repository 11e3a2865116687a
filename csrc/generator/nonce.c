/* SPDX-License-Identifier: MIT
 * Nonces. docs/generator.md. */
#include "generator/nonce.h"

void cydp_set_nonce(uint32_t nonce[3], uint32_t domain, uint32_t level, uint32_t round,
                    uint64_t chunk) {
  nonce[0] = domain | level << 8 | round << 16;
  nonce[1] = (uint32_t)chunk;
  nonce[2] = (uint32_t)(chunk >> 32);
}
