/* SPDX-License-Identifier: MIT
 * One candidate of the Gaussian split: its word and R. */
#ifndef CYDP_SAMPLERS_QUOTIENT_REMAINDER_H
#define CYDP_SAMPLERS_QUOTIENT_REMAINDER_H

#include "samplers/kernels.h"

static inline uint64_t split_word(const cydp_split_law *law, const void *words,
                                  size_t i) {
  return law->width == 2   ? ((const uint16_t *)words)[i]
         : law->width == 4 ? ((const uint32_t *)words)[i]
                           : ((const uint64_t *)words)[i];
}

static inline uint64_t split_remainder(const cydp_split_law *law, const void *words,
                                       size_t i) {
  return split_word(law, words, i) >> 1 & ((UINT64_C(1) << law->shift) - 1);
}

#endif
