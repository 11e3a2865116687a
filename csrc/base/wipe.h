/* SPDX-License-Identifier: MIT
 *
 * Memory that held secrets. */
#ifndef CYDP_BASE_WIPE_H
#define CYDP_BASE_WIPE_H

#include <stddef.h>

/* Sets n bytes to 0; the compiler may not leave this out. */
void cydp_wipe(void *memory, size_t n);

/* Wipes the stack below the caller's frame, where functions that it called have worked: a
 * compiler may have put registers with keys or random bits there. */
void cydp_wipe_stack(void);

#endif
