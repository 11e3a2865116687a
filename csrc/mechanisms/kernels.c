/* SPDX-License-Identifier: MIT
 * The tables of kernels, one for each instruction set. */
#include "mechanisms/kernels.h"

const cydp_mechanisms_table cydp_mechanisms_tables[CYDP_ISAS] = {
    CYDP_TABLES(CYDP_MECHANISMS_KERNELS)};
