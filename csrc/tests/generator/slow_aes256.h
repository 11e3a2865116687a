/* SPDX-License-Identifier: MIT
 *
 * AES-256 as FIPS 197 writes it, byte by byte: an oracle for tests, slow and with tables. */
#ifndef CYDP_TESTS_SLOW_AES256_H
#define CYDP_TESTS_SLOW_AES256_H

#include <stdint.h>
#include <string.h>

enum { SLOW_ROUNDS = 14, SLOW_KEY_BYTES = 16 * (SLOW_ROUNDS + 1) };

/* The product by x modulo x^8 + x^4 + x^3 + x + 1, section 4.2. */
static inline uint8_t slow_double(uint8_t a) {
  return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);
}

static inline uint8_t slow_product(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b; b = (uint8_t)(b >> 1), a = slow_double(a))
    product = (uint8_t)(product ^ (b & 1) * a);
  return product;
}

/* The S-box, section 5.1.1: the inverse, a^254, and an affine map. */
static inline uint8_t slow_substitute(uint8_t a) {
  uint8_t inverse = 1;
  for (int i = 0; i < 254; i++)
    inverse = slow_product(inverse, a);
  uint8_t b = inverse;
  for (int i = 1; i <= 4; i++)
    b = (uint8_t)(b ^ (inverse << i | inverse >> (8 - i)));
  return b ^ 0x63;
}

/* Section 5.2, as bytes. */
static inline void slow_round_keys(const uint8_t key[32], uint8_t keys[SLOW_KEY_BYTES]) {
  uint8_t constant = 1;
  memcpy(keys, key, 32);
  for (int i = 32; i < SLOW_KEY_BYTES; i += 4) {
    uint8_t word[4];
    memcpy(word, keys + i - 4, 4);
    if (i % 16 == 0) {
      for (int j = 0; j < 4; j++)
        word[j] = slow_substitute(keys[i - 4 + (i % 32 ? j : (j + 1) % 4)]);
      if (i % 32 == 0) {
        word[0] ^= constant;
        constant = slow_double(constant);
      }
    }
    for (int j = 0; j < 4; j++)
      keys[i + j] = keys[i + j - 32] ^ word[j];
  }
}

/* Section 5.1. */
static inline void slow_encrypt(const uint8_t keys[SLOW_KEY_BYTES], const uint8_t in[16],
                                uint8_t out[16]) {
  for (int i = 0; i < 16; i++)
    out[i] = in[i] ^ keys[i];
  for (int round = 1; round <= SLOW_ROUNDS; round++) {
    uint8_t rows[16];
    for (int i = 0; i < 16; i++)
      rows[i] = slow_substitute(out[(i + 4 * (i % 4)) % 16]);
    for (int i = 0; i < 16; i++) {
      const uint8_t *column = rows + i / 4 * 4;
      uint8_t a = column[i % 4], b = column[(i + 1) % 4];
      uint8_t mixed = (uint8_t)(slow_double(a) ^ slow_double(b) ^ b ^ column[(i + 2) % 4] ^
                                column[(i + 3) % 4]);
      out[i] = (round < SLOW_ROUNDS ? mixed : a) ^ keys[16 * round + i];
    }
  }
}

#endif
