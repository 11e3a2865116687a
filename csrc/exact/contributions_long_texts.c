/* SPDX-License-Identifier: MIT
 * Contribution bounding: records of 56 bytes, which hold strings of up to 39 bytes.
 * docs/exact/contributions.md. */
#define WORDS 5
#define FORM cydp_record_long_texts
#include "exact/contributions_texts.h"
