/* SPDX-License-Identifier: MIT
 *
 * The generator's kernels. */
#ifndef CYDP_GENERATOR_KERNELS_H
#define CYDP_GENERATOR_KERNELS_H

#include "base/isa.h"
#include "cydp.h"

/* Sets words to `groups` groups of 16 blocks from `counter` on, in the order of
 * cydp_chacha20_keystream. The words overlap neither key nor nonce. */
typedef void cydp_chacha20_kernel(const uint32_t key[8], const uint32_t nonce[3],
                                  uint32_t counter, size_t groups, uint32_t *words);

/* Sets words to a group whose first n blocks are those of these counters; the others may
 * hold anything. n is from 1 to 16. */
typedef void cydp_chacha20_blocks_kernel(const uint32_t key[8], const uint32_t nonce[3],
                                         const uint32_t counters[16], size_t n,
                                         uint32_t words[CYDP_GROUP_WORDS]);

/* Sets out[i] to SipHash-1-3 of message i, of n messages of `length` words, 1 to 3:
 * message i is words[0][i], words[1][i], words[2][i]. `out` may be one of these. */
typedef void cydp_siphash_kernel(const uint64_t key[2], const uint64_t *const *words,
                                 size_t length, size_t n, uint64_t *out);

/* Which version each instruction set uses, in the order of isa.h. `siphash` is in
 * siphash_each.c, both others are in chacha20_<isa>.c. */
#define CYDP_GENERATOR_KERNELS(KERNEL)                                                   \
  KERNEL(chacha20, avx512, avx2, neon)                                                   \
  KERNEL(chacha20_blocks, avx512, avx2, neon)                                            \
  KERNEL(siphash, avx512, avx2, portable)

CYDP_DECLARE_KERNELS(generator, CYDP_GENERATOR_KERNELS)

#endif
