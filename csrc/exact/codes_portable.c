/* SPDX-License-Identifier: MIT
 * From codes to indices, the version to read. docs/exact/bins.md. */
#include "cydp.h"
#include "exact/kernels.h"

#include <string.h>

enum { BLOCK = 512 };

/* One load: a second one could see what another thread has written meanwhile. So codes are
 * copied, and the compiler must believe that the copy has changed. */
#define CODES(name, type, wide)                                                          \
  static uint64_t name(const type *codes, size_t n, uint32_t length,                     \
                       uint32_t *indices) {                                              \
    type own[BLOCK];                                                                     \
    wide largest = 0;                                                                    \
    for (size_t done = 0; done < n; done += BLOCK) {                                     \
      size_t count = n - done < BLOCK ? n - done : BLOCK;                                \
      memcpy(own, codes + done, count * sizeof *own);                                    \
      __asm__("" : : "r"(own) : "memory");                                               \
      for (size_t i = 0; i < count; i++) {                                               \
        wide code = (wide)own[i]; /* a negative one is above all others */               \
        largest = code > largest ? code : largest;                                       \
        indices[done + i] = (uint32_t)(code < length ? code : length) + 1;               \
      }                                                                                  \
    }                                                                                    \
    return largest;                                                                      \
  }
CODES(codes_i64, int64_t, uint64_t)
CODES(codes_i32, int32_t, uint32_t)
CODES(codes_i16, int16_t, uint32_t)
CODES(codes_i8, int8_t, uint32_t)
CODES(codes_u32, uint32_t, uint32_t)
CODES(codes_u16, uint16_t, uint32_t)
CODES(codes_u8, uint8_t, uint32_t)

uint64_t cydp_codes_portable(cydp_dtype dtype, const void *codes, size_t n,
                             uint32_t length, uint32_t *indices) {
  uint64_t largest;
  switch (dtype) {
  case CYDP_U32:
    return codes_u32(codes, n, length, indices);
  case CYDP_U16:
    return codes_u16(codes, n, length, indices);
  case CYDP_U8:
    return codes_u8(codes, n, length, indices);
  case CYDP_I64:
    largest = codes_i64(codes, n, length, indices);
    return largest > INT64_MAX ? UINT64_MAX : largest;
  case CYDP_I32:
    largest = codes_i32(codes, n, length, indices);
    break;
  case CYDP_I16:
    largest = codes_i16(codes, n, length, indices);
    break;
  default:
    largest = codes_i8(codes, n, length, indices);
  }
  return largest > INT32_MAX ? UINT64_MAX : largest;
}

#define INSIDE(name, type, wide)                                                         \
  static bool name(const type *codes, size_t n, uint32_t length, uint32_t *low) {        \
    bool inside = true;                                                                  \
    for (size_t i = 0; i < n; i++) {                                                     \
      wide code = (wide)((const volatile type *)codes)[i]; /* one load */                \
      inside &= code < length;                                                           \
      low[i] = (uint32_t)code;                                                           \
    }                                                                                    \
    return inside;                                                                       \
  }
INSIDE(inside_i64, int64_t, uint64_t)
INSIDE(inside_i32, int32_t, uint32_t)
INSIDE(inside_i16, int16_t, uint32_t)
INSIDE(inside_i8, int8_t, uint32_t)
INSIDE(inside_u32, uint32_t, uint32_t)
INSIDE(inside_u16, uint16_t, uint32_t)
INSIDE(inside_u8, uint8_t, uint32_t)

bool cydp_codes_inside_portable(cydp_dtype dtype, const void *codes, size_t n,
                                uint32_t length, uint32_t *low) {
  switch (dtype) {
  case CYDP_I64:
    return inside_i64(codes, n, length, low);
  case CYDP_I32:
    return inside_i32(codes, n, length, low);
  case CYDP_I16:
    return inside_i16(codes, n, length, low);
  case CYDP_I8:
    return inside_i8(codes, n, length, low);
  case CYDP_U32:
    return inside_u32(codes, n, length, low);
  case CYDP_U16:
    return inside_u16(codes, n, length, low);
  default:
    return inside_u8(codes, n, length, low);
  }
}
