/* SPDX-License-Identifier: MIT
 *
 * Contribution bounding: which rows of a user stay. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_CHOICE_H
#define CYDP_EXACT_CONTRIBUTIONS_CHOICE_H

#include "exact/contributions_passes.h"

/* The memory that a thread works with. */
typedef struct cydp_row_choice cydp_row_choice;

cydp_row_choice *cydp_row_choice_new(void); /* or NULL */

void cydp_row_choice_free(cydp_row_choice *choice);

/* Marks the rows of a part that stay. Returns false if memory ran out. */
bool cydp_choose_rows(cydp_bounding *bounding, const cydp_part_rows *part,
                      cydp_row_choice *choice);

#endif
