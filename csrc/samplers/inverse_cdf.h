/* SPDX-License-Identifier: MIT
 *
 * Magnitudes by the inverse CDF, a logarithm. */
#ifndef CYDP_SAMPLERS_INVERSE_CDF_H
#define CYDP_SAMPLERS_INVERSE_CDF_H

#include "cydp.h"
#include "samplers/batch.h"
#include "samplers/exponential_tails.h"
#include "samplers/kernels.h"

/* The certified logarithm: ln(z) = -ln(c_i) + ln(1 + r), r = z c_i - 1, c_i ~ 1/z. */
extern const double cydp_log_inverse[CYDP_LOG_INTERVALS]; /* c_i */
extern const double cydp_log_centre[CYDP_LOG_INTERVALS];  /* -ln c_i */
extern const double cydp_log_q[CYDP_LOG_TERMS];           /* ln(1 + r) / r */
extern const double cydp_log_narrow_q[CYDP_LOG_NARROW_TERMS];
#define CYDP_LOG_OFFSET UINT64_C(0x3fe6000000000000) /* bits of the least z, 0.6875 */
/* Of y / scale: 16 times what docs/samplers/inverse_cdf.md proves. */
#define CYDP_LOG_ERROR 0x1p-40
/* Of y in single precision, besides: t times the first and the second, 4 times what is
 * proved. */
#define CYDP_LOG_SINGLE_ERROR 0x1p-24
#define CYDP_LOG_SINGLE_ABSOLUTE 0x1.8p-17

/* How magnitudes with a sign are drawn by the inverse CDF kernel. The second look at
 * narrow words is the same kernel, at 63 bits. */
typedef struct cydp_inverse_cdf_method {
  const cydp_exponential_tails *tails;
  cydp_inverse_cdf_constants constants, second_look;
  bool certain;                  /* false: the guard band fills everything */
  double rate, second_look_rate; /* probability that each look is undecided, at most */
} cydp_inverse_cdf_method;
void cydp_inverse_cdf_prepare(cydp_inverse_cdf_method *method,
                              const cydp_exponential_tails *tails, unsigned bits);
cydp_status cydp_inverse_cdf_map(const cydp_inverse_cdf_method *method,
                                 const cydp_batch *batch, const void *words,
                                 int64_t *out);
/* `look_again` of a decision whose answers are magnitudes. */
uint64_t cydp_inverse_cdf_look_again(const cydp_inverse_cdf_constants *constants,
                                     size_t n, const uint64_t *u, uint64_t *answers);

#endif
