/* SPDX-License-Identifier: MIT
 *
 * Magnitudes by a CDF table, of 16 bits an entry. */
#ifndef CYDP_SAMPLERS_CDF_TABLE_H
#define CYDP_SAMPLERS_CDF_TABLE_H

#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"

/* How magnitudes are drawn by a CDF table. The second look is by the inverse CDF, or, if
 * `second_look` is NULL, by the rounded T_k. */
typedef struct cydp_cdf_table_method {
  const cydp_tails *tails;
  const double *rounded; /* T_k within CYDP_TAIL_ERROR of itself */
  size_t terms;
  const cydp_inverse_cdf_constants *second_look;
  double rate; /* probability of undecided, at most */
  cydp_cdf_table table;
} cydp_cdf_table_method;
/* At least 16 times what docs/samplers/cdf_table.md proves. */
#define CYDP_TAIL_ERROR 0x1p-40
#define CYDP_LEAST_TAIL 0x1p-60
void cydp_cdf_table_prepare(cydp_cdf_table_method *method, const cydp_tails *tails,
                            const double *rounded, size_t terms);
cydp_status cydp_cdf_table_map(const cydp_cdf_table_method *method,
                               const cydp_batch *batch, const uint16_t *words,
                               uint16_t *magnitudes);
/* Returns an upper bound of the probability with which the rounded T_k leave a candidate
 * to the exact comparison. */
double cydp_cdf_table_resolve_rate(const cydp_cdf_table_method *method);

#endif
