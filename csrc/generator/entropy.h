/* SPDX-License-Identifier: MIT
 *
 * The operating system's random bytes. */
#ifndef CYDP_GENERATOR_ENTROPY_H
#define CYDP_GENERATOR_ENTROPY_H

#include "cydp.h"

/* n bytes from the operating system's generator, or CYDP_ERROR_ENTROPY. */
cydp_status cydp_entropy(void *out, size_t n);

#endif
