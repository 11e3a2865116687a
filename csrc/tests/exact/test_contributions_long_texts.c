/* SPDX-License-Identifier: MIT
 * Contribution bounding of users that are strings: the same tests of the longer records. */
#define WORDS 5
#include "tests/exact/test_contributions_texts.c"
