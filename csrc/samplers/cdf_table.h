/* SPDX-License-Identifier: MIT
 *
 * Magnitudes by a table of 16-bit thresholds. */
#ifndef CYDP_SAMPLERS_CDF_TABLE_H
#define CYDP_SAMPLERS_CDF_TABLE_H

#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"
#include "samplers/kernels.h"

/* Magnitudes by 16-bit thresholds. The second look is at the logarithm, or NULL, or the
 * rounded T_k. */
typedef struct cydp_cdf_table_route {
  const cydp_tails *tails;
  const double *rounded; /* T_k within CYDP_TAIL_ERROR of itself */
  size_t terms;
  const cydp_inverse_cdf_law *wide;
  double rate;
  cydp_cdf_table law;
} cydp_cdf_table_route;
#define CYDP_TAIL_ERROR 0x1p-40 /* 16 times what docs/sampling.md proves, and more */
#define CYDP_LEAST_TAIL 0x1p-60
void cydp_cdf_table_route_set(cydp_cdf_table_route *route, const cydp_tails *tails,
                              const double *rounded, size_t terms);
cydp_status cydp_cdf_table_magnitudes(const cydp_cdf_table_route *route,
                                      const cydp_batch *batch, const uint16_t *words,
                                      uint16_t *magnitudes);
/* With what probability the rounded T_k leave a candidate to the resolver, at most. */
double cydp_cdf_table_resolved(const cydp_cdf_table_route *route);

#endif
