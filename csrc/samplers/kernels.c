/* SPDX-License-Identifier: MIT
 * The tables of kernels, one for each instruction set. */
#include "samplers/kernels.h"

const cydp_samplers_table cydp_samplers_tables[CYDP_ISAS] = {
    CYDP_TABLES(CYDP_SAMPLERS_KERNELS)};
