/* SPDX-License-Identifier: MIT
 * From quotients and remainders to values, the version to read: the accepted ones, one
 * behind the other. docs/samplers.md. */
#include "samplers/bitmap.h"
#include "samplers/kernels.h"
#include "samplers/quotient_remainder.h"

size_t cydp_recombine_gaussian_portable(const cydp_gaussian_constants *constants,
                                        const void *words, const uint16_t *x,
                                        const uint8_t *accepted, size_t n, int64_t *out) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t sign = (int64_t)(gaussian_word(constants, words, i) & 1);
    int64_t magnitude = (int64_t)((uint64_t)x[i] << constants->shift |
                                  gaussian_remainder(constants, words, i));
    out[count] = (magnitude ^ -sign) + sign;
    count += bit_at(accepted, i) & ((magnitude != 0) | (sign == 0));
  }
  return count;
}

static inline uint64_t word_at(unsigned width, const void *words, size_t i) {
  return width == 4 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

size_t cydp_recombine_laplace_portable(unsigned shift, const uint64_t *signs,
                                       unsigned width, const void *remainders,
                                       const int64_t *quotients, const uint8_t *accepted,
                                       size_t n, int64_t *out) {
  const uint64_t mask = (UINT64_C(1) << shift) - 1, most = (uint64_t)INT64_MAX >> shift;
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t sign = (int64_t)(signs[i] & 1);
    uint64_t quotient = (uint64_t)((quotients[i] ^ -sign) + sign);
    uint64_t recombined = quotient << shift | (word_at(width, remainders, i) & mask);
    int64_t magnitude = quotient > most ? INT64_MAX : (int64_t)recombined;
    out[count] = (magnitude ^ -sign) + sign;
    count += bit_at(accepted, i) & ((magnitude != 0) | (sign == 0));
  }
  return count;
}

void cydp_prefix_is_ones_portable(unsigned width, const void *words, unsigned bits,
                                  size_t n, uint8_t *found) {
  const uint64_t least = (UINT64_MAX >> (64 - bits)) << (8 * width - bits);
  for (size_t i = 0; i < n; i += 8) {
    size_t lanes = n - i < 8 ? n - i : 8;
    unsigned ones = 0;
    for (size_t j = 0; j < lanes; j++)
      ones |= (unsigned)(word_at(width, words, i + j) >= least) << j;
    found[i / 8] = (uint8_t)ones;
  }
}
