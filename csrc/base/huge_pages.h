/* SPDX-License-Identifier: MIT
 *
 * Large scratch memory. */
#ifndef CYDP_BASE_HUGE_PAGES_H
#define CYDP_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Memory, in huge pages where there are any; NULL if it ran out. For free(). */
void *cydp_huge_pages_allocate(size_t bytes);

/* The same, of zeros. */
void *cydp_huge_pages_zeros(size_t bytes);

#endif
