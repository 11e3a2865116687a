/* SPDX-License-Identifier: MIT
 * How the library was compiled. */
#include "cydp.h"

#include <string.h>

unsigned cydp_abi_version(void) { return CYDP_ABI_VERSION; }

const char *cydp_compiler(void) {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

const char *cydp_flags(void) {
  const char *flags = CYDP_FLAGS;
  return flags + strspn(flags, " ");
}

bool cydp_is_release(void) {
#ifdef NDEBUG
  return true;
#else
  return false;
#endif
}
