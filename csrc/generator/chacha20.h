/* SPDX-License-Identifier: MIT
 *
 * Nonces: who may read which bits of a key. */
#ifndef CYDP_GENERATOR_CHACHA20_H
#define CYDP_GENERATOR_CHACHA20_H

#include <stdint.h>

/* Who may read which bits of a key: word 0 of the nonce. Level and round are 0 unless
 * set. */
enum { CYDP_DOMAIN_PREFIX = 0 }; /* 1 and 2: extensions of decision 1 and 2 */
void cydp_nonce(uint32_t nonce[3], uint32_t domain, uint32_t level, uint32_t round,
                uint64_t chunk);

#endif
