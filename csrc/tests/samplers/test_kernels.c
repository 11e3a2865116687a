/* SPDX-License-Identifier: MIT
 * Every table of kernels that runs here, which is found by its name: the inverse CDF
 * against exact comparisons on every lane that it decides, CDF tables and signs by their
 * definitions. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/nonce.h"
#include "generator/kernels.h"
#include "samplers/batch.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential_tails.h"
#include "samplers/inverse_cdf.h"
#include "samplers/kernels.h"
#include "tests/check.h"
#include "tests/samplers/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void a_table_serves_by_its_name_or_for_being_the_best(void) {
  const cydp_samplers_table *kernels, *last = NULL;
  for (size_t i = 0; (kernels = cydp_samplers_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0);
    CHECK(cydp_init() == CYDP_OK && cydp_samplers_kernels() == kernels);
    last = kernels;
  }
  CHECK(last && strcmp(last->isa, "portable") == 0);
  CHECK(setenv("CYDP_FORCE_ISA", "sparc", 1) == 0 && cydp_init() == CYDP_ERROR_ISA);
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0);
  CHECK(cydp_init() == CYDP_OK && cydp_samplers_kernels() == cydp_samplers_kernels_at(0));
}

/* Inverse CDF */

typedef struct scale {
  uint64_t numerator, denominator;
} scale;

typedef struct prepared {
  cydp_exponential_tails tails;
  cydp_inverse_cdf_method method;
} prepared;

/* The inverse CDF method at a scale: with these bits, or 0 for as many as suit the scale.
 */
static prepared *distribution_of(scale t, unsigned bits) {
  static prepared distribution;
  cydp_fixed inverse;
  bool exact;
  CHECK(cydp_fixed_divide(CYDP_MOST_LIMBS + 2, inverse, &t.denominator, 1, &t.numerator,
                          1, &exact) == CYDP_OK);
  cydp_exponential_tails_prepare(&distribution.tails, inverse, false);
  if (bits == 0)
    bits = distribution.tails.scale <= 1024 ? 31 : 63;
  cydp_inverse_cdf_prepare(&distribution.method, &distribution.tails, bits);
  return &distribution;
}

static cydp_status hashed_words(void *self, uint32_t decision, uint32_t level,
                                const uint64_t *candidates, size_t n,
                                uint64_t (*words)[8]) {
  const uint32_t key[8] = {11};
  uint32_t nonce[3], block[16];
  (void)self;
  cydp_set_nonce(nonce, decision, level, 0, 0);
  for (size_t i = 0; i < n; i++) {
    cydp_chacha20_block(key, nonce, (uint32_t)candidates[i], block);
    memcpy(words[i], block, sizeof block);
  }
  return CYDP_OK;
}

/* What exact comparisons give, for up to CYDP_BATCH words. */
static void resolve(const prepared *distribution, const void *words, size_t n,
                    int64_t *exact) {
  const cydp_extension extension = {hashed_words, NULL};
  cydp_work work = {0};
  cydp_batch batch = {
      .n = n, .extension = &extension, .work_mode = CYDP_RESOLVE_ALL, .work = &work};
  CHECK(cydp_inverse_cdf_map(&distribution->method, &batch, words, exact) == CYDP_OK);
}

static uint64_t magnitude(const cydp_inverse_cdf_constants *constants, const void *words,
                          size_t i) {
  uint64_t wide;
  if (constants->bits == 63) {
    memcpy(&wide, (const char *)words + i * sizeof wide, sizeof wide);
    return wide >> 1;
  }
  return ((const uint32_t *)words)[i] >> 1 & ((UINT32_C(1) << constants->bits) - 1);
}

/* Words and values lie at addresses that are no better than their types demand. Returns
 * how many lanes are undecided. */
static size_t decided_lanes_are_exact(cydp_inverse_cdf_kernel *kernel,
                                      const cydp_inverse_cdf_constants *constants,
                                      const void *words, size_t n, const int64_t *exact) {
  static int64_t values[CYDP_BATCH + 2];
  int64_t *out = values + 1;
  lanes *undecided = no_lanes();
  for (size_t i = 0; i < CYDP_BATCH + 2; i++)
    values[i] = UNTOUCHED;
  kernel(constants, words, n, out, undecided->open);
  CHECK(values[0] == UNTOUCHED && out[n] == UNTOUCHED);
  for (size_t i = 0; i < n; i++)
    if (!is_open(undecided, i)) {
      CHECK(magnitude(constants, words, i) >= constants->tail);
      CHECK(out[i] == exact[i]);
    }
  return count_open(undecided, n);
}

static void put(const cydp_inverse_cdf_constants *constants, uint32_t *words, size_t i,
                uint64_t word) {
  if (constants->bits == 63)
    memcpy(words + 2 * i, &word, sizeof word);
  else
    words[i] = (uint32_t)word;
}

