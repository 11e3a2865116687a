/* SPDX-License-Identifier: MIT
 * Masks as integers. Left to itself gcc 12 may spill a mask of 8 bits with kmovb and read
 * 32 bits back: seen under ThreadSanitizer, where the upper ones were of an older value.
 */
#ifndef CYDP_SAMPLERS_MASK_AVX512_H
#define CYDP_SAMPLERS_MASK_AVX512_H

#include <immintrin.h>

static inline unsigned bits_of_8(__mmask8 mask) {
  unsigned bits;
  __asm__("kmovb %1, %0" : "=r"(bits) : "k"(mask));
  return bits;
}

static inline unsigned bits_of_16(__mmask16 mask) {
  unsigned bits;
  __asm__("kmovw %1, %0" : "=r"(bits) : "k"(mask));
  return bits;
}

#endif
