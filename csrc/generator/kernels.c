/* SPDX-License-Identifier: MIT
 * The tables of kernels, one for each instruction set. */
#include "generator/kernels.h"

const cydp_generator_table cydp_generator_tables[CYDP_ISAS] = {
    CYDP_TABLES(CYDP_GENERATOR_KERNELS)};
