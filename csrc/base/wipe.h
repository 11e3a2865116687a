/* SPDX-License-Identifier: MIT
 *
 * Memory that held secrets. */
#ifndef CYDP_BASE_WIPE_H
#define CYDP_BASE_WIPE_H

#include <stddef.h>

/* Overwrites in a way that the compiler may not leave out. */
void cydp_wipe(void *memory, size_t n);

#endif
