/* SPDX-License-Identifier: MIT
 *
 * Offsets among K categories. */
#ifndef CYDP_SAMPLERS_CATEGORY_OFFSET_H
#define CYDP_SAMPLERS_CATEGORY_OFFSET_H

#include "cydp.h"

#define CYDP_SHIFT_ERROR 0x1p-46 /* 16 times what docs/sampling.md proves of y / K */

/* The categories of a law of cydp_category_offset_new, 0 of any other. */
uint64_t cydp_shift_categories(const cydp_sampler *sampler);

#endif
