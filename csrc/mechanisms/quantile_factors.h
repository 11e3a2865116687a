/* SPDX-License-Identifier: MIT
 *
 * The factors by which a gap counts less the further it is from the quantile.
 * docs/mechanisms/quantile.md. */
#ifndef CYDP_MECHANISMS_QUANTILE_FACTORS_H
#define CYDP_MECHANISMS_QUANTILE_FACTORS_H

#include "base/fixed_point.h"
#include "cydp.h"
#include "samplers/exact_comparison.h"

/* Limbs of U with which a choice begins: more are needed with a probability below 2^-62. */
#define CYDP_QUANTILE_LIMBS 3

/* A distance from q n, times b: at most b for the first gap of a side. */
#define CYDP_DISTANCE_BITS 64
__extension__ typedef unsigned __int128 cydp_distance;

/* exp(-rate d / b) for the powers of two d <= b, and for d = b, in `limbs` fraction limbs.
 * Each is rounded down by less than 2 ulps. */
typedef struct cydp_quantile_factors {
  size_t limbs;
  size_t powers;  /* from d = 2^powers on, d > b or the factor is below an ulp */
  uint64_t reach; /* from d = reach b on, the factor is below an ulp */
  uint64_t power[CYDP_DISTANCE_BITS * CYDP_MOST_LIMBS]; /* `limbs` for each */
  uint64_t gap[CYDP_MOST_LIMBS];                        /* for d = b */
} cydp_quantile_factors;

struct cydp_quantile {
  uint64_t a, b;   /* q = a / b */
  cydp_fixed rate; /* over b, with CYDP_RATE_FRACTION fraction limbs, rounded down */
  double over_b;   /* the same, rounded; infinite if it is 2^64 or more */
  cydp_quantile_factors factors; /* of CYDP_QUANTILE_LIMBS */
};
#define CYDP_RATE_FRACTION (CYDP_MOST_LIMBS + 4)

/* Computes the factors with `limbs` <= CYDP_MOST_LIMBS. */
void cydp_prepare_factors(const cydp_quantile *quantile, size_t limbs,
                          cydp_quantile_factors *factors);

/* Returns the lower half of a b + c + *carry, and sets *carry to the upper half. */
static inline __attribute__((always_inline)) uint64_t cydp_multiply_add(uint64_t a,
                                                                        uint64_t b,
                                                                        uint64_t c,
                                                                        uint64_t *carry) {
  cydp_distance product = (cydp_distance)a * b;
  uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
  low += c;
  high += low < c;
  low += *carry;
  high += low < *carry;
  *carry = high;
  return low;
}

/* Sets out to a b, rounded down. All have `limbs` fraction limbs and no integer part; out
 * may be a. */
static inline __attribute__((always_inline)) void
cydp_multiply_factors(size_t limbs, uint64_t *out, const uint64_t *a, const uint64_t *b) {
  uint64_t product[2 * CYDP_MOST_LIMBS];
  for (size_t i = 0; i < limbs; i++)
    product[i] = 0;
  for (size_t i = 0; i < limbs; i++) {
    uint64_t carry = 0;
    for (size_t j = 0; j < limbs; j++) {
      product[i + j] = cydp_multiply_add(a[i], b[j], product[i + j], &carry);
    }
    product[i + limbs] = carry;
  }
  for (size_t i = 0; i < limbs; i++)
    out[i] = product[i + limbs];
}

/* Sets out to the factor of a distance of at most b, rounded down by less than
 * 3 CYDP_DISTANCE_BITS + 1 ulps. */
void cydp_factor_of(const cydp_quantile_factors *factors, cydp_distance distance,
                    uint64_t *out);

#endif
