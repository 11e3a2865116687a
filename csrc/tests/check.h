/* SPDX-License-Identifier: MIT
 * CHECK stays alive in release builds, unlike assert. */
#ifndef CYDP_TESTS_CHECK_H
#define CYDP_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);          \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

#endif
