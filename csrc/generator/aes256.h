/* SPDX-License-Identifier: MIT
 *
 * AES-256 in counter mode (FIPS 197, SP 800-38A), by the CPU's instructions only: AES from
 * tables leaks its key through caches. */
#ifndef CYDP_GENERATOR_AES256_H
#define CYDP_GENERATOR_AES256_H

#include "cydp.h"

/* A group has the bytes of one of ChaCha20's: 64 blocks of 4 words. */
enum { CYDP_AES256_BLOCKS = 64 };

/* Sets words to `groups` groups from block `counter` on, in order. The counter block is the
 * nonce as it lies in memory, and the counter of 32 bits, most significant byte first; the
 * key lies in memory as well. The words overlap neither. */
typedef void cydp_aes256_kernel(const uint32_t key[8], const uint32_t nonce[3],
                                uint32_t counter, size_t groups, uint32_t *words);
void cydp_aes256_vaes512(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                         size_t groups, uint32_t *words);
void cydp_aes256_vaes(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                      size_t groups, uint32_t *words);
void cydp_aes256_aesni(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                       size_t groups, uint32_t *words);
void cydp_aes256_armv8(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                       size_t groups, uint32_t *words);

/* Kernels by their name. */
typedef struct cydp_aes256_version {
  const char *name;
  unsigned bits; /* of a register */
  cydp_aes256_kernel *keystream;
} cydp_aes256_version;

/* Returns the i-th version that this CPU and the instruction set in use run, best first, or
 * NULL if there are no more. */
const cydp_aes256_version *cydp_aes256_at(size_t i);

/* Returns the version in use, or NULL; `use` changes it. */
const cydp_aes256_version *cydp_aes256_in_use(void);
void cydp_aes256_use(const cydp_aes256_version *version);

#endif
