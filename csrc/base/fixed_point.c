/* SPDX-License-Identifier: MIT
 * Fixed-point arithmetic that always rounds down; contracts in fixed_point.h. */
#include "base/fixed_point.h"
#include "cydp.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

size_t cydp_significant_limbs(const uint64_t *limbs, size_t n) {
  while (n > 0 && limbs[n - 1] == 0)
    n--;
  return n;
}

cydp_rational cydp_drop_zero_limbs(const cydp_rational *x) {
  cydp_rational trimmed = *x;
  trimmed.numerator_limbs = cydp_significant_limbs(x->numerator, x->numerator_limbs);
  trimmed.denominator_limbs =
      cydp_significant_limbs(x->denominator, x->denominator_limbs);
  return trimmed;
}

int cydp_fixed_compare(size_t n, const uint64_t *a, const uint64_t *b) {
  for (size_t i = n + 1; i-- > 0;)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

void cydp_fixed_add(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b) {
  uint128 sum = 0;
  for (size_t i = 0; i <= n; i++) {
    sum += (uint128)a[i] + b[i];
    out[i] = (uint64_t)sum;
    sum >>= 64;
  }
}

void cydp_fixed_add_ulps(size_t n, uint64_t *a, uint64_t ulps) {
  for (size_t i = 0; i <= n && ulps; i++) {
    a[i] += ulps;
    ulps = a[i] < ulps;
  }
}

void cydp_fixed_subtract(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b) {
  uint64_t borrow = 0;
  for (size_t i = 0; i <= n; i++) {
    uint128 difference = (uint128)a[i] - b[i] - borrow;
    out[i] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
}

void cydp_fixed_multiply(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b) {
  uint64_t product[2 * CYDP_FIXED_LIMBS];
  memset(product, 0, sizeof(uint64_t) * (n + 1));
  for (size_t i = 0; i <= n; i++) {
    uint64_t carry = 0;
    for (size_t j = 0; j <= n; j++) {
      uint128 term = (uint128)a[i] * b[j] + product[i + j] + carry;
      product[i + j] = (uint64_t)term;
      carry = (uint64_t)(term >> 64);
    }
    product[i + n + 1] = carry;
  }
  memcpy(out, product + n, sizeof(uint64_t) * (n + 1));
}

void cydp_fixed_multiply_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word) {
  uint64_t carry = 0;
  for (size_t i = 0; i <= n; i++) {
    uint128 term = (uint128)a[i] * word + carry;
    out[i] = (uint64_t)term;
    carry = (uint64_t)(term >> 64);
  }
}

void cydp_fixed_divide_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word) {
  uint64_t remainder = 0;
  for (size_t i = n + 1; i-- > 0;) {
    uint128 part = (uint128)remainder << 64 | a[i];
    out[i] = (uint64_t)(part / word);
    remainder = (uint64_t)(part % word);
  }
}

void cydp_fixed_shift_right(size_t n, uint64_t *out, const uint64_t *a, unsigned bits) {
  size_t limbs = bits / 64;
  unsigned rest = bits % 64;
  for (size_t i = 0; i <= n; i++) {
    uint64_t low = i + limbs <= n ? a[i + limbs] : 0;
    uint64_t high = i + limbs + 1 <= n ? a[i + limbs + 1] : 0;
    out[i] = rest ? low >> rest | high << (64 - rest) : low;
  }
}

/* Sets remainder to 2 remainder + bit, and subtracts the divisor if it is no larger;
 * returns whether it was. The remainder has one limb more than the divisor. */
static uint64_t divide_step(uint64_t *remainder, unsigned bit, const uint64_t *divisor,
                            size_t limbs) {
  for (size_t i = limbs; i > 0; i--)
    remainder[i] = remainder[i] << 1 | remainder[i - 1] >> 63;
  remainder[0] = remainder[0] << 1 | bit;
  if (remainder[limbs] == 0 && cydp_fixed_compare(limbs - 1, remainder, divisor) < 0)
    return 0;
  cydp_fixed_subtract(limbs - 1, remainder, remainder, divisor);
  remainder[limbs] = 0; /* what is left is below the divisor */
  return 1;
}

/* cydp_fixed_divide for a denominator of one limb. */
static cydp_status divide_by_limb(size_t n, uint64_t *out, const uint64_t *numerator,
                                  size_t numerator_limbs, uint64_t denominator,
                                  bool *exact) {
  uint64_t remainder = 0, above = 0;
  for (size_t i = numerator_limbs; i-- > 0;) {
    uint128 part = (uint128)remainder << 64 | numerator[i];
    above |= i > 0 ? (uint64_t)(part / denominator) : 0;
    out[n] = (uint64_t)(part / denominator);
    remainder = (uint64_t)(part % denominator);
  }
  out[n] = numerator_limbs > 0 ? out[n] : 0;
  for (size_t limb = n; limb-- > 0;) {
    uint128 part = (uint128)remainder << 64;
    out[limb] = (uint64_t)(part / denominator);
    remainder = (uint64_t)(part % denominator);
  }
  *exact = remainder == 0;
  return above ? CYDP_ERROR_DOMAIN : CYDP_OK;
}

cydp_status cydp_fixed_divide(size_t n, uint64_t *out, const uint64_t *numerator,
                              size_t numerator_limbs, const uint64_t *denominator,
                              size_t denominator_limbs, bool *exact) {
  if (denominator_limbs == 1)
    return divide_by_limb(n, out, numerator, numerator_limbs, denominator[0], exact);
  uint64_t *remainder = calloc(denominator_limbs + 1, sizeof *remainder);
  if (!remainder)
    return CYDP_ERROR_MEMORY;
  /* The division begins with the upper limbs of the numerator: as many as are surely less
   * than the denominator. */
  size_t first =
      numerator_limbs < denominator_limbs - 1 ? numerator_limbs : denominator_limbs - 1;
  memcpy(remainder, numerator + numerator_limbs - first, first * sizeof *remainder);
  size_t bits = 64 * (numerator_limbs - first);
  bool fits = true;
  uint64_t integer = 0;
  for (size_t i = bits; i-- > 0;) {
    unsigned bit = numerator[i / 64] >> (i % 64) & 1;
    fits = fits && integer >> 63 == 0;
    integer = integer << 1 | divide_step(remainder, bit, denominator, denominator_limbs);
  }
  out[n] = integer;
  for (size_t limb = n; limb-- > 0;) {
    out[limb] = 0;
    for (int i = 0; i < 64; i++)
      out[limb] =
          out[limb] << 1 | divide_step(remainder, 0, denominator, denominator_limbs);
  }
  *exact = cydp_significant_limbs(remainder, denominator_limbs) == 0;
  free(remainder);
  return fits ? CYDP_OK : CYDP_ERROR_DOMAIN;
}
