/* SPDX-License-Identifier: MIT
 * The keystream under its limits, and single blocks. docs/generator.md. */
#include "base/wipe.h"
#include "cydp.h"
#include "generator/kernels.h"

cydp_status cydp_chacha20_keystream(const uint32_t key[8], const uint32_t nonce[3],
                                    uint32_t counter, size_t groups, uint32_t *words) {
  if (groups > ((UINT64_C(1) << 32) - counter) / 16)
    return CYDP_ERROR_EXHAUSTED;
  cydp_generator_kernels()->chacha20(key, nonce, counter, groups, words);
  cydp_wipe_stack();
  return CYDP_OK;
}

void cydp_chacha20_block(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter,
                         uint32_t words[16]) {
  const uint32_t counters[16] = {counter};
  uint32_t group[CYDP_GROUP_WORDS];
  cydp_generator_kernels()->chacha20_blocks(key, nonce, counters, 1, group);
  for (int w = 0; w < 16; w++)
    words[w] = group[16 * w];
  cydp_wipe(group, sizeof group);
  cydp_wipe_stack();
}
