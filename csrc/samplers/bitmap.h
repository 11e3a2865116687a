/* SPDX-License-Identifier: MIT
 * A bit for each candidate of a batch, lowest first. */
#ifndef CYDP_SAMPLERS_BITMAP_H
#define CYDP_SAMPLERS_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool bit_at(const uint8_t *bits, size_t i) {
  return bits[i / 8] >> i % 8 & 1;
}

/* Has no branch, so that a clock sees neither `yes` nor i. */
static inline void set_bit(uint8_t *bits, size_t i, bool yes) {
  unsigned bit = 1U << i % 8;
  bits[i / 8] = (uint8_t)((bits[i / 8] & ~bit) | (unsigned)yes << i % 8);
}

/* Stores the lowest bit of `answer` if `real` is all ones, nothing if it is 0. */
static inline void store_bit(uint8_t *bits, size_t i, uint64_t answer, uint64_t real) {
  set_bit(bits, i, (answer & real) | (bit_at(bits, i) & ~real));
}

#endif