/* Both signs of u - 1, u and u + 1, from lane i on; returns the lane behind them. */
static size_t put_around(const cydp_inverse_cdf_constants *constants, uint32_t *words,
                         size_t i, double u) {
  double words_in_all = ldexp(1, (int)constants->bits);
  if (!(u >= 1 && u < words_in_all - 1))
    return i;
  for (uint64_t j = 0; j < 6 && i < CYDP_BATCH; j++)
    put(constants, words, i++, 2 * ((uint64_t)u - 1) + j);
  return i;
}

/* Random words, and in front of them those where something ends: u = 0, the greatest u,
 * the tail, and the edges of the guard band around the least and some other k. */
static void choose(const cydp_inverse_cdf_constants *constants, double t,
                   uint32_t *words) {
  const uint32_t key[8] = {constants->bits}, nonce[3] = {(uint32_t)constants->tail};
  const double words_in_all = ldexp(1, (int)constants->bits);
  const double offset = t * (log(2.0) - log1p(exp(-1 / t)));
  cydp_chacha20_portable(key, nonce, 0, 2 * CYDP_BATCH / CYDP_GROUP_WORDS, words);
  size_t i = 0;
  for (uint64_t word = 0; word < 4; word++)
    put(constants, words, i++, word);
  for (uint64_t word = 1; word < 5; word++)
    put(constants, words, i++, 2 * ((UINT64_C(1) << constants->bits) - 1) + 2 - word);
  i = put_around(constants, words, i, (double)constants->tail);
  for (double k = 1; k < 40 * t && i < CYDP_BATCH / 2; k = floor(2 * k) + 1)
    for (double side = -1; side <= 1; side++) {
      double y = k + side * constants->guard;
      i = put_around(constants, words, i, floor(words_in_all * exp((offset - y) / t)));
    }
}

static void logarithm_at(scale at, unsigned prefix_bits) {
  static _Alignas(64) uint32_t storage[2 * CYDP_BATCH + 2];
  static int64_t exact[CYDP_BATCH];
  double t = (double)at.numerator / (double)at.denominator;
  const prepared *distribution = distribution_of(at, prefix_bits);
  const cydp_inverse_cdf_constants *constants =
      distribution->method.certain ? &distribution->method.constants : NULL;
  if (constants) {
    size_t width = constants->bits == 63 ? 2 : 1;
    uint32_t *words = storage + width;
    choose(constants, t, words);
    resolve(distribution, words, CYDP_BATCH, exact);
    const cydp_samplers_table *kernels;
    for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++) {
      cydp_inverse_cdf_kernel *kernel =
          constants->bits == 63 ? kernels->inverse_cdf : kernels->inverse_cdf_narrow;
      size_t open = decided_lanes_are_exact(kernel, constants, words, CYDP_BATCH, exact);
      CHECK(open < CYDP_BATCH);
      for (size_t n = 0; n <= 70; n++) {
        size_t from = 7 * n; /* special words in every lane */
        decided_lanes_are_exact(kernel, constants, words + width * from, n, exact + from);
      }
    }
  }
}

static void logarithm(void) {
  const scale scales[] = {{1, 1000000},
                          {1, 1000},
                          {1, 7},
                          {1, 1},
                          {22, 3},
                          {10, 1},
                          {1000, 1},
                          {1024, 1},
                          {100001, 97},
                          {UINT64_C(1) << 20, 1},
                          {(UINT64_C(1) << 30) + 1, 3},
                          {UINT64_C(1) << 36, 1}};
  const unsigned prefix_bits[] = {8, 12, 16, 31, 0}; /* 0: 31 or 63, by the scale */
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
    for (size_t j = 0; j < sizeof prefix_bits / sizeof *prefix_bits; j++)
      logarithm_at(scales[i], prefix_bits[j]);
}

/* Each of the 2^16 words, and no table decides much less than the portable one. */
static void every_word_of_15_bits(scale at) {
  static uint32_t words[CYDP_BATCH];
  static int64_t exact[CYDP_BATCH];
  const prepared *distribution = distribution_of(at, 15);
  const cydp_inverse_cdf_constants *constants =
      distribution->method.certain ? &distribution->method.constants : NULL;
  CHECK(constants);
  for (uint32_t first = 0; first < 1 << 16; first += CYDP_BATCH) {
    for (uint32_t i = 0; i < CYDP_BATCH; i++)
      words[i] = first + i;
    resolve(distribution, words, CYDP_BATCH, exact);
    size_t expected = decided_lanes_are_exact(cydp_inverse_cdf_narrow_portable, constants,
                                              words, CYDP_BATCH, exact);
    const cydp_samplers_table *kernels;
    for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++) {
      size_t open = decided_lanes_are_exact(kernels->inverse_cdf_narrow, constants, words,
                                            CYDP_BATCH, exact);
      CHECK(open <= expected + 2);
    }
  }
}

/* CDF tables and signs */

enum { WORDS = 1 << 16 };

/* By the definition, for every word: how many entries lie above it, and whether one
 * equals it. */
static void count_entries(const cydp_cdf_table *table, uint16_t *above, bool *equal) {
  for (uint32_t word = 0; word < WORDS; word++) {
    above[word] = 0;
    equal[word] = false;
    for (unsigned k = 0; k < table->count; k++) {
      above[word] = (uint16_t)(above[word] + (word < table->entry[k]));
      equal[word] |= word == table->entry[k];
    }
  }
}

