/* SPDX-License-Identifier: MIT
 *
 * Fixed-point arithmetic that always rounds down. */
#ifndef CYDP_BASE_FIXED_POINT_H
#define CYDP_BASE_FIXED_POINT_H

#include "cydp.h"

/* Numbers 0 <= x < 2^64 in limbs of 64 bits, least significant first: n fraction limbs
 * and then one for the integer part. Every operation rounds down; an "ulp" is 2^(-64 n).
 */
#define CYDP_FIXED_LIMBS 24
typedef uint64_t cydp_fixed[CYDP_FIXED_LIMBS];

int cydp_fixed_compare(size_t n, const uint64_t *a, const uint64_t *b);
void cydp_fixed_add(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_add_ulps(size_t n, uint64_t *a, uint64_t ulps);
void cydp_fixed_subtract(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_multiply(size_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void cydp_fixed_multiply_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word);
void cydp_fixed_divide_word(size_t n, uint64_t *out, const uint64_t *a, uint64_t word);
void cydp_fixed_shift_right(size_t n, uint64_t *out, const uint64_t *a, unsigned bits);

/* Sets out to floor(numerator / denominator * 2^(64 n)), and *exact to whether that is
 * the quotient itself. Returns CYDP_ERROR_DOMAIN if the quotient is 2^64 or more, or
 * CYDP_ERROR_MEMORY. The denominator's top limb is not 0. */
cydp_status cydp_fixed_divide(size_t n, uint64_t *out, const uint64_t *numerator,
                              size_t numerator_limbs, const uint64_t *denominator,
                              size_t denominator_limbs, bool *exact);

/* Returns the number of limbs without the zeros at the upper end. */
size_t cydp_significant_limbs(const uint64_t *limbs, size_t n);

/* Returns the same number without the zeros at the upper ends: 0 has no limbs. */
cydp_rational cydp_drop_zero_limbs(const cydp_rational *x);

#endif
