/* SPDX-License-Identifier: MIT
 *
 * exp(-x) to any precision. */
#ifndef CYDP_SAMPLERS_EXPONENTIAL_H
#define CYDP_SAMPLERS_EXPONENTIAL_H

#include <stddef.h>
#include <stdint.h>

/* Sets out to exp(-x) with n fraction limbs: the true value is in [out, out + 2 ulps). x
 * has n + 1 fraction limbs and stands for any value in [x, x + 2 of its ulps). n <= 17,
 * x < 2^11. */
void cydp_exp_negative(size_t n, uint64_t *out, const uint64_t *x);

#endif
