/* SPDX-License-Identifier: MIT
 *
 * Element types: their sizes, the address of a row, and loops for each of them. */
#ifndef CYDP_EXACT_DTYPE_H
#define CYDP_EXACT_DTYPE_H

#include "cydp.h"

static inline size_t cydp_dtype_bytes(cydp_dtype dtype) {
  static const uint8_t bytes[] = {[CYDP_F64] = 8, [CYDP_F32] = 4, [CYDP_I64] = 8,
                                  [CYDP_I32] = 4, [CYDP_I16] = 2, [CYDP_I8] = 1,
                                  [CYDP_U32] = 4, [CYDP_U16] = 2, [CYDP_U8] = 1};
  return bytes[dtype];
}

static inline const void *cydp_row(cydp_dtype dtype, const void *x, size_t i) {
  return (const char *)x + i * cydp_dtype_bytes(dtype);
}

/* Runs a statement in which `type` is a constant, one of the four element types that
 * kernels of numbers take: so each type has a loop of its own. */
#define CYDP_WITH_DTYPE(dtype, type, statement)                                          \
  switch (dtype) {                                                                       \
  case CYDP_F64: {                                                                       \
    const cydp_dtype type = CYDP_F64;                                                    \
    statement;                                                                           \
    break;                                                                               \
  }                                                                                      \
  case CYDP_F32: {                                                                       \
    const cydp_dtype type = CYDP_F32;                                                    \
    statement;                                                                           \
    break;                                                                               \
  }                                                                                      \
  case CYDP_I64: {                                                                       \
    const cydp_dtype type = CYDP_I64;                                                    \
    statement;                                                                           \
    break;                                                                               \
  }                                                                                      \
  default: {                                                                             \
    const cydp_dtype type = CYDP_I32;                                                    \
    statement;                                                                           \
  }                                                                                      \
  }

#endif
