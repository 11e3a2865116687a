/* SPDX-License-Identifier: MIT
 *
 * Numbers of any type, by their rows. */
#ifndef CYDP_EXACT_NUMBERS_H
#define CYDP_EXACT_NUMBERS_H

#include "cydp.h"

static inline size_t cydp_number_bytes(cydp_number number) {
  static const uint8_t bytes[] = {[CYDP_F64] = 8, [CYDP_F32] = 4, [CYDP_I64] = 8,
                                  [CYDP_I32] = 4, [CYDP_I16] = 2, [CYDP_I8] = 1,
                                  [CYDP_U32] = 4, [CYDP_U16] = 2, [CYDP_U8] = 1};
  return bytes[number];
}

static inline const void *cydp_row(cydp_number number, const void *x, size_t i) {
  return (const char *)x + i * cydp_number_bytes(number);
}

#endif
