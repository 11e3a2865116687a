/* SPDX-License-Identifier: MIT
 * The tables of kernels, one for each instruction set. */
#include "exact/kernels.h"

const cydp_exact_table cydp_exact_tables[CYDP_ISAS] = {CYDP_TABLES(CYDP_EXACT_KERNELS)};
