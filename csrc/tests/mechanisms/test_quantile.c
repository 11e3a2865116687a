/* SPDX-License-Identifier: MIT
 * Quantiles: factors hold their error bounds; every precision chooses the same; bits
 * behind the first ones decide ties; threads change nothing; ranges are places of their own;
 * parameters are checked. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "mechanisms/noisy_max_row.h"
#include "mechanisms/quantile_factors.h"
#include "mechanisms/quantile_places.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 12, LEVELS = 2, MOST = 300 };

static uint64_t random64(void) {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static cydp_quantile *quantile_of(uint64_t a, uint64_t b, uint64_t numerator,
                                  uint64_t denominator, size_t shift) {
  uint64_t limbs[2][CYDP_RATE_LIMBS] = {{0}};
  cydp_quantile *quantile;
  limbs[0][0] = numerator;
  limbs[1][shift] = denominator;
  const cydp_rational rate = {limbs[0], CYDP_RATE_LIMBS, limbs[1], CYDP_RATE_LIMBS};
  CHECK(cydp_quantile_new(a, b, &rate, &quantile) == CYDP_OK);
  return quantile;
}

/* A factor of few limbs is at most that of many, and short of it by no more than stated. */
static void factors_are_bounded(const cydp_quantile *quantile) {
  static cydp_quantile_factors few, many;
  cydp_prepare_factors(quantile, CYDP_MOST_LIMBS, &many);
  for (size_t limbs = 3; limbs <= 12; limbs *= 2) {
    cydp_prepare_factors(quantile, limbs, &few);
    for (int run = 0; run < 300; run++) {
      uint64_t low[CYDP_MOST_LIMBS + 1], high[CYDP_MOST_LIMBS + 1];
      cydp_distance distance =
          random64() % quantile->b >> random64() % CYDP_DISTANCE_BITS;
      distance += 1;
      cydp_factor_of(&few, distance, low);
      cydp_factor_of(&many, distance, high);
      memmove(high, high + CYDP_MOST_LIMBS - limbs, limbs * sizeof *high);
      low[limbs] = high[limbs] = 0;
      CHECK(cydp_fixed_compare(limbs, low, high) <= 0);
      cydp_fixed_add_ulps(limbs, low, 3 * CYDP_DISTANCE_BITS + 1);
      CHECK(cydp_fixed_compare(limbs, high, low) <= 0);
      cydp_factor_of(&few, quantile->b, low);
      memcpy(high, few.gap, limbs * sizeof *high);
      low[limbs] = high[limbs] = 0;
      cydp_fixed_add_ulps(limbs, high, 3 * CYDP_DISTANCE_BITS + 1);
      CHECK(cydp_fixed_compare(limbs, low, high) <= 0);
    }
  }
}

static uint64_t extension[2][LEVELS][8];
static unsigned reads;

static cydp_status read_extension(void *self, uint32_t decision, uint32_t level,
                                  const uint64_t *candidates, size_t n,
                                  uint64_t (*words)[8]) {
  (void)self;
  CHECK(n == 1 && candidates[0] == 0 && level < LEVELS && decision - 1 < 2);
  memcpy(words[0], extension[decision - 1][level], sizeof words[0]);
  reads |= 1u << decision;
  return CYDP_OK;
}

static const cydp_extension given = {read_extension, NULL};

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void precisions_agree(const cydp_quantile *quantile) {
  int64_t wide[MOST], chosen[3];
  int32_t narrow[MOST];
  uint32_t words[WORDS];
  for (int run = 0; run < 200; run++) {
    size_t n = random64() % MOST;
    int64_t range = INT64_C(1) << random64() % 31;
    for (size_t i = 0; i < n; i++)
      wide[i] = (int64_t)(random64() % (uint64_t)range) - range / 2;
    qsort(wide, n, sizeof *wide, by_value);
    for (size_t i = 0; i < n; i++)
      narrow[i] = (int32_t)wide[i];
    for (size_t i = 0; i < WORDS; i++)
      words[i] = (uint32_t)random64();
    memset(words, run % 3 ? run : -1,
           (size_t)(run % 7) * sizeof *words); /* U next to 0 and 1 */
    for (size_t i = 0; i < 2 * LEVELS * 8; i++)
      extension[i % 2][i / 2 % LEVELS][i / 4] = random64();
    for (int how = 0; how < 3; how++)
      CHECK(cydp_quantile_map(quantile, how == 1 ? (void *)narrow : (void *)wide,
                              how == 1 ? CYDP_I32 : CYDP_I64, n, -range / 2, range, words,
                              &given, how == 2 ? CYDP_RESOLVE_ALL : CYDP_FAST,
                              chosen + how) == CYDP_OK);
    CHECK(chosen[0] == chosen[1] && chosen[0] == chosen[2]);
    CHECK(chosen[0] >= -range / 2 && chosen[0] <= range);
  }
}

/* The unit 4 weighs 1, what is below it 3 exp(-1/2), what is above it 4 exp(-1/2). `limit` is
 * 1 / (1 + 7 exp(-1/2)), below which U chooses 4. */
static void further_bits_decide(void) {
  static const uint64_t limit[16] = {
      0x30cd3ed245f91024, 0xcfb92eb1a891cb85, 0xad99aaeaabfa794c, 0xd3360db9fa8eaaa2,
      0x38b371458cc9f853, 0xce86977cf5fb0d4c, 0xb5bca044103787ed, 0xe019fe2ca770dbe2,
      0xda6994e29ca9c06e, 0x299c2be3162b29e1, 0xf83c1e1e53842258, 0x3ba9441cd0aa3c7c,
      0xfbb15e702c7ec495, 0xde7cf46ab42fb195, 0x028a19076f0983f8, 0xeab54ec0587b4c48};
  cydp_quantile *quantile = quantile_of(1, 2, 1, 1, 0);
  const int32_t unit = 4;
  uint32_t words[WORDS] = {0}; /* V = 0 */
  int64_t chosen;
  for (size_t i = 0; i < 3; i++) {
    words[2 * i] = (uint32_t)limit[i];
    words[2 * i + 1] = (uint32_t)(limit[i] >> 32);
  }
  memset(extension, 0, sizeof extension);
  memcpy(extension[0], limit + 3, 13 * sizeof *limit);
  for (size_t place = 0; place < 13; place++)
    for (int up = 0; up < 2; up++) {
      uint64_t *limb = &extension[0][place / 8][place % 8], kept = *limb;
      *limb += up ? UINT64_C(1) << 40 : -(UINT64_C(1) << 40);
      reads = 0;
      CHECK(cydp_quantile_map(quantile, &unit, CYDP_I32, 1, 1, 8, words, &given,
                              CYDP_FAST, &chosen) == CYDP_OK);
      CHECK(chosen == (up ? 1 : 4));
      CHECK(reads & 2);
      *limb = kept;
    }
  CHECK(cydp_quantile_map(quantile, &unit, CYDP_I32, 1, 1, 8, words, &given, CYDP_FAST,
                          &chosen) == CYDP_ERROR_UNDECIDED);
  /* V lies between two of three points. */
  uint32_t third[WORDS] = {0};
  memset(third + 6, 0x55, 6 * sizeof *third);
  for (int up = 0; up < 2; up++) {
    memset(extension, 0x55, sizeof extension);
    extension[1][1][4] += up ? 1 : (uint64_t)-1;
    reads = 0;
    CHECK(cydp_quantile_map(quantile, NULL, CYDP_I32, 0, 1, 3, third, &given, CYDP_FAST,
                            &chosen) == CYDP_OK);
    CHECK(chosen == (up ? 2 : 1) && reads & 4);
  }
  cydp_quantile_free(quantile);
}

static void threads_agree(void) {
  enum { GROUPS = 2000, UNITS = 5 * GROUPS };
  static int32_t units[UNITS];
  static int64_t offsets[GROUPS + 1], chosen[2][GROUPS];
  const cydp_key key = {{1, 2, 3}, CYDP_CHACHA20};
  cydp_quantile *quantile = quantile_of(1, 3, 1, 2, 0);
  for (size_t g = 0; g < GROUPS; g++)
    offsets[g + 1] = g + 1 < GROUPS ? offsets[g] + (int64_t)(g % 9) : UNITS;
  for (size_t i = 0; i < UNITS; i++)
    units[i] = (int32_t)(i / 7);
  for (unsigned threads = 1; threads <= 5; threads++)
    for (int all = 0; all < 2; all++) {
      cydp_rng *rng;
      CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
      CHECK(cydp_choose_quantiles(quantile, units, CYDP_I32, offsets, GROUPS, 0, UNITS,
                                  rng, all ? CYDP_RESOLVE_ALL : CYDP_FAST, threads,
                                  chosen[threads > 1 || all]) == CYDP_OK);
      CHECK(memcmp(chosen[0], chosen[threads > 1 || all], sizeof *chosen) == 0);
      cydp_rng_free(rng);
    }
  cydp_quantile_free(quantile);
}

/* A range within ends of its own is chosen from as if its places were all units; only few of
 * them are computed. */
static void ranges_are_places_of_their_own(void) {
  enum { UNITS = 3000, RUNS = 200, BITS = 10 };
  static int64_t units[UNITS], places[UNITS];
  const cydp_key key = {{4, 5, 6}, CYDP_CHACHA20};
  cydp_quantile *quantile = quantile_of(1, 3, 2, 1, 0);
  for (size_t i = 0; i < UNITS; i++)
    units[i] = (int64_t)(i < 900 ? i / 3 : i / 700 * 700) - 50;
  const cydp_tied_units tied = {units, false, UNITS, -50, BITS};
  cydp_places(&tied, 0, UNITS, places);
  for (int run = 0; run < RUNS; run++) {
    const int64_t offsets[2] = {0, UNITS}, first = (int64_t)(random64() % UNITS);
    const int64_t last = first + (int64_t)(random64() % (uint64_t)(UNITS - first));
    const int64_t lowest = places[first] - (int64_t)(random64() % 9);
    const int64_t highest = places[last] + (int64_t)(random64() % 9);
    int64_t chosen, cut, alone;
    cydp_rng *rng;
    CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
    CHECK(cydp_choose_quantiles_between(
              quantile, units, CYDP_I64, offsets, 1, -50, BITS, &first, &last, &lowest,
              &highest, rng, run % 2 ? CYDP_RESOLVE_ALL : CYDP_FAST, 2, &chosen,
              &cut) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
    CHECK(cydp_choose_quantiles(quantile, places + first, CYDP_I64,
                                (const int64_t[2]){0, last - first}, 1, lowest, highest,
                                rng, CYDP_FAST, 1, &alone) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(chosen == alone);
    int64_t expected = first;
    while (expected < last && places[expected] <= chosen)
      expected++;
    CHECK(cut == expected);
  }
  cydp_quantile_free(quantile);
}

/* Many groups with a range each; threads change nothing; units of another group are none. */
static void ranges_of_groups_are_apart(void) {
  enum { GROUPS = 600, UNITS = 5 * GROUPS };
  static int32_t units[UNITS];
  static int64_t offsets[GROUPS + 1], ends[2][GROUPS], chosen[2][GROUPS], cuts[2][GROUPS];
  const cydp_key key = {{4, 5, 6}, CYDP_CHACHA20};
  cydp_quantile *quantile = quantile_of(1, 3, 40, 1, 0);
  cydp_rng *rng;
  for (size_t g = 0; g < GROUPS; g++) {
    offsets[g + 1] = (int64_t)(5 * (g + 1));
    ends[1][g] = 1023;
    for (size_t i = 5 * g; i < 5 * g + 5; i++)
      units[i] = g % 2 ? 1 : (int32_t)(i % 5); /* a group is no run of units */
  }
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
    CHECK(cydp_choose_quantiles_between(
              quantile, units, CYDP_I32, offsets, GROUPS, 0, 7, offsets, offsets + 1,
              ends[0], ends[1], rng, CYDP_FAST, threads, chosen[threads > 1],
              cuts[threads > 1]) == CYDP_OK);
    cydp_rng_free(rng);
  }
  CHECK(memcmp(chosen[0], chosen[1], sizeof *chosen) == 0);
  CHECK(memcmp(cuts[0], cuts[1], sizeof *cuts) == 0);
  for (size_t g = 0; g < GROUPS; g++) { /* the second of five numbers */
    CHECK(cuts[0][g] == (int64_t)(5 * g + 2));
    CHECK(chosen[0][g] >> 7 == 1 && (chosen[0][g] & 127) == (g % 2 ? 16 : 0));
  }
  cydp_quantile_free(quantile);
}

static void bad_ranges_are_refused(void) {
  const int64_t most = INT64_C(1) << 62;
  const int64_t units[4] = {0, 1, 2, 3};
  cydp_quantile *quantile = quantile_of(1, 3, 1, 1, 0);
  cydp_rng *rng;
  CHECK(cydp_rng_new(&rng) == CYDP_OK);
  for (int which = 0; which <= 8; which++) {
    int64_t offsets[2] = {which == 1 ? -1 : 0, which == 2 ? INT64_C(1) << 32 : 4};
    int64_t first = which == 3 ? -1 : which == 4 ? 4 : 1, last = which == 5 ? 5 : 3;
    int64_t lowest = which == 6 ? -most - 1 : which == 7 ? 9 : 0, highest = 8;
    int64_t chosen, cut;
    CHECK((cydp_choose_quantiles_between(quantile, units, CYDP_I64, offsets, 1, 0,
                                         which == 8 ? 32 : 1, &first, &last, &lowest,
                                         &highest, rng, CYDP_FAST, 1, &chosen,
                                         &cut) == CYDP_OK) == (which == 0));
  }
  cydp_rng_free(rng);
  cydp_quantile_free(quantile);
}

static void bad_parameters_are_refused(void) {
  const uint64_t one = 1, zero = 0;
  const cydp_rational good = {&one, 1, &one, 1}, none = {&zero, 1, &one, 1},
                      no_denominator = {&one, 1, &zero, 1};
  cydp_quantile *quantile;
  CHECK(cydp_quantile_new(2, 1, &good, &quantile) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_quantile_new(0, 0, &good, &quantile) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_quantile_new(1, 2, &none, &quantile) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_quantile_new(1, 2, &no_denominator, &quantile) == CYDP_ERROR_DOMAIN);
  quantile = quantile_of(1, 2, 1, 1, 0);
  const int64_t units[2] = {1, 2}, offsets[3] = {0, 2, 1},
                long_offsets[2] = {0, INT64_C(1) << 32}, most = INT64_C(1) << 62;
  int64_t chosen[2] = {77, 77};
  cydp_rng *rng;
  CHECK(cydp_rng_new(&rng) == CYDP_OK);
  struct {
    cydp_dtype dtype;
    const int64_t *offsets;
    size_t groups;
    int64_t lowest, highest;
  } bad[] = {{CYDP_F64, offsets, 1, 0, 9},        {CYDP_I64, offsets, 2, 0, 9},
             {CYDP_I64, long_offsets, 1, 0, 9},   {CYDP_I64, offsets, 1, 9, 0},
             {CYDP_I64, offsets, 1, -1, most},    {CYDP_I64, offsets, 1, most, most + 1},
             {CYDP_I64, offsets, 1, -most - 1, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(cydp_choose_quantiles(quantile, units, bad[i].dtype, bad[i].offsets,
                                bad[i].groups, bad[i].lowest, bad[i].highest, rng,
                                CYDP_FAST, 1, chosen) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_choose_quantiles(quantile, units, CYDP_I64, offsets, 0, 0, 9, rng, CYDP_FAST,
                              1, chosen) == CYDP_OK);
  CHECK(chosen[0] == 77 && chosen[1] == 77);
  cydp_rng_free(rng);
  cydp_quantile_free(quantile);
  cydp_quantile_free(NULL);
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  const struct {
    uint64_t a, b, numerator, denominator;
    size_t shift;
  } cases[] = {{1, 2, 1, 1, 0},
               {0, 1, 1, 50, 0},
               {1, 1, 3, 7, 0},
               {19, 20, 1, 1000000, 0},
               {UINT64_MAX / 3, UINT64_MAX, 1, 2, 0},
               {1, 3, 1, 3, 21},
               {1, 3, UINT64_MAX, 1, 0},
               {1, 2, UINT64_MAX, 1, 100}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cydp_quantile *quantile = quantile_of(cases[i].a, cases[i].b, cases[i].numerator,
                                          cases[i].denominator, cases[i].shift);
    factors_are_bounded(quantile);
    precisions_agree(quantile);
    cydp_quantile_free(quantile);
  }
  further_bits_decide();
  threads_agree();
  ranges_are_places_of_their_own();
  ranges_of_groups_are_apart();
  bad_ranges_are_refused();
  bad_parameters_are_refused();
  return 0;
}
