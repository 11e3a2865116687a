/* SPDX-License-Identifier: MIT
 * Codes and their shifts to reports. Plain loops: each instruction set turns them into
 * its own registers. */
#include "mechanisms/kernels.h"

/* Modulo 2^width, which may be the number of categories: last + 1 is then 0. Each code is
 * read once, since another thread may change it: one that is no category leaves last + 1
 * in its report, by which it is known from then on. */
#define RESPOND(CODE, SHIFT)                                                             \
  static inline bool respond_##CODE##_##SHIFT(CODE last, const CODE *restrict codes,     \
                                              const SHIFT *restrict shifts, size_t n,    \
                                              CODE *restrict reports) {                  \
    const CODE categories = (CODE)(last + 1);                                            \
    CODE outside = 0;                                                                    \
    for (size_t i = 0; i < n; i++) {                                                     \
      CODE code = codes[i], shift = (CODE)shifts[i];                                     \
      CODE room = (CODE)(last - shift); /* codes up to here do not wrap */               \
      CODE wrapped = (CODE)(code > room ? categories : 0);                               \
      CODE report = (CODE)(code + shift - wrapped);                                      \
      report = (CODE)(code > last ? categories : report);                                \
      outside |= (CODE)(report > last);                                                  \
      reports[i] = report;                                                               \
    }                                                                                    \
    return outside != 0;                                                                 \
  }                                                                                      \
  static inline void replace_##CODE##_##SHIFT(CODE last, const SHIFT *restrict others,   \
                                              size_t n, CODE *restrict reports) {        \
    for (size_t i = 0; i < n; i++)                                                       \
      reports[i] = (CODE)(reports[i] > last ? (CODE)others[i] : reports[i]);             \
  }

RESPOND(uint8_t, uint16_t)
RESPOND(uint16_t, uint16_t)
RESPOND(uint32_t, uint16_t)
RESPOND(uint64_t, uint16_t)
RESPOND(uint32_t, uint32_t)
RESPOND(uint64_t, uint32_t)

bool CYDP_KERNEL(respond)(uint32_t last, unsigned code_bytes, const void *codes,
                          unsigned shift_bytes, const void *shifts, size_t n,
                          void *reports) {
  if (shift_bytes == 4)
    return code_bytes == 4 ? respond_uint32_t_uint32_t(last, codes, shifts, n, reports)
                           : respond_uint64_t_uint32_t(last, codes, shifts, n, reports);
  if (code_bytes == 1)
    return respond_uint8_t_uint16_t((uint8_t)last, codes, shifts, n, reports);
  if (code_bytes == 2)
    return respond_uint16_t_uint16_t((uint16_t)last, codes, shifts, n, reports);
  return code_bytes == 4 ? respond_uint32_t_uint16_t(last, codes, shifts, n, reports)
                         : respond_uint64_t_uint16_t(last, codes, shifts, n, reports);
}

void CYDP_KERNEL(replace)(uint32_t last, unsigned code_bytes, unsigned shift_bytes,
                          const void *others, size_t n, void *reports) {
  if (shift_bytes == 4 && code_bytes == 4)
    replace_uint32_t_uint32_t(last, others, n, reports);
  else if (shift_bytes == 4)
    replace_uint64_t_uint32_t(last, others, n, reports);
  else if (code_bytes == 1)
    replace_uint8_t_uint16_t((uint8_t)last, others, n, reports);
  else if (code_bytes == 2)
    replace_uint16_t_uint16_t((uint16_t)last, others, n, reports);
  else if (code_bytes == 4)
    replace_uint32_t_uint16_t(last, others, n, reports);
  else
    replace_uint64_t_uint16_t(last, others, n, reports);
}
