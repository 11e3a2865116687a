/* SPDX-License-Identifier: MIT
 * The inverse CDF in single precision: its error at every x that a kernel can meet, below
 * the bound that docs/samplers/inverse_cdf.md proves; the kernels are what is measured;
 * and they decide as the double kernel does. Wrong constants are noticed. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential_tails.h"
#include "samplers/inverse_cdf.h"
#include "samplers/kernels.h"
#include "tests/check.h"
#include "tests/samplers/lanes.h"

#include <math.h>
#include <string.h>

/* A quarter of what the guard band allows. */
#define PROVED_RELATIVE (CYDP_LOG_SINGLE_ERROR / 4)
#define PROVED_ABSOLUTE (CYDP_LOG_SINGLE_ABSOLUTE / 4)

typedef struct scale {
  uint64_t numerator, denominator;
} scale;

static cydp_inverse_cdf_constants constants_of(scale t, long double *offset) {
  cydp_exponential_tails tails;
  cydp_inverse_cdf_method method;
  cydp_fixed inverse;
  bool exact;
  CHECK(cydp_fixed_divide(CYDP_MOST_LIMBS + 2, inverse, &t.denominator, 1, &t.numerator,
                          1, &exact) == CYDP_OK);
  cydp_exponential_tails_prepare(&tails, inverse, false);
  cydp_inverse_cdf_prepare(&method, &tails, 31);
  CHECK(method.certain && method.constants.single.usable);
  long double rate = (long double)t.denominator / (long double)t.numerator;
  *offset = (logl(2) - log1pl(expl(-rate))) / rate;
  return method.constants;
}

/* y - 1/2 by the kernels' operations, as a whole number and a part. */
typedef struct approximation {
  float whole, part;
} approximation;

/* r q(r), which depends on the mantissa alone. */
typedef struct series {
  int interval;
  float r, sum;
} series;

static series series_of(const cydp_inverse_cdf_single *single, float m) {
  uint32_t bits;
  memcpy(&bits, &m, sizeof bits);
  int interval = bits >> 20 & (CYDP_LOG_INTERVALS - 1);
  const float *q = single->q;
  float r = fmaf(m, single->inverse[interval], -1), r2 = r * r;
  float upper = fmaf(q[4], r, q[3]), lower = fmaf(q[2], r, q[1]);
  return (series){interval, r, fmaf(fmaf(upper, r2, lower), r, q[0])};
}

static approximation approximate(const cydp_inverse_cdf_single *single, const series *s,
                                 int exponent) {
  const float e = (float)exponent;
  float part = fmaf(-e, single->step_part, single->start_part[s->interval]);
  return (approximation){fmaf(-e, single->step_whole, single->start_whole[s->interval]),
                         fmaf(s->r, s->sum, part)};
}

/* The largest error over every x = 2^E m that a u above the tail gives, as a share of
 * what is proved. Of the 2^23 mantissas every `stride`-th is tried. */
static double largest_error(const cydp_inverse_cdf_constants *constants, scale at,
                            long double offset, uint32_t stride) {
  const cydp_inverse_cdf_single *single = &constants->single;
  const long double t = (long double)at.numerator / (long double)at.denominator;
  const long double ln2 = logl(2);
  const double proved = (double)t * PROVED_RELATIVE + PROVED_ABSOLUTE;
  const int least = ilogb(2 * (double)constants->tail);
  double worst = 0;
  for (uint32_t mantissa = 0; mantissa < UINT32_C(1) << 23; mantissa += stride) {
    float m = 1 + ldexpf((float)mantissa, -23);
    const long double at_m = offset - 0.5L - t * logl(m);
    const series s = series_of(single, m);
    for (int exponent = least; exponent < 32; exponent++) {
      approximation y = approximate(single, &s, exponent);
      double exact = (double)(at_m + t * ln2 * (32 - exponent) - (long double)y.whole);
      worst = fmax(worst, fabs((double)y.part - exact));
    }
  }
  return worst / proved;
}

static void errors_stay_below_the_bound(void) {
  const scale scales[] = {{1024, 1}, {1, 1}, {11, 2}, {10, 1}, {1000, 3}, {65432, 79}};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    long double offset;
    cydp_inverse_cdf_constants constants = constants_of(scales[i], &offset);
    double share = largest_error(&constants, scales[i], offset, i == 0 ? 1 : 17);
    CHECK(share < 1 && share > 0.1); /* the bound is not idle */
    double t = (double)scales[i].numerator / (double)scales[i].denominator;
    double least = t * (0.5 / (double)constants.tail + CYDP_LOG_SINGLE_ERROR);
    CHECK(constants.guard > least + CYDP_LOG_SINGLE_ABSOLUTE);
    CHECK(constants.single.decided < 0.5 - constants.guard);
  }
}

