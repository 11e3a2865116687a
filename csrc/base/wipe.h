/* SPDX-License-Identifier: MIT
 *
 * Memory that held secrets. */
#ifndef CYDP_BASE_WIPE_H
#define CYDP_BASE_WIPE_H

#include <stddef.h>

/* Sets n bytes to 0; the compiler may not leave this out. */
void cydp_wipe(void *memory, size_t n);

/* Sets all vector registers to 0: what is left in them reaches the stack whenever something
 * saves registers, such as a linker that binds a function at its first call. Those parts that
 * a callee must keep (of xmm6 to xmm15 on Windows, of v8 to v15 on AArch64) are the
 * caller's, and stay. */
void cydp_wipe_registers(void);

/* Wipes all vector registers, and the stack below the caller's frame, where functions that
 * it called have worked: a compiler may have put registers with keys or random bits there. */
void cydp_wipe_stack(void);

#endif
