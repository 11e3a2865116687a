/* SPDX-License-Identifier: MIT
 * Wiping: memory, the stack below a frame, and the vector registers. */
#include "base/wipe.h"
#include "tests/check.h"
#include "tests/registers.h"

#include <stdlib.h>

/* Bytes of registers that a callee must keep for its caller. */
static bool is_kept(size_t i, size_t byte) {
#if defined(_WIN32)
  return i >= 6 && i < 16 && byte < 16;
#elif defined(__aarch64__)
  return i >= 8 && i < 16 && byte < 8;
#else
  (void)i, (void)byte;
  return false;
#endif
}

static size_t ones(const vector_registers *at) {
  size_t n = 0;
  for (size_t i = 0; i < CYDP_REGISTERS; i++)
    for (size_t byte = 0; byte < sizeof at->words[i]; byte++)
      n += !is_kept(i, byte) && ((const uint8_t *)at->words[i])[byte] == 0x55;
  return n;
}

__attribute__((noinline)) static void nothing(void) { __asm__ __volatile__(""); }

static void registers_are_wiped(void) {
  void (*const wipes[])(void) = {nothing, cydp_wipe_registers, cydp_wipe_stack};
  for (size_t i = 0; i < sizeof wipes / sizeof *wipes; i++) {
    static vector_registers before, after;
    memset(&before, 0x55, sizeof before);
    memset(&after, 0, sizeof after);
    void (*const wipe)(void) = wipes[i];
    set_registers(&before);
    wipe();
    read_registers(&after);
#if defined(__x86_64__) || defined(__aarch64__)
    CHECK((ones(&after) > 0) == (i == 0)); /* or the search would prove nothing */
#endif
  }
}

static void memory_is_wiped(void) {
  uint8_t bytes[100];
  memset(bytes, 0x55, sizeof bytes);
  cydp_wipe(bytes + 1, sizeof bytes - 2);
  for (size_t i = 0; i < sizeof bytes; i++)
    CHECK((bytes[i] == 0x55) == (i == 0 || i == sizeof bytes - 1));
}

int main(void) {
  registers_are_wiped();
  memory_is_wiped();
}
