/* SPDX-License-Identifier: MIT
 * One candidate of the Gaussian with quotient and remainder: its word and R. */
#ifndef CYDP_SAMPLERS_QUOTIENT_REMAINDER_H
#define CYDP_SAMPLERS_QUOTIENT_REMAINDER_H

#include "samplers/kernels.h"

static inline uint64_t gaussian_word(const cydp_gaussian_constants *constants,
                                     const void *words, size_t i) {
  return constants->width == 2   ? ((const uint16_t *)words)[i]
         : constants->width == 4 ? ((const uint32_t *)words)[i]
                                 : ((const uint64_t *)words)[i];
}

static inline uint64_t gaussian_remainder(const cydp_gaussian_constants *constants,
                                          const void *words, size_t i) {
  return gaussian_word(constants, words, i) >> 1 &
         ((UINT64_C(1) << constants->shift) - 1);
}

#endif
