/* SPDX-License-Identifier: MIT
 * Wiping: the compiler must believe that the zeros are read. */
#include "base/wipe.h"

#include <stdint.h>
#include <string.h>

void cydp_wipe(void *memory, size_t n) {
  memset(memory, 0, n);
  __asm__ __volatile__("" : : "r"(memory) : "memory");
}

__attribute__((noinline)) void cydp_wipe_stack(void) {
  uint8_t frame[3072]; /* a kernel's frame takes up to 1 KiB, and its caller's 1.5 KiB */
  cydp_wipe(frame, sizeof frame);
}
