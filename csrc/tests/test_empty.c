/* SPDX-License-Identifier: MIT
 * Arrays without entries may be NULL: no call adds anything to their address, which clang's
 * UndefinedBehaviorSanitizer checks, or reads them. */
#include "base/isa.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "tests/check.h"

#include <stdlib.h>

static cydp_rng *rng;
static const uint64_t one = 1, five = 5, ten = 10;

static void samplers_draw_nothing(cydp_work_mode work_mode) {
  cydp_sampler *noise, *narrow, *offset, *uniform;
  cydp_prefetch *prefetch;
  cydp_key key;
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&ten, 1, &one, 1}, &noise) == CYDP_OK);
  CHECK(cydp_sampler_new_int32(noise, &narrow) == CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &ten, 1}, 5, &offset) ==
        CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &five, 1}, 5, &uniform) ==
        CYDP_OK);
  CHECK(cydp_rng_key(rng, &key) == CYDP_OK);
  const cydp_sampler *samplers[] = {noise, narrow, offset};
  for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
    for (unsigned threads = 0; threads < 3; threads++) {
      CHECK(cydp_sampler_fill(samplers[i], 0, rng, work_mode, threads, NULL) == CYDP_OK);
      CHECK(cydp_sampler_fill_chunks(samplers[i], 0, 0, &key, work_mode, NULL) == CYDP_OK);
      CHECK(cydp_prefetch_new(samplers[i], 0, rng, work_mode, threads, &prefetch) ==
            CYDP_OK);
      CHECK(cydp_prefetch_next(prefetch, NULL) == CYDP_OK);
      cydp_prefetch_free(prefetch);
    }
  CHECK(cydp_rng_bytes(rng, 0, NULL) == CYDP_OK);
  for (size_t bytes = 1; bytes <= 8; bytes *= 2)
    CHECK(cydp_randomize_responses(offset, uniform, NULL, bytes, 0, rng, work_mode, 2,
                                   NULL) == CYDP_OK);
  cydp_sampler_free(uniform);
  cydp_sampler_free(offset);
  cydp_sampler_free(narrow);
  cydp_sampler_free(noise);
}

static void mechanisms_do_nothing(void) {
  const int64_t offsets[2] = {0, 0};
  cydp_noisy_max *noisy_max;
  cydp_quantile *quantile;
  const int64_t highest = 9;
  int64_t chosen, cut;
  const cydp_rational rate = {&one, 1, &one, 1};
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL, &rate, &noisy_max) == CYDP_OK);
  CHECK(cydp_quantile_new(1, 2, &rate, &quantile) == CYDP_OK);
  cydp_add_noise(NULL, 0, false, NULL);
  cydp_add_noise(NULL, 0, true, NULL);
  for (unsigned threads = 0; threads < 3; threads++) {
    CHECK(cydp_add_grid_noise(NULL, NULL, 0, 0, threads, NULL) == CYDP_OK);
    CHECK(cydp_report_noisy_max(noisy_max, NULL, CYDP_F64, 0, 1, rng, CYDP_FAST, threads,
                                NULL) == CYDP_OK);
    CHECK(cydp_choose_quantiles(quantile, NULL, CYDP_I64, offsets, 0, 0, 9, rng, CYDP_FAST,
                                threads, NULL) == CYDP_OK);
    for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_I32; dtype++) /* one empty group */
      CHECK(cydp_choose_quantiles(quantile, NULL, dtype, offsets, 1, 0, 9, rng, CYDP_FAST,
                                  threads, &chosen) == CYDP_OK);
    for (size_t groups = 0; groups <= 1; groups++)
      CHECK(cydp_choose_quantiles_between(
                quantile, NULL, CYDP_I64, offsets, groups, 0, 31, offsets, offsets,
                offsets, &highest, rng, CYDP_FAST, threads, &chosen, &cut) == CYDP_OK);
  }
  cydp_quantile_free(quantile);
  cydp_noisy_max_free(noisy_max);
}

static void columns_have_nothing(void) {
  static const uint8_t text[1];
  const uint8_t *const buffers[1] = {text};
  const int64_t offsets[1] = {0};
  const uint64_t key[2] = {1, 2};
  const cydp_strings strings[] = {{text, NULL, 3, NULL}, {text, offsets, 0, NULL},
                                  {text, NULL, 0, buffers}};
  for (size_t i = 0; i < 3; i++) {
    cydp_key_table *keys;
    CHECK(cydp_factorize(strings + i, 0, key, NULL, NULL) == CYDP_OK);
    CHECK(cydp_key_table_new(strings + i, 0, &keys) == CYDP_OK);
    for (unsigned threads = 0; threads < 3; threads++)
      CHECK(cydp_key_table_lookup(keys, strings + i, NULL, 0, threads, NULL) == CYDP_OK);
    cydp_key_table_free(keys);
  }
  for (size_t bytes = 1; bytes <= 8; bytes *= 2)
    CHECK(cydp_drop_masked(NULL, bytes, NULL, 0, NULL) == 0);
  CHECK(cydp_dense_lookup(NULL, CYDP_I64, 0, 1, NULL, NULL, 0, 2, NULL) == CYDP_OK);
}

static void histograms_count_nothing(unsigned threads) {
  const double edges[3] = {0, 1, 3};
  const int64_t integers[3] = {0, 1, 3};
  const cydp_dtype dtypes[] = {CYDP_F64, CYDP_F32, CYDP_I64, CYDP_I32};
  int64_t counts[4] = {0};
  cydp_bins *bins, *exact;
  CHECK(cydp_bins_new(edges, 2, &bins) == CYDP_OK);
  CHECK(cydp_bins_new_i64(integers, 2, &exact) == CYDP_OK);
  for (size_t i = 0; i < 5; i++) {
    const cydp_axis axis = {i < 4 ? bins : exact, NULL, i < 4 ? dtypes[i] : CYDP_I64};
    const cydp_axis axes[2] = {axis, axis};
    for (size_t n_axes = 1; n_axes <= 2; n_axes++) {
      CHECK(cydp_histogram(axes, n_axes, 0, threads, counts) == CYDP_OK);
      CHECK(cydp_histogram_codes(axes, n_axes, 0, threads, NULL) == CYDP_OK);
    }
  }
  cydp_bins_free(bins);
  cydp_bins_free(exact);
}

static void exact_sums_are_of_nothing(unsigned threads) {
  const cydp_grid grid = {0, -5, 5};
  const uint64_t key[2] = {1, 2};
  const cydp_column none = {NULL, NULL, NULL};
  int64_t counts[4] = {0}, *const no_counts = NULL;
  uint64_t largest;
  cydp_int128 sum, squares;
  size_t kept;
  for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_U8; dtype++)
    for (size_t n_counts = 0; n_counts <= 4; n_counts += 4) {
      int64_t *to = n_counts ? counts : no_counts;
      CHECK(cydp_bincount(NULL, dtype, 0, n_counts, threads, to, &largest) == CYDP_OK);
      CHECK(largest == 0);
      for (cydp_dtype x = CYDP_F64; x <= CYDP_I32; x++)
        CHECK(cydp_grid_sum_groups(&grid, NULL, dtype, NULL, x, 0, n_counts, threads, to) ==
              CYDP_OK);
    }
  for (cydp_dtype x = CYDP_F64; x <= CYDP_I32; x++) {
    CHECK(cydp_grid_sum(&grid, NULL, x, 0, threads, &sum, NULL) == CYDP_OK);
    CHECK(cydp_grid_sum(&grid, NULL, x, 0, threads, &sum, &squares) == CYDP_OK);
    for (cydp_dtype units = CYDP_I64; units <= CYDP_I32; units++)
      CHECK(cydp_grid_units(&grid, NULL, x, 0, units, NULL, &kept) == CYDP_OK && kept == 0);
  }
  for (cydp_dtype units = CYDP_I64; units <= CYDP_I32; units++)
    CHECK(cydp_sort_units(NULL, units, 0, -5, 5) == CYDP_OK);
  const cydp_partitions no_codes = {0};
  size_t n_pairs = 1;
  CHECK(cydp_bound_contributions(&none, &no_codes, NULL, NULL, 0, 1, 1, key, threads, NULL,
                                 NULL, &n_pairs) == CYDP_OK);
  CHECK(n_pairs == 0);
  CHECK(cydp_count_user_rows(NULL, NULL, 0, key, threads, NULL) == CYDP_OK);
}

static void tables_are_empty(void) {
  static const cydp_int128 totals[2] = {{0, 0}, {0, 0}};
  size_t found;
  for (size_t tables = 0; tables <= 2; tables++) {
    CHECK(cydp_project_total(NULL, tables, 0, totals, NULL) == CYDP_OK);
    CHECK(cydp_project_nonnegative(NULL, tables, 0, totals, NULL, &found) == CYDP_OK);
    CHECK(cydp_project_nonnegative(NULL, tables, 0, NULL, NULL, &found) == CYDP_OK);
    CHECK(cydp_shares(NULL, tables, 0, NULL) == tables);
  }
  CHECK(cydp_project_total(NULL, 0, 3, NULL, NULL) == CYDP_OK);
  CHECK(cydp_project_nonnegative(NULL, 0, 3, NULL, NULL, &found) == CYDP_OK);
  CHECK(cydp_shares(NULL, 0, 3, NULL) == 0);
  CHECK(cydp_round_counts(NULL, 0, 3, NULL, &found) == CYDP_OK && found == 0);
  cydp_clamp_counts(NULL, 0, 0, 1, NULL);
}

int main(void) {
  static const char *const isas[] = {"avx512", "avx2", "neon", "portable"};
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    CHECK(setenv("CYDP_FORCE_ISA", isas[i], 1) == 0);
    if (cydp_init() == CYDP_ERROR_ISA)
      continue;
    CHECK(cydp_rng_new(&rng) == CYDP_OK);
    samplers_draw_nothing(CYDP_FAST);
    samplers_draw_nothing(CYDP_FIXED_WORK);
    mechanisms_do_nothing();
    columns_have_nothing();
    for (unsigned threads = 0; threads < 3; threads++) {
      histograms_count_nothing(threads);
      exact_sums_are_of_nothing(threads);
    }
    tables_are_empty();
    cydp_rng_free(rng);
  }
}
