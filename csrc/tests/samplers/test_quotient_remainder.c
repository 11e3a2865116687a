/* SPDX-License-Identifier: MIT
 * The kernels of quotients and remainders, in every table that runs here, by their
 * definitions. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "generator/kernels.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential_tails.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"
#include "tests/check.h"
#include "tests/samplers/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 2 }; /* values, before and behind what may be written */

typedef struct candidate_parts {
  const void *words;
  const uint16_t *x, *v;
  size_t n;
} candidate_parts;

static uint64_t part_word(unsigned width, const void *words, size_t i) {
  uint64_t word = 0;
  memcpy(&word, (const char *)words + width * i, width);
  return word;
}

/* V < exp(-g) wherever it is decided; libm's exp is far better than the band is wide. */
static size_t acceptance_is_true(cydp_accept_kernel *kernel,
                                 const cydp_gaussian_constants *constants,
                                 candidate_parts parts, uint8_t *accepted) {
  size_t bytes = (parts.n + 7) / 8;
  lanes *undecided = no_lanes();
  memset(accepted, 0xa5, bytes + 1);
  kernel(constants, parts.words, parts.x, parts.v, parts.n, accepted, undecided->open);
  CHECK(accepted[bytes] == 0xa5);
  for (size_t i = 0; i < parts.n; i++) {
    uint64_t word = part_word(constants->width, parts.words, i);
    uint64_t remainder = word >> 1 & ((UINT64_C(1) << constants->shift) - 1);
    double r = (double)remainder * constants->step,
           g = r * (r + 2.0 * parts.x[i]) * constants->rate0;
    bool yes = accepted[i / 8] >> i % 8 & 1;
    double above = exp(-g) * 0x1p16 - parts.v[i];
    if (is_open(undecided, i)) {
      CHECK(g > 1.2499 || fabs(above - 0.5) < 1.5);
      continue;
    }
    CHECK(g < 1.2501);
    CHECK(yes ? above > 1 : above < 0);
  }
  return count_open(undecided, parts.n);
}

static int64_t bounded_value(__int128 magnitude, bool negative) {
  int64_t value = magnitude > INT64_MAX ? INT64_MAX : (int64_t)magnitude;
  return negative ? -value : value;
}

/* Compares with what is accepted of n candidates, one at a time. */
typedef struct expected {
  int64_t values[CYDP_BATCH];
  size_t count;
} expected;

static void expect(expected *all, __int128 magnitude, bool negative,
                   const uint8_t *accepted, size_t i) {
  if ((accepted[i / 8] >> i % 8 & 1) && !(magnitude == 0 && negative))
    all->values[all->count++] = bounded_value(magnitude, negative);
}

static void is_expected(const expected *all, const int64_t *stored, size_t count,
                        size_t n) {
  CHECK(count == all->count);
  CHECK(memcmp(stored + MARGIN, all->values, count * sizeof *stored) == 0);
  for (size_t i = 0; i < MARGIN; i++)
    CHECK(stored[i] == UNTOUCHED && stored[MARGIN + n + i] == UNTOUCHED);
}

static int64_t *untouched(void) {
  static int64_t stored[CYDP_BATCH + 2 * MARGIN + 1];
  for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
    stored[i] = UNTOUCHED;
  return stored + 1;
}

static void gaussian_is_recombined(cydp_recombine_gaussian_kernel *kernel,
                                   const cydp_gaussian_constants *constants,
                                   candidate_parts parts, const uint8_t *accepted) {
  static expected all;
  int64_t *stored = untouched();
  all.count = 0;
  for (size_t i = 0; i < parts.n; i++) {
    uint64_t word = part_word(constants->width, parts.words, i);
    uint64_t remainder = word >> 1 & ((UINT64_C(1) << constants->shift) - 1);
    expect(&all, ((__int128)parts.x[i] << constants->shift) + remainder, word & 1,
           accepted, i);
  }
  size_t count =
      kernel(constants, parts.words, parts.x, accepted, parts.n, stored + MARGIN);
  is_expected(&all, stored, count, parts.n);
}

static void laplace_is_recombined(cydp_recombine_laplace_kernel *kernel, unsigned shift,
                                  const uint64_t *signs, unsigned width,
                                  const void *remainders, const int64_t *quotients,
                                  const uint8_t *accepted, size_t n, bool in_place) {
  static expected all;
  int64_t *stored = untouched(), *out = stored + MARGIN;
  all.count = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t word = part_word(width, remainders, i);
    uint64_t remainder = word & ((UINT64_C(1) << shift) - 1);
    __int128 magnitude = ((__int128)llabs(quotients[i]) << shift) + remainder;
    expect(&all, magnitude, signs[i] & 1, accepted, i);
  }
  if (in_place)
    memcpy(out, quotients, n * sizeof *out);
  size_t count = kernel(shift, signs, width, remainders, in_place ? out : quotients,
                        accepted, n, out);
  is_expected(&all, stored, count, n);
}