#define UNTOUCHED_16 0x5a5a

static void tables_count(cydp_cdf_table_kernel *kernel, const cydp_cdf_table *table,
                         const uint16_t *words, size_t n, const uint16_t *above,
                         const bool *equal) {
  static uint16_t magnitudes[CYDP_BATCH + 2];
  uint16_t *out = magnitudes + 1;
  lanes *undecided = no_lanes();
  for (size_t i = 0; i < CYDP_BATCH + 2; i++)
    magnitudes[i] = UNTOUCHED_16;
  kernel(table, words, n, out, undecided->open);
  CHECK(magnitudes[0] == UNTOUCHED_16 && out[n] == UNTOUCHED_16);
  for (size_t i = 0; i < n; i++) {
    CHECK(out[i] == above[words[i]]);
    CHECK(equal[words[i]] == is_open(undecided, i));
  }
  count_open(undecided, n);
}

static void check_table(const cydp_cdf_table *table) {
  static uint16_t words[WORDS + 1], above[WORDS];
  static bool equal[WORDS];
  const cydp_samplers_table *kernels;
  for (uint32_t i = 0; i <= WORDS; i++)
    words[i] = (uint16_t)(i - 1);
  count_entries(table, above, equal);
  for (size_t isa = 0; (kernels = cydp_samplers_kernels_at(isa)); isa++) {
    for (size_t first = 0; first < WORDS; first += CYDP_BATCH)
      tables_count(kernels->cdf_table, table, words + 1 + first, CYDP_BATCH, above,
                   equal);
    for (size_t n = 0; n <= 70; n++) { /* in each, the least and greatest words */
      tables_count(kernels->cdf_table, table, words + 1, n, above, equal);
      tables_count(kernels->cdf_table, table, words + WORDS - n, n, above, equal);
    }
  }
}

/* Falling as the tails of a distribution do, from `top`, and so that entries repeat. */
static cydp_cdf_table falling(unsigned positive, uint16_t top, double ratio,
                              bool ends_in_0) {
  cydp_cdf_table table = {.count = positive + ends_in_0};
  for (unsigned k = 0; k < positive; k++)
    table.entry[k] = (uint16_t)fmax(1, floor(top * pow(ratio, k)));
  return table;
}

static void check_tables(void) {
  const uint16_t single[] = {0, 1, 2, 32767, 32768, 32769, 65534, 65535};
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
    cydp_cdf_table table = {.entry = {single[i]}, .count = 1};
    check_table(&table);
  }
  for (unsigned positive = 1; positive < CYDP_CDF_ENTRIES; positive++) {
    double ratio = pow(1.0 / 65536, 1.0 / positive);
    cydp_cdf_table even = falling(positive, 65535, ratio, true),
                   repeating = falling(positive, 50000, sqrt(ratio) / 2, true),
                   bounded = falling(positive, 40000, ratio, false);
    check_table(&even);
    check_table(&repeating);
    check_table(&bounded);
  }
}

static void signs_of(cydp_signs_kernel *kernel, const uint16_t *magnitudes,
                     const uint8_t *signs, size_t n) {
  static int64_t values[CYDP_BATCH + 2];
  int64_t *out = values + 1;
  for (size_t i = 0; i < CYDP_BATCH + 2; i++)
    values[i] = UNTOUCHED;
  kernel(magnitudes, signs, n, out);
  CHECK(values[0] == UNTOUCHED && out[n] == UNTOUCHED);
  for (size_t i = 0; i < n; i++)
    CHECK(out[i] ==
          (signs[i / 8] >> i % 8 & 1 ? -(int64_t)magnitudes[i] : magnitudes[i]));
}

static void signs(void) {
  static uint16_t magnitudes[CYDP_BATCH + 1];
  static uint32_t words[CYDP_BATCH];
  const uint32_t key[8] = {5}, nonce[3] = {0};
  const cydp_samplers_table *kernels;
  cydp_chacha20_portable(key, nonce, 0, CYDP_BATCH / CYDP_GROUP_WORDS, words);
  for (size_t i = 0; i <= CYDP_BATCH; i++)
    magnitudes[i] = (uint16_t)(i % 3 == 0 ? 0 : i % 3 == 1 ? 0x7fff - i : i);
  for (size_t table = 0; (kernels = cydp_samplers_kernels_at(table)); table++) {
    const uint8_t *bits = (const uint8_t *)words + 1;
    signs_of(kernels->signs, magnitudes + 1, bits, CYDP_BATCH);
    for (size_t n = 0; n <= 70; n++)
      signs_of(kernels->signs, magnitudes + 1 + n, bits + n, n);
  }
}

int main(void) {
  a_table_serves_by_its_name_or_for_being_the_best();
  logarithm();
  every_word_of_15_bits((scale){1, 3});
  every_word_of_15_bits((scale){1, 1});
  every_word_of_15_bits((scale){22, 3});
  every_word_of_15_bits((scale){100, 1});
  check_tables();
  signs();
}