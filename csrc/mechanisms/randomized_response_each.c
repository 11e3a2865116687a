/* SPDX-License-Identifier: MIT
 * From codes and offsets to reports, in plain loops, which the compiler turns into the
 * registers of each instruction set. docs/mechanisms/randomized_response.md. */
#include "mechanisms/kernels.h"

/* Arithmetic is modulo 2^width, which may be the number of categories: then last + 1 is
 * 0. Each code is read once, since another thread may change it. A code that is no
 * category sets its report to last + 1, which marks it from then on. */
#define RESPOND(CODE, OFFSET)                                                            \
  static inline bool respond_##CODE##_##OFFSET(CODE last, const CODE *restrict codes,    \
                                               const OFFSET *restrict offsets, size_t n, \
                                               CODE *restrict reports) {                 \
    const CODE categories = (CODE)(last + 1);                                            \
    CODE outside = 0;                                                                    \
    for (size_t i = 0; i < n; i++) {                                                     \
      CODE code = codes[i], offset = (CODE)offsets[i];                                   \
      CODE room = (CODE)(last - offset); /* codes up to here do not wrap */              \
      CODE wrapped = (CODE)(code > room ? categories : 0);                               \
      CODE report = (CODE)(code + offset - wrapped);                                     \
      report = (CODE)(code > last ? categories : report);                                \
      outside |= (CODE)(report > last);                                                  \
      reports[i] = report;                                                               \
    }                                                                                    \
    return outside != 0;                                                                 \
  }                                                                                      \
  static inline void replace_##CODE##_##OFFSET(CODE last, const OFFSET *restrict others, \
                                               size_t n, CODE *restrict reports) {       \
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
                          unsigned offset_bytes, const void *offsets, size_t n,
                          void *reports) {
  if (offset_bytes == 4)
    return code_bytes == 4 ? respond_uint32_t_uint32_t(last, codes, offsets, n, reports)
                           : respond_uint64_t_uint32_t(last, codes, offsets, n, reports);
  if (code_bytes == 1)
    return respond_uint8_t_uint16_t((uint8_t)last, codes, offsets, n, reports);
  if (code_bytes == 2)
    return respond_uint16_t_uint16_t((uint16_t)last, codes, offsets, n, reports);
  return code_bytes == 4 ? respond_uint32_t_uint16_t(last, codes, offsets, n, reports)
                         : respond_uint64_t_uint16_t(last, codes, offsets, n, reports);
}

void CYDP_KERNEL(replace)(uint32_t last, unsigned code_bytes, unsigned offset_bytes,
                          const void *others, size_t n, void *reports) {
  if (offset_bytes == 4 && code_bytes == 4)
    replace_uint32_t_uint32_t(last, others, n, reports);
  else if (offset_bytes == 4)
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