/* 2^16 V for a V within a few units of exp(-g), in every second lane. */
static void aim(const cydp_gaussian_constants *constants, const void *words,
                const uint16_t *x, uint16_t *v) {
  for (size_t i = 0; i < CYDP_BATCH; i += 2) {
    uint64_t word = part_word(constants->width, words, i);
    double r =
        (double)(word >> 1 & ((UINT64_C(1) << constants->shift) - 1)) * constants->step;
    double at = exp(-r * (r + 2.0 * x[i]) * constants->rate0) * 0x1p16;
    v[i] = (uint16_t)fmin(65535, fmax(0, floor(at) + (double)(v[i] % 5) - 2));
  }
}

static void check_gaussian(unsigned shift, double s0) {
  static uint32_t words[6 * CYDP_BATCH];
  static uint16_t x[CYDP_BATCH + 1], v[CYDP_BATCH + 1];
  static uint8_t accepted[CYDP_BATCH / 8 + 2];
  const uint32_t key[8] = {shift}, nonce[3] = {0};
  unsigned width = shift <= 15 ? 2 : shift <= 31 ? 4 : 8;
  cydp_gaussian_constants constants = {.step = ldexp(1, -(int)shift),
                                       .rate0 = 1 / (2 * s0 * s0),
                                       .shift = shift,
                                       .width = width};
  const cydp_samplers_table *kernels;
  cydp_chacha20_portable(key, nonce, 0, 6 * CYDP_BATCH / CYDP_GROUP_WORDS, words);
  for (size_t i = 0; i <= CYDP_BATCH; i++) {
    uint32_t random = words[5 * CYDP_BATCH + i % CYDP_BATCH];
    double normal = fabs(s0 * sqrt(-2 * log((random + 1.0) * 0x1p-32)) * cos((double)i));
    x[i] = (uint16_t)(i % 64 == 9 ? 300 : i % 64 == 17 ? 0 : normal);
    v[i] = (uint16_t)(random * 40503 >> 8);
  }
  char *first = (char *)words + width;         /* natural alignment only */
  for (size_t i = 0; i < CYDP_BATCH; i += 7) { /* R = 0 and small R, of both signs */
    uint64_t word = i % 3;
    memcpy(first + i * width, &word, width);
  }
  aim(&constants, first, x + 1, v + 1);
  for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++)
    for (size_t n = 0; n <= 71; n++) {
      size_t from = n <= 70 ? 5 * n : 0;
      candidate_parts parts = {first + from * width, x + 1 + from, v + 1 + from,
                               n <= 70 ? n : CYDP_BATCH};
      acceptance_is_true(kernels->accept, &constants, parts, accepted + 1);
      gaussian_is_recombined(kernels->recombine_gaussian, &constants, parts,
                             accepted + 1);
      const uint8_t *random = (const uint8_t *)(words + 4 * CYDP_BATCH) + 1 + n;
      gaussian_is_recombined(kernels->recombine_gaussian, &constants, parts, random);
    }
}

/* Random V are nearly always decided. */
static void acceptance_is_mostly_decided(void) {
  static uint32_t words[2 * CYDP_BATCH];
  static uint16_t x[CYDP_BATCH];
  static uint8_t accepted[CYDP_BATCH / 8 + 1];
  const cydp_gaussian_constants constants = {0x1p-7, 1 / 122.0, 7, 2};
  const cydp_samplers_table *kernels;
  for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++) {
    size_t open = 0;
    for (uint32_t run = 0; run < 50; run++) {
      const uint32_t key[8] = {run, 77}, nonce[3] = {0};
      cydp_chacha20_portable(key, nonce, 0, 2 * CYDP_BATCH / CYDP_GROUP_WORDS, words);
      for (size_t i = 0; i < CYDP_BATCH; i++)
        x[i] = (uint16_t)(words[CYDP_BATCH + i] % 12);
      candidate_parts parts = {words, x, (const uint16_t *)words + CYDP_BATCH,
                               CYDP_BATCH};
      open += acceptance_is_true(kernels->accept, &constants, parts, accepted);
    }
    CHECK(open < 30); /* of 102,400: about 3 are expected */
  }
}

