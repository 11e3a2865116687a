/* SPDX-License-Identifier: MIT
 * What tests use of POSIX and Windows lacks; there, it is included before all else. */
#ifndef CYDP_TESTS_POSIX_H
#define CYDP_TESTS_POSIX_H

#include <stdlib.h>

static inline int setenv(const char *name, const char *value, int overwrite) {
  (void)overwrite;
  return _putenv_s(name, value);
}

static inline int unsetenv(const char *name) { return _putenv_s(name, ""); }

#endif
