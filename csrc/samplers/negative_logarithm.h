/* SPDX-License-Identifier: MIT
 *
 * -ln(x) to any precision. */
#ifndef CYDP_SAMPLERS_NEGATIVE_LOGARITHM_H
#define CYDP_SAMPLERS_NEGATIVE_LOGARITHM_H

#include "cydp.h"

/* Sets bounds of -ln(x) for 0 < x <= 1 with n fraction limbs. Returns CYDP_ERROR_MEMORY
 * if memory ran out. */
cydp_status cydp_negative_logarithm(size_t n, uint64_t *low, uint64_t *high,
                                    const uint64_t *x);

#endif
