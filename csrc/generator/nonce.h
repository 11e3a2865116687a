/* SPDX-License-Identifier: MIT
 *
 * Nonces: which bits of a key serve which purpose. */
#ifndef CYDP_GENERATOR_NONCE_H
#define CYDP_GENERATOR_NONCE_H

#include <stdint.h>

/* Sets the nonce under which a purpose reads its bits of a key, so that no two purposes
 * read the same bits. The domain is one of these, or 1 or 2 for the extensions of
 * decision 1 or 2. */
enum { CYDP_DOMAIN_PREFIX = 0, CYDP_DOMAIN_CHUNK_KEYS = 3 };
void cydp_set_nonce(uint32_t nonce[3], uint32_t domain, uint32_t level, uint32_t round,
                    uint64_t chunk);

#endif
