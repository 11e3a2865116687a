/* SPDX-License-Identifier: MIT
 * Report noisy max: every kernel table that runs here computes the portable one's bounds;
 * bounds of logarithms and of noisy scores hold; doubles and exact comparisons agree on
 * which is greater; the floor holds. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/kernels.h"
#include "mechanisms/kernels.h"
#include "mechanisms/noisy_max_bounds.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/exponential.h"
#include "samplers/negative_logarithm.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70 };

/* Numbers that repeat: words w and w + 1 are 64 bits. */
static uint64_t random_bits(void) {
  static uint32_t words[CYDP_GROUP_WORDS], counter, left;
  static const uint32_t zeros[8];
  if (left == 0) {
    cydp_chacha20_portable(zeros, zeros, 16 * counter++, 1, words);
    left = CYDP_GROUP_WORDS / 2;
  }
  left--;
  return words[2 * left] | (uint64_t)words[2 * left + 1] << 32;
}

static double some_score(void) {
  static const double edges[] = {0,      -0.0,      1,        -1,        1e308,
                                 -1e308, 0x1p-1074, INFINITY, -INFINITY, NAN};
  uint64_t bits = random_bits();
  if (bits % 4 == 0)
    return edges[(bits >> 8) % (sizeof edges / sizeof *edges)];
  return ldexp((double)(int64_t)random_bits(), (int)(bits % 200) - 160);
}

static cydp_noisy_max *noisy_max_of(cydp_noise_kind noise, uint64_t numerator,
                                    uint64_t denominator, size_t shift) {
  uint64_t limbs[2][CYDP_RATE_LIMBS] = {{0}};
  cydp_noisy_max *noisy_max;
  limbs[0][0] = numerator;
  limbs[1][shift] = denominator;
  CHECK(cydp_noisy_max_new(
            noise, &(cydp_rational){limbs[0], CYDP_RATE_LIMBS, limbs[1], CYDP_RATE_LIMBS},
            &noisy_max) == CYDP_OK);
  return noisy_max;
}

static void kernels_agree(const cydp_mechanisms_table *kernels) {
  double scores[MOST], apart[2][MOST + 1];
  int64_t integers[MOST];
  uint32_t words[MOST];
  int32_t bounds[2][MOST + 1];
  for (int run = 0; run < 300; run++)
    for (size_t n = 1; n <= MOST; n += 1 + (size_t)(run % 3)) {
      cydp_noisy_max *noisy_max =
          noisy_max_of(CYDP_GUMBEL, 3, 7, run % 2 ? 0 : (size_t)run % 20);
      for (size_t i = 0; i < n; i++) {
        scores[i] = some_score();
        integers[i] = (int64_t)random_bits() >> (random_bits() % 60);
        words[i] = (uint32_t)(random_bits() >> (random_bits() % 64));
      }
      double top = cydp_largest_portable(scores, n);
      CHECK(kernels->largest(scores, n) == top);
      bounds[0][n] = bounds[1][n] = 77;
      int32_t best = cydp_score_bounds_portable(&noisy_max->constants, 1.5, scores, words,
                                                n, bounds[0]);
      CHECK(kernels->score_bounds(&noisy_max->constants, 1.5, scores, words, n,
                                  bounds[1]) == best);
      CHECK(memcmp(bounds[0], bounds[1], (n + 1) * sizeof **bounds) == 0);
      for (size_t first = 0; first < n; first += 5) {
        int32_t limit = bounds[0][random_bits() % n];
        CHECK(kernels->next_candidate(bounds[0], limit, first, n) ==
              cydp_next_candidate_portable(bounds[0], limit, first, n));
      }
      int64_t largest = cydp_largest_integer_portable(integers, n);
      CHECK(kernels->largest_integer(integers, n) == largest);
      apart[0][n] = apart[1][n] = 77;
      cydp_distances_portable(largest, -0.5, integers, n, apart[0]);
      kernels->distances(largest, -0.5, integers, n, apart[1]);
      CHECK(memcmp(apart[0], apart[1], (n + 1) * sizeof **apart) == 0);
      for (size_t i = 0; i < n; i++)
        CHECK(apart[0][i] == -0.5 * (double)((uint64_t)largest - (uint64_t)integers[i]));
      cydp_noisy_max_free(noisy_max);
    }
}

/* Close together, and on both sides: exp(-low) >= x >= exp(-high). */
static void logarithms_are_bounded(void) {
  for (int run = 0; run < 300; run++)
    for (size_t n = 2; n <= 16; n *= 2) {
      cydp_fixed x = {0}, low, high, wide = {0}, f;
      size_t lowest = run % 5 == 0 ? n - 1 : 0;
      for (size_t i = lowest; i < n; i++)
        x[i] = random_bits() >> (run % 7 == 0 ? random_bits() % 64 : 0);
      if (run % 11 == 0)
        x[n - 1] = 0;
      if (run == 0) {
        memset(x, 0, sizeof x);
        x[n] = 1;
      }
      if (cydp_significant_limbs(x, n + 1) == 0)
        x[0] = 1;
      CHECK(cydp_negative_logarithm(n, low, high, x) == CYDP_OK);
      memcpy(wide + 1, high, (n + 1) * sizeof *high);
      cydp_exp_negative(n, f, wide);
      CHECK(cydp_fixed_compare(n, f, x) <= 0);
      memcpy(wide + 1, low, (n + 1) * sizeof *low);
      cydp_exp_negative(n, f, wide);
      cydp_fixed_add_ulps(n, f, 2);
      CHECK(cydp_fixed_compare(n, f, x) >= 0);
      if (x[n - 1] >> 40) { /* then 1 / x is below 2^24 */
        cydp_fixed_subtract(n, high, high, low);
        CHECK(cydp_significant_limbs(high, n + 1) <= 1 && high[0] < UINT64_C(1) << 32);
      }
    }
}

static cydp_status read_few(void *self, uint32_t decision, uint32_t level,
                            const uint64_t *candidates, size_t n, uint64_t (*words)[8]) {
  const uint32_t nonce[3] = {decision, level, *(const uint32_t *)self};
  uint32_t block[16];
  static const uint32_t zeros[8];
  for (size_t i = 0; i < n; i++) {
    cydp_chacha20_block(zeros, nonce, (uint32_t)candidates[i], block);
    memcpy(words[i], block, sizeof words[i]);
  }
  return CYDP_OK;
}

static void efforts_agree(cydp_noise_kind noise, uint64_t numerator, uint64_t denominator,
                          size_t shift) {
  cydp_noisy_max *noisy_max = noisy_max_of(noise, numerator, denominator, shift);
  for (uint32_t run = 1; run <= 100; run++) {
    double scores[MOST];
    int64_t integers[MOST], chosen[2];
    uint32_t words[MOST];
    size_t n = 1 + run % 9;
    cydp_extension extension = {read_few, &run};
    for (size_t i = 0; i < n; i++) {
      scores[i] = run % 2 ? some_score() : (double)(random_bits() % 3);
      integers[i] = (int64_t)random_bits() >> (random_bits() % 64);
      words[i] = (uint32_t)(random_bits() >> (run % 3 ? 32 : 62));
      words[i] = run % 4 ? words[i] : ~words[i];
    }
    for (int work_mode = 0; work_mode < 2; work_mode++)
      CHECK(cydp_noisy_max_map(noisy_max, scores, CYDP_F64, n, words, &extension,
                               work_mode ? CYDP_RESOLVE_ALL : CYDP_FAST,
                               chosen + work_mode) == CYDP_OK);
    CHECK(chosen[0] == chosen[1]);
    for (int work_mode = 0; work_mode < 2; work_mode++)
      CHECK(cydp_noisy_max_map(noisy_max, integers, CYDP_I64, n, words, &extension,
                               work_mode ? CYDP_RESOLVE_ALL : CYDP_FAST,
                               chosen + work_mode) == CYDP_OK);
    CHECK(chosen[0] == chosen[1]);
  }
  cydp_noisy_max_free(noisy_max);
}

/* G for U = x 2^-bits: x = 0 and x = 2^bits are its ends. */
static long double noise_at(cydp_noise_kind noise, long double x, int bits) {
  long double u = ldexpl(x, -bits), rest = ldexpl(ldexpl(1, bits) - x, -bits);
  long double e = u < 0.5L ? -log1pl(-u) : -logl(rest);
  return noise == CYDP_GUMBEL ? -logl(e) : -logl(u);
}

/* G falls as U grows, so G at the two ends of [x, x + 1) 2^-bits bounds it; the bounds
 * are not wider than docs/mechanisms/noisy_max.md says. */
static void bounds_hold_in_cell(cydp_noise_kind noise, const cydp_candidate *candidate) {
  const int bits = (int)candidate->bits;
  const long double u = (long double)candidate->u, rest = ldexpl(1, bits) - 1 - u;
  const long double least = noise_at(noise, u + 1, bits), most = noise_at(noise, u, bits);
  const double width = (double)((u > 0 ? 0.5L / u : 0) + (rest > 0 ? 0.5L / rest : 0));
  CHECK(candidate->low <= least && most <= candidate->high);
  CHECK(rest == 0 || candidate->low >= (double)least - 2.1 * width - 0x1p-30);
  CHECK(u == 0 || rest == 0 || candidate->high <= (double)most + 2.1 * width + 0x1p-30);
}

static cydp_status read_same(void *self, uint32_t decision, uint32_t level,
                             const uint64_t *candidates, size_t n, uint64_t (*words)[8]) {
  (void)decision, (void)candidates;
  for (size_t i = 0; i < n; i++)
    memcpy(words[i], (const uint64_t (*)[8])self + level, sizeof words[i]);
  return CYDP_OK;
}

/* Words at both ends and anywhere, and the same with 32 bits more: two equal candidates
 * get these, before all of their bits are found equal. */
static void bounds_of_noisy_scores_hold(cydp_noise_kind noise) {
  static const uint32_t edges[] = {0, 1, 2, 3, 0x0ffffff0, 0x10000000, 1U << 31};
  const size_t count = sizeof edges / sizeof *edges;
  cydp_noisy_max *noisy_max = noisy_max_of(noise, 1, 1, 0);
  uint64_t further[2][8] = {{0}};
  const cydp_extension extension = {read_same, further};
  const double scores[2] = {0, 0};
  const cydp_score_row row = {
      .noisy_max = noisy_max, .scores = scores, .extension = &extension};
  for (size_t run = 0; run < 4 * count + 300; run++) {
    uint32_t word = run < 4 * count ? edges[run / 4] : (uint32_t)random_bits();
    bool greater;
    word = run % 2 ? ~word : word;
    further[0][0] = run % 4 < 2 ? 0 : UINT64_MAX;
    if (run >= 4 * count)
      further[0][0] = random_bits();
    cydp_candidate a = cydp_candidate_of(noisy_max, 0, 0, word),
                   b = cydp_candidate_of(noisy_max, 1, 0, word);
    CHECK(a.bits == 32 && a.u == word);
    bounds_hold_in_cell(noise, &a);
    CHECK(cydp_greater(&row, &a, &b, CYDP_FAST, &greater) == CYDP_ERROR_UNDECIDED);
    CHECK(a.bits == 64 && a.u == ((uint64_t)word << 32 | further[0][0] >> 32));
    bounds_hold_in_cell(noise, &a);
  }
  cydp_noisy_max_free(noisy_max);
}

/* Far behind, v = -(2^40 i + 1/3) is what is rounded most. */
static void bounds_of_scores_hold(void) {
  cydp_noisy_max *noisy_max = noisy_max_of(CYDP_GUMBEL, 1, 3, 0);
  const double noise = (double)noise_at(CYDP_GUMBEL, 1 << 20, 32);
  for (int i = 1; i < 1000; i++) {
    const double whole = 0x1p40 * i;
    cydp_candidate candidate = cydp_candidate_of(noisy_max, 0, -(3 * whole + 1), 1 << 20);
    CHECK(candidate.low + whole <= noise - 1.0 / 3 &&
          noise - 1.0 / 3 <= candidate.high + whole);
  }
  cydp_noisy_max_free(noisy_max);
}

/* Ones, up to 1,024 of them, then a 0 and ones again: -ln(1 - U) is (ones + 1) ln 2. */
static uint32_t set_ones(size_t ones, uint64_t (*further)[8]) {
  uint64_t first = UINT64_MAX;
  memset(further, 0xff, 2 * sizeof *further);
  if (ones < 32)
    first &= ~(UINT64_C(1) << (31 - ones));
  else if (ones < 1024)
    further[(ones - 32) / 512][(ones - 32) / 64 % 8] ^= UINT64_C(1)
                                                        << (63 - (ones - 32) % 64);
  return (uint32_t)first;
}

/* A chosen candidate's noisy score may not be below the floor, since candidates below
 * were left out. */
static void choices_are_above_the_floor(void) {
  static const size_t ones[] = {0, 1, 31, 32, 33, 63, 64, 65, 300, 959, 1023, 1024};
  cydp_noisy_max *noisy_max = noisy_max_of(CYDP_GUMBEL, 1, 1, 0);
  uint64_t further[2][8];
  const cydp_extension extension = {read_same, further};
  const double score = 0;
  const cydp_score_row row = {
      .noisy_max = noisy_max, .scores = &score, .extension = &extension};
  for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
    const uint32_t word = set_ones(ones[i], further);
    const bool known = ones[i] < 1024;
    const double noise = -log((double)(ones[i] + 1) * 0.6931471805599453);
    const cydp_status expected = known ? CYDP_OK : CYDP_ERROR_UNDECIDED;
    int64_t chosen = -1;
    cydp_candidate above = cydp_candidate_of(noisy_max, 0, -8 - noise + 1e-6, word);
    cydp_candidate below = cydp_candidate_of(noisy_max, 0, -8 - noise - 1e-6, word);
    CHECK(above.v < 0 && below.v < 0);
    CHECK(cydp_check_floor(&row, &above) == expected);
    CHECK(cydp_check_floor(&row, &below) == CYDP_ERROR_UNDECIDED);
    CHECK(cydp_noisy_max_map(noisy_max, &score, CYDP_F64, 1, &word, &extension, CYDP_FAST,
                             &chosen) == expected);
    CHECK(chosen == 0);
  }
  cydp_noisy_max_free(noisy_max);
}

/* Zeros, and then ones: G >= zeros ln 2. */
static uint32_t set_zeros(size_t zeros, uint64_t (*further)[8]) {
  memset(further, 0xff, 2 * sizeof *further);
  for (size_t bit = 0; bit + 32 < zeros; bit++)
    further[bit / 512][bit / 64 % 8] &= ~(UINT64_C(1) << (63 - bit % 64));
  return zeros < 32 ? UINT32_MAX >> zeros : 0;
}

/* One candidate is far behind, and its U is so small that it wins. Fast choices are those of
 * exact comparisons, as long as its U has a bit that tells. */
static void winners_from_far_behind_are_chosen(cydp_noise_kind noise) {
  static const size_t zeros[] = {12,  31,  32,  33,  63,   64,   65,
                                 76, 127, 300, 959, 1000, 1023, 1024};
  cydp_noisy_max *noisy_max = noisy_max_of(noise, 1, 1, 0);
  uint64_t further[2][8];
  const cydp_extension extension = {read_same, further};
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
    const uint32_t words[3] = {UINT32_C(1) << 31, set_zeros(zeros[i], further), 0xfff00000};
    const double least = (double)zeros[i] * 0.6931471805599453;
    const double scores[3] = {0, 1 - least, -2};
    const cydp_score_row row = {
        .noisy_max = noisy_max, .scores = scores, .extension = &extension};
    for (int all = 0; all < 2 && zeros[i] <= 1000; all++) {
      int64_t chosen = -1;
      CHECK(cydp_noisy_max_map(noisy_max, scores, CYDP_F64, 3, words, &extension,
                               all ? CYDP_RESOLVE_ALL : CYDP_FAST, &chosen) == CYDP_OK);
      CHECK(chosen == 1);
    }
    if (zeros[i] >= 64) { /* below that, bounds are of 64 bits */
      cydp_candidate above = cydp_candidate_of(noisy_max, 1, -7.99 - least, words[1]);
      cydp_candidate below = cydp_candidate_of(noisy_max, 1, -8.01 - least, words[1]);
      CHECK(cydp_check_floor(&row, &above) == CYDP_OK);
      CHECK(cydp_check_floor(&row, &below) == CYDP_ERROR_UNDECIDED);
    }
  }
  cydp_noisy_max_free(noisy_max);
}

static void bad_parameters_are_refused(void) {
  const uint64_t one[CYDP_RATE_LIMBS + 1] = {1, [CYDP_RATE_LIMBS] = 1}, zero[1] = {0};
  cydp_noisy_max *noisy_max;
  cydp_rng *rng;
  int64_t chosen;
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL, &(cydp_rational){zero, 1, one, 1}, &noisy_max) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL, &(cydp_rational){one, 1, zero, 1}, &noisy_max) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL,
                           &(cydp_rational){one, CYDP_RATE_LIMBS + 1, one, 1},
                           &noisy_max) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL, &(cydp_rational){one, 1, one, 1}, &noisy_max) ==
        CYDP_OK);
  CHECK(cydp_rng_new(&rng) == CYDP_OK);
  CHECK(cydp_report_noisy_max(noisy_max, one, CYDP_F32, 1, 1, rng, CYDP_FAST, 1,
                              &chosen) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_report_noisy_max(noisy_max, one, CYDP_I64, 1, 0, rng, CYDP_FAST, 1,
                              &chosen) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_report_noisy_max(noisy_max, NULL, CYDP_I64, 0, 1, rng, CYDP_FAST, 1,
                              &chosen) == CYDP_OK);
  CHECK(cydp_report_noisy_max(noisy_max, one, CYDP_I64, 1, 1, rng, CYDP_FAST, 8,
                              &chosen) == CYDP_OK);
  CHECK(chosen == 0);
  cydp_rng_free(rng);
  cydp_noisy_max_free(noisy_max);
  cydp_noisy_max_free(NULL);
}

static void choose(const cydp_noisy_max *noisy_max, const double *scores, size_t n,
                   uint32_t seed, unsigned threads, int64_t *chosen) {
  const cydp_key key = {{seed}, CYDP_CHACHA20};
  cydp_rng *rng;
  CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
  CHECK(cydp_report_noisy_max(noisy_max, scores, CYDP_F64, 1, n, rng, CYDP_FAST, threads,
                              chosen) == CYDP_OK);
  cydp_rng_free(rng);
}

/* The largest score is at either end of a part, far above the others; then all scores are
 * equal, so that the best of each part competes with those of the other parts. */
static void parts_find_the_best(void) {
  enum { N = 300000 };
  double *scores = calloc(N, sizeof *scores);
  cydp_noisy_max *noisy_max = noisy_max_of(CYDP_EXPONENTIAL, 1, 1, 0);
  cydp_rng *rng;
  CHECK(scores && cydp_rng_new(&rng) == CYDP_OK);
  const size_t places[] = {0, 2047, 2048, 131071, 131072, 262144, N - 1};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    for (unsigned threads = 1; threads < 4; threads++) {
      int64_t chosen;
      scores[places[i]] = 1e6;
      CHECK(cydp_report_noisy_max(noisy_max, scores, CYDP_F64, 1, N, rng, CYDP_FAST,
                                  threads, &chosen) == CYDP_OK);
      CHECK(chosen == (int64_t)places[i]);
      scores[places[i]] = 0;
    }
  for (uint32_t seed = 0; seed < 5; seed++)
    for (unsigned threads = 2; threads < 4; threads++) {
      int64_t chosen[2];
      choose(noisy_max, scores, N, seed, 1, chosen);
      choose(noisy_max, scores, N, seed, threads, chosen + 1);
      CHECK(chosen[0] == chosen[1]);
    }
  cydp_rng_free(rng);
  cydp_noisy_max_free(noisy_max);
  free(scores);
}

int main(void) {
  const cydp_mechanisms_table *kernels;
  for (size_t i = 0; (kernels = cydp_mechanisms_kernels_at(i)); i++)
    kernels_agree(kernels);
  CHECK(cydp_init() == CYDP_OK);
  logarithms_are_bounded();
  for (int noise = 0; noise < 2; noise++) {
    efforts_agree(noise ? CYDP_GUMBEL : CYDP_EXPONENTIAL, 1, 2, 0);
    efforts_agree(noise ? CYDP_GUMBEL : CYDP_EXPONENTIAL, 1000, 3, 0);
    efforts_agree(noise ? CYDP_GUMBEL : CYDP_EXPONENTIAL, 1, 3, 2);
    efforts_agree(noise ? CYDP_GUMBEL : CYDP_EXPONENTIAL, 1, 3, 64);
  }
  bounds_of_noisy_scores_hold(CYDP_GUMBEL);
  bounds_of_noisy_scores_hold(CYDP_EXPONENTIAL);
  bounds_of_scores_hold();
  choices_are_above_the_floor();
  winners_from_far_behind_are_chosen(CYDP_GUMBEL);
  winners_from_far_behind_are_chosen(CYDP_EXPONENTIAL);
  bad_parameters_are_refused();
  parts_find_the_best();
  return 0;
}
