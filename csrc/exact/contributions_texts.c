/* SPDX-License-Identifier: MIT
 * Contribution bounding: records of 32 bytes, which hold strings of up to 15 bytes.
 * docs/exact/contributions.md. */
#define WORDS 2
#define FORM cydp_record_texts
#include "exact/contributions_texts.h"