static void wrong_constants_are_noticed(void) {
  const scale at = {1024, 1};
  long double offset;
  const cydp_inverse_cdf_constants right = constants_of(at, &offset);
  /* In relative terms: q[0] by 2 to 4 ulps, coefficients of higher powers by more. */
  const int change[] = {-22, -17, -12, -8, -3, -22, -18, -13};
  for (int which = 0; which < 8; which++) {
    cydp_inverse_cdf_constants wrong = right;
    cydp_inverse_cdf_single *single = &wrong.single;
    float *off[] = {&single->q[0],       &single->q[1],       &single->q[2],
                    &single->q[3],       &single->q[4],       &single->inverse[2],
                    &single->step_part, &single->start_part[5]};
    *off[which] *= 1 + ldexpf(1, change[which]);
    CHECK(largest_error(&wrong, at, offset, 97) > 1);
  }
}

/* x = (2 u + 1) rounded as each instruction set rounds it, which gives another x for some
 * u >= 2^23. */
static float argument_of(const char *isa, uint32_t word) {
  return strcmp(isa, "avx2") == 0 ? 2 * ((float)(int32_t)(word >> 1) + 0.5F)
                                  : (float)(word | 1);
}

static bool expected_of(const cydp_inverse_cdf_single *single, float x, uint32_t word,
                        int64_t *value) {
  int exponent = ilogbf(x);
  const series s = series_of(single, ldexpf(x, -exponent));
  approximation y = approximate(single, &s, exponent);
  float k = rintf(y.part);
  *value = (int64_t)(y.whole + k) * (word & 1 ? -1 : 1);
  return fabsf(y.part - k) < single->decided && x > 2 * single->tail;
}

/* Words of 32 bits, and shorter ones. */
static uint32_t word_of(uint32_t i) {
  return i * UINT32_C(0x9e3779b1) >> (i % 29 < 15 ? i % 29 : 0);
}

enum { BATCHES = 256 };

/* Whether its narrow kernel is in single precision; NEON's is in double. */
static bool is_single(const cydp_samplers_table *kernels) {
  return kernels->inverse_cdf_narrow != cydp_inverse_cdf_narrow_portable &&
         strcmp(kernels->isa, "neon") != 0;
}

/* Returns how many decided values differ from those that the double kernel decides. */
static size_t differences(const cydp_inverse_cdf_constants *constants) {
  static uint32_t words[CYDP_BATCH];
  static int64_t values[CYDP_BATCH], others[CYDP_BATCH];
  size_t different = 0;
  const cydp_samplers_table *kernels;
  for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++) {
    if (!is_single(kernels))
      continue;
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
      uint8_t open[CYDP_BATCH / 8], other_open[CYDP_BATCH / 8];
      for (uint32_t i = 0; i < CYDP_BATCH; i++)
        words[i] = word_of(batch * CYDP_BATCH + i);
      kernels->inverse_cdf_narrow(constants, words, CYDP_BATCH, values, open);
      cydp_inverse_cdf_narrow_portable(constants, words, CYDP_BATCH, others, other_open);
      for (uint32_t i = 0; i < CYDP_BATCH; i++) {
        int64_t value;
        float x = argument_of(kernels->isa, words[i]);
        bool decided = expected_of(&constants->single, x, words[i], &value);
        CHECK(decided == !(open[i / 8] >> i % 8 & 1));
        CHECK(!decided || value == values[i]);
        bool both = decided && !(other_open[i / 8] >> i % 8 & 1);
        different += both && values[i] != others[i];
      }
    }
  }
  return different;
}

static void kernels_are_what_is_measured(void) {
  const scale scales[] = {{1, 1}, {11, 2}, {10, 1}, {1000, 3}, {1024, 1}};
  const bool any = is_single(cydp_samplers_kernels_at(0)); /* the best one */
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    long double offset;
    cydp_inverse_cdf_constants constants = constants_of(scales[i], &offset);
    CHECK(differences(&constants) == 0);
    constants.guard = CYDP_LOG_ERROR; /* of the double kernel: next to nothing is open */
    constants.single.decided = 0.5F;  /* no guard */
    if (scales[i].numerator > 500)
      CHECK((differences(&constants) > 0) == any);
  }
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  errors_stay_below_the_bound();
  wrong_constants_are_noticed();
  kernels_are_what_is_measured();
  return 0;
}