static void prefixes_of_ones_are_found(cydp_prefix_is_ones_kernel *kernel, unsigned width,
                                       const void *words, unsigned bits, size_t n) {
  lanes *undecided = no_lanes();
  kernel(width, words, bits, n, undecided->open);
  for (size_t i = 0; i < n; i++)
    CHECK(is_open(undecided, i) == (part_word(width, words, i) >> (8 * width - bits) ==
                                    (UINT64_C(1) << bits) - 1));
  count_open(undecided, n);
}

static void check_laplace(unsigned shift, unsigned width, unsigned v_bits) {
  static uint64_t words[4 * CYDP_BATCH];
  static int64_t quotients[CYDP_BATCH];
  const uint32_t key[8] = {shift, 3}, nonce[3] = {0};
  const uint64_t *signs = words;
  char *remainders = (char *)(words + CYDP_BATCH);
  const cydp_samplers_table *kernels;
  cydp_chacha20_portable(key, nonce, 0, 8 * CYDP_BATCH / CYDP_GROUP_WORDS,
                         (uint32_t *)words);
  for (size_t i = 0; i < CYDP_BATCH; i++) {
    uint64_t magnitude = words[3 * CYDP_BATCH + i] >> 38, most = INT64_MAX >> shift;
    magnitude = i % 11 == 0        ? 0
                : i % 11 == 5      ? most + i % 3 - 1 /* both sides of saturation */
                : magnitude < most ? magnitude
                                   : most;
    uint64_t word = part_word(width, remainders, i), top = 8 * width - v_bits;
    word &= i % 3 == 0 ? UINT64_C(1) << (8 * width - 1) : UINT64_MAX;
    word |= i % 5 == 1 ? ((UINT64_C(1) << v_bits) - 1) << top : 0;
    memcpy(remainders + width * i, &word, width);
    quotients[i] = words[i] & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
  }
  for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++)
    for (size_t n = 0; n <= 71; n++) {
      size_t from = n <= 70 ? 5 * n : 0, count = n <= 70 ? n : CYDP_BATCH;
      const uint8_t *accepted = (const uint8_t *)(words + 2 * CYDP_BATCH) + 1 + n;
      const char *rest = remainders + width * from;
      for (int in_place = 0; in_place < 2; in_place++)
        laplace_is_recombined(kernels->recombine_laplace, shift, signs + from, width,
                              rest, quotients + from, accepted, count, in_place);
      prefixes_of_ones_are_found(kernels->prefix_is_ones, width, rest, v_bits, count);
    }
}

/* How a sampler of discrete_laplace.c begins. */
typedef struct laplace_head {
  cydp_sampler base;
  cydp_exponential_tails tails;
} laplace_head;

/* The rate of the quotients of t = numerator / denominator is M / t, M = 2^m for the
 * least m with t / M <= 2^20, to the last of its bits: k times it, k < 2^63, must be
 * short by less than 2^-64 ulps of one limb fewer. */
static void rate_of_quotients_is_exact(uint64_t numerator, uint64_t denominator) {
  const size_t n = CYDP_MOST_LIMBS + 2;
  cydp_sampler *sampler;
  cydp_fixed rate;
  bool exact;
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&numerator, 1, &denominator, 1},
                                  &sampler) == CYDP_OK);
  unsigned m = 0;
  while ((unsigned __int128)denominator << (20 + m) < numerator)
    m++;
  CHECK(m > 0 && m <= 36);
  const uint64_t dividend[2] = {denominator << m, denominator >> (64 - m)};
  CHECK(cydp_fixed_divide(n, rate, dividend, 2, &numerator, 1, &exact) == CYDP_OK);
  CHECK(memcmp(((const laplace_head *)sampler)->tails.inverse, rate,
               (n + 1) * sizeof *rate) == 0);
  cydp_sampler_free(sampler);
}

static void rates_of_quotients_are_exact(void) {
  for (unsigned bits = 20; bits < 56; bits++) {
    rate_of_quotients_is_exact((UINT64_C(5) << bits) + 1, 4);
    rate_of_quotients_is_exact((UINT64_C(127) << bits) - 1, 64);
    rate_of_quotients_is_exact((UINT64_C(15) << bits) + 11, 13);
    rate_of_quotients_is_exact(UINT64_C(2) << bits, 1);
  }
}

int main(void) {
  const unsigned shifts[] = {1, 2, 7, 15, 16, 23, 24, 25, 31, 32, 33, 40, 54};
  for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
    for (double s0 = 4; s0 < 8; s0 += 1.3)
      check_gaussian(shifts[i], s0);
  acceptance_is_mostly_decided();
  rates_of_quotients_are_exact();
  for (unsigned shift = 1; shift <= 40; shift++)
    check_laplace(shift, 8, 19);
  for (unsigned shift = 1; shift <= 20; shift++)
    check_laplace(shift, 4, 12);
}
