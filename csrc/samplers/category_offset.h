/* SPDX-License-Identifier: MIT
 *
 * Offsets among K categories. */
#ifndef CYDP_SAMPLERS_CATEGORY_OFFSET_H
#define CYDP_SAMPLERS_CATEGORY_OFFSET_H

#include "cydp.h"

#define CYDP_CATEGORY_OFFSET_ERROR                                                       \
  0x1p-46 /* 16 times what docs/samplers/category_offset.md proves of y / K */

/* Returns the number of categories of a sampler that cydp_category_offset_new made, or 0
 * for another sampler. */
uint64_t cydp_category_offset_categories(const cydp_sampler *sampler);

#endif
