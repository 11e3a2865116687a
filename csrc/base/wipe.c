/* SPDX-License-Identifier: MIT
 * Wiping: the compiler must believe that the zeros are read. */
#include "base/wipe.h"

#include <string.h>

void cydp_wipe(void *memory, size_t n) {
  memset(memory, 0, n);
  __asm__ __volatile__("" : : "r"(memory) : "memory");
}
