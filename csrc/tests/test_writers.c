/* SPDX-License-Identifier: MIT
 * Another thread writes to the input of every kernel that reads a caller's memory, as
 * long as the kernel runs. What a kernel writes stays in bounds, which AddressSanitizer
 * checks too, and what it returns is right for some mixture of old and new values. */
#include "cydp.h"
#include "cydp_testing.h"
#include "exact/bincount.h"
#include "exact/contributions.h"
#include "exact/count_table.h"
#include "exact/dtype.h"
#include "exact/histogram.h"
#include "exact/kernels.h"
#include "tests/check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { ROWS = 1 << 15, GUARDS = 64, RUNS = 8, MOST_KINDS = 8 };

/* What is written: every place gets one kind after the other. */
typedef struct writes {
  void *memory;
  size_t bytes, n, kinds; /* of a place; places; kinds */
  uint64_t kind[MOST_KINDS];
} writes;

typedef struct writer {
  writes plan;
  pthread_t thread;
  atomic_bool over;
} writer;

/* Not instrumented by ThreadSanitizer: that there is a race is what is tested. */
__attribute__((no_sanitize("thread"))) static void *write_on(void *self) {
  writer *own = self;
  const writes *plan = &own->plan;
  for (size_t round = 0; !atomic_load_explicit(&own->over, memory_order_relaxed); round++)
    for (size_t i = 0; i < plan->n; i++) {
      uint64_t kind = plan->kind[(round + (round % 2 ? i : 0)) % plan->kinds];
      switch (plan->bytes) {
      case 1:
        ((volatile uint8_t *)plan->memory)[i] = (uint8_t)kind;
        break;
      case 2:
        ((volatile uint16_t *)plan->memory)[i] = (uint16_t)kind;
        break;
      case 4:
        ((volatile uint32_t *)plan->memory)[i] = (uint32_t)kind;
        break;
      default:
        ((volatile uint64_t *)plan->memory)[i] = kind;
      }
    }
  return NULL;
}

static void start(writer *own, writes plan) {
  own->plan = plan;
  atomic_init(&own->over, false);
  CHECK(pthread_create(&own->thread, NULL, write_on, own) == 0);
}

static void stop(writer *own) {
  atomic_store(&own->over, true);
  CHECK(pthread_join(own->thread, NULL) == 0);
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t bits_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Counts with guards around them. */
enum { MOST_COUNTS = 1 << 17 };
static int64_t guarded[GUARDS + MOST_COUNTS + GUARDS], *const counts = guarded + GUARDS;

static void clear_counts(size_t n) {
  memset(guarded, 0x5a, sizeof guarded);
  memset(counts, 0, n * sizeof *counts);
}

static int64_t sum_of_counts(size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < GUARDS; i++)
    CHECK(guarded[i] == INT64_C(0x5a5a5a5a5a5a5a5a) && counts[n + i] == guarded[0]);
  for (size_t i = 0; i < n; i++) {
    CHECK(counts[i] >= 0);
    sum += counts[i];
  }
  return sum;
}

static uint64_t columns[2][ROWS];
static const uint64_t key[2] = {3, 4};

static uint64_t rows_that_stay(const uint8_t *mask, size_t from, size_t to) {
  uint64_t stay = 0;
  for (size_t i = from; i < to; i++) {
    CHECK(mask[i] <= 1);
    stay += mask[i];
  }
  return stay;
}

/* However users and partitions are mixed, of each user at most max_partitions partitions
 * stay, and of each of these max_rows rows. A row counts for the user and partition that
 * were read of it. Users who do not change have EACH rows, so that they stand in short
 * buckets. */
static void limits_of_contributions_hold(bool users_change, uint64_t user_step,
                                         uint32_t partition_step) {
  enum { EACH = 8 };
  static uint8_t mask[ROWS + GUARDS];
  static uint32_t pairs[ROWS + GUARDS];
  static uint32_t codes[ROWS];
  size_t n_pairs;
  const cydp_column users = {columns[0], columns[0], NULL};
  const cydp_partitions partitions = {codes, NULL, UINT32_MAX};
  writer own[2];
  const writes plan[2] = {{columns[0], 8, ROWS, 3, {1, 1 + user_step, 1 + 2 * user_step}},
                          {codes, 4, ROWS, 2, {5, 5 + partition_step}}};
  const size_t each = users_change ? ROWS : EACH;
  const uint64_t kinds = users_change ? 3 : 1;
  for (size_t i = 0; i < ROWS; i++) {
    columns[0][i] = 1 + i / each * user_step;
    codes[i] = (uint32_t)plan[1].kind[0];
  }
  start(own + 1, plan[1]);
  if (users_change)
    start(own, plan[0]);
  for (unsigned run = 0; run < 2 * RUNS; run++) {
    const uint64_t max_partitions = 1 + run % 2 * 9, max_rows = 1 + run / 2 % 2 * 2;
    const uint64_t most = kinds * (max_partitions > 1 ? 2 : 1) * max_rows;
    memset(mask, 0x5a, sizeof mask);
    memset(pairs, 0x5a, sizeof pairs);
    CHECK(cydp_bound_slices(&users, &partitions, run % 4 ? columns[0] : NULL, NULL, ROWS,
                            max_partitions, max_rows, key, run % 3 ? ROWS : ROWS / 8,
                            1 + run % 3, mask, run % 5 ? pairs : NULL,
                            &n_pairs) == CYDP_OK);
    for (size_t i = 0; run % 5 && i < ROWS; i++)
      CHECK(pairs[i] < n_pairs || (pairs[i] == UINT32_MAX && !mask[i]));
    CHECK(n_pairs <= ROWS);
    CHECK(memcmp(pairs + ROWS, mask + ROWS, GUARDS) == 0);
    for (size_t i = 0; i < ROWS; i += each) {
      uint64_t stay = rows_that_stay(mask, i, i + each);
      CHECK(stay <= most && (users_change || stay > 0));
    }
    for (size_t i = 0; i < GUARDS; i++)
      CHECK(mask[ROWS + i] == 0x5a);
    uint64_t counted = 0;
    CHECK(cydp_count_user_rows(&users, NULL, ROWS, key, 1 + run % 3, pairs) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      counted += pairs[i];
    CHECK(counted <= ROWS && (users_change || counted == ROWS));
    CHECK(memcmp(pairs + ROWS, mask + ROWS, GUARDS) == 0);
  }
  stop(own + 1);
  if (users_change)
    stop(own);
}

/* A string's id is the place of a string before it, whose hash it has. */
static void ids_of_strings_have_one_hash(size_t width) {
  static uint8_t text[ROWS * 24];
  static uint64_t ids[ROWS], hashes[ROWS];
  const cydp_strings strings = {text, NULL, width, NULL};
  writer own;
  writes plan = {text, 1, sizeof text, 5, {'a', 0, 'b', 'a', 0}};
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    CHECK(cydp_factorize(&strings, ROWS, key, ids, hashes) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(ids[i] <= i && ids[ids[i]] == ids[i] && hashes[ids[i]] == hashes[i]);
  }
  stop(&own);
}

/* Each string is a or b, whenever it is read, and each user. */
static void two_letters_have_two_ids(void) {
  static uint8_t text[ROWS], mask[ROWS];
  static uint64_t ids[ROWS], hashes[ROWS];
  const cydp_strings strings = {text, NULL, 1, NULL};
  const writes plan = {text, 1, ROWS, 2, {'a', 'b'}};
  writer own;
  memset(text, 'a', ROWS);
  start(&own, plan);
  for (unsigned run = 0; run < 4 * RUNS; run++) {
    size_t kinds = 0;
    CHECK(cydp_factorize(&strings, ROWS, key, ids, hashes) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      kinds += ids[i] == i;
    CHECK(kinds <= 2);
    const cydp_column users = {hashes, hashes, &strings};
    size_t n_pairs;
    CHECK(cydp_hash_strings(&strings, ROWS, key, 1 + run % 3, hashes) == CYDP_OK);
    CHECK(cydp_bound_contributions(&users, NULL, NULL, NULL, ROWS, 1, 3, key, 1 + run % 3,
                                   mask, NULL, &n_pairs) == CYDP_OK);
    CHECK(rows_that_stay(mask, 0, ROWS) <= 6);
  }
  stop(&own);
}

static void places_of_strings_stay_among_the_keys(size_t width) {
  static uint8_t text[ROWS * 24], known[3 * 24];
  static uint32_t code[ROWS + GUARDS];
  const cydp_strings strings = {text, NULL, width, NULL}, given = {known, NULL, 24, NULL};
  writer own;
  writes plan = {text, 1, sizeof text, 4, {'a', 'a', 0, 'b'}};
  cydp_key_table *keys;
  memset(known, 'a', 2 * 24);
  memset(known + 17, 0, 7);
  known[2 * 24] = 'b';
  CHECK(cydp_key_table_new(&given, 3, &keys) == CYDP_OK);
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    memset(code, 0x5a, sizeof code);
    CHECK(cydp_key_table_lookup(keys, &strings, NULL, ROWS, 1 + run % 2, code) ==
          CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(code[i] <= 3);
    for (size_t i = 0; i < GUARDS; i++)
      CHECK(code[ROWS + i] == 0x5a5a5a5a);
  }
  stop(&own);
  cydp_key_table_free(keys);
}

static void what_is_shown_fits(size_t bytes) {
  static uint8_t masked[ROWS], to[8 * ROWS + GUARDS];
  writer own;
  writes plan = {masked, 1, ROWS, 4, {0, 1, 0, 255}};
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    memset(to, 0x5a, sizeof to);
    CHECK(cydp_drop_masked(columns[0], bytes, masked, ROWS, to) <= ROWS);
    for (size_t i = 0; i < GUARDS; i++)
      CHECK(to[bytes * ROWS + i] == 0x5a);
  }
  stop(&own);
}

/* Numbers of a type: inside, on edges, outside, and none. */
static writes numbers_of(cydp_dtype dtype) {
  writes plan = {columns[0], cydp_dtype_bytes(dtype), ROWS, 6, {0}};
  const double some[] = {0, 7, 3.5, -1e300, 1e30, (double)NAN};
  const int64_t integers[] = {0, 7, 3, INT64_MIN, 1000, INT64_MAX};
  for (size_t i = 0; i < plan.kinds; i++)
    plan.kind[i] = dtype == CYDP_F64   ? bits_of(some[i])
                   : dtype == CYDP_F32 ? bits_of_float((float)some[i])
                   : dtype == CYDP_I64
                       ? (uint64_t)integers[i]
                       : (uint64_t)(integers[i] >> (i > 2 && i != 4 ? 32 : 0));
  return plan;
}

static void histograms_count_rows_in_bins(const cydp_bins *bins, size_t count,
                                          cydp_dtype dtype) {
  static uint32_t code[ROWS + GUARDS];
  const cydp_axis axes[2] = {{bins, columns[0], dtype}, {bins, columns[0], dtype}};
  const writes plan = numbers_of(dtype);
  writer own;
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    size_t n_axes = run % 2 && count < 300 ? 2 : 1,
           cells = n_axes > 1 ? count * count : count;
    clear_counts(cells);
    CHECK(cydp_histogram_flushing(axes, n_axes, ROWS, run % 2 ? 1000 : CYDP_FLUSH_ROWS,
                                  1 + run % 3, counts) == CYDP_OK);
    CHECK(sum_of_counts(cells) <= ROWS);
    memset(code, 0x5a, sizeof code);
    CHECK(cydp_histogram_codes(axes, n_axes, ROWS, 1 + run % 3, code) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(code[i] <= cells);
    for (size_t i = 0; i < GUARDS; i++)
      CHECK(code[ROWS + i] == 0x5a5a5a5a);
  }
  stop(&own);
}

static void every_way_to_bins_stays_in_bounds(void) {
  enum { MOST = 20000 };
  static double edges[MOST + 1];
  static int64_t integers[MOST + 1];
  static const size_t sizes[] = {1, 7, 40, MOST};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    size_t count = sizes[s];
    cydp_bins *bins;
    for (int shape = 0; shape < 3; shape++) {
      for (size_t j = 0; j <= count; j++) /* even; powers; all but one in one place */
        edges[j] = shape == 0   ? (double)j * 7 / (double)count
                   : shape == 1 ? pow(1.001, (double)j) - 1
                                : (j < count ? (double)j * 0x1p-60 : 7);
      CHECK(cydp_bins_new(edges, count, &bins) == CYDP_OK);
      for (cydp_dtype dtype = CYDP_F64; dtype <= CYDP_I32; dtype++)
        histograms_count_rows_in_bins(bins, count, dtype);
      cydp_bins_free(bins);
    }
    for (size_t j = 0; j <= count; j++)
      integers[j] = (int64_t)(j * j);
    CHECK(cydp_bins_new_i64(integers, count, &bins) == CYDP_OK);
    histograms_count_rows_in_bins(bins, count, CYDP_I64);
    cydp_bins_free(bins);
  }
}

static const size_t lengths[] = {1, 9, 100, 20000, MOST_COUNTS};

/* Codes of a type: the first, the last, the next, negative ones, the largest, and one that
 * is far beyond the counts in each width. */
static writes codes_of(cydp_dtype dtype, size_t length) {
  return (writes){columns[1],
                  cydp_dtype_bytes(dtype),
                  ROWS,
                  7,
                  {0, length - 1, length, UINT64_MAX, (uint64_t)INT64_MAX, 1,
                   UINT64_C(0x4000000040004040)}};
}

static void codes_are_counted_in_bounds(cydp_dtype dtype, size_t length) {
  const writes plan = codes_of(dtype, length);
  writer own;
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    uint64_t largest;
    clear_counts(length);
    CHECK(cydp_bincount_flushing(columns[1], dtype, ROWS, length,
                                 run % 2 ? 1000 : CYDP_FLUSH_ROWS, run % 3 ? 1 << 23 : 0,
                                 1 + run % 3, counts, &largest) == CYDP_OK);
    CHECK(sum_of_counts(length) <= ROWS);
  }
  stop(&own);
}

static void places_of_integers_are_among_the_keys(cydp_dtype dtype, uint32_t length) {
  static uint32_t place[MOST_COUNTS + 1], code[ROWS];
  const writes plan = codes_of(dtype, length);
  writer own;
  for (uint32_t i = 0; i <= length; i++)
    place[i] = i + 7;
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    CHECK(cydp_dense_lookup(columns[1], dtype, 1, length, place, NULL, ROWS, 1 + run % 2,
                            code) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(code[i] - 7 <= length);
  }
  stop(&own);
}

static void sums_are_of_clamped_numbers(cydp_dtype dtype) {
  const writes plan = numbers_of(dtype);
  writer own;
  const int exponents[] = {0, -3, 2};
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    const cydp_grid grid = {exponents[run % 3], 1, 9};
    cydp_int128 sum, squares;
    CHECK(cydp_grid_sum(&grid, columns[0], dtype, ROWS, 1 + run % 2, &sum,
                        run % 4 ? NULL : &squares) == CYDP_OK);
    bool floats = dtype == CYDP_F64 || dtype == CYDP_F32; /* NaN counts as 0 */
    CHECK(sum.high == 0 && sum.low <= 9 * ROWS && sum.low >= (floats ? 0 : ROWS));
    CHECK(run % 4 || (squares.high == 0 && squares.low <= 81 * ROWS));
  }
  stop(&own);
}

static void groups_are_summed_in_bounds(cydp_dtype codes_dtype, cydp_dtype dtype,
                                        size_t length) {
  writer codes, numbers;
  const cydp_grid grid = {0, 0, 9};
  start(&codes, codes_of(codes_dtype, length));
  start(&numbers, numbers_of(dtype));
  for (unsigned run = 0; run < RUNS; run++) {
    clear_counts(length);
    CHECK(cydp_grid_sum_groups(&grid, columns[1], codes_dtype, columns[0], dtype, ROWS,
                               length, 1 + run % 3, counts) == CYDP_OK);
    CHECK(sum_of_counts(length) <= 9 * ROWS);
  }
  stop(&codes);
  stop(&numbers);
}

/* Offsets and answers to codes that are no category are both uniform here, so every
 * report is, whatever was read: 0 has a share of 1 / K. Twice that has a probability
 * below exp(-K' / 3), K' = RUNS ROWS / K >= 1,000. */
static void reports_are_of_the_law(size_t bytes, uint64_t categories) {
  static uint8_t reports[8 * ROWS + GUARDS];
  const cydp_key seed = {{5}, CYDP_CHACHA20};
  const uint64_t one = 1;
  uint64_t zeros = 0, report;
  writer own;
  writes plan = {columns[0], bytes, ROWS, 4, {0, categories, categories - 1, UINT64_MAX}};
  cydp_sampler *sampler;
  cydp_rng *rng;
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &categories, 1}, categories,
                                 &sampler) == CYDP_OK);
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    memset(reports, 0x5a, sizeof reports);
    CHECK(cydp_randomize_responses(sampler, sampler, columns[0], bytes, ROWS, rng,
                                   run % 2 ? CYDP_FAST : CYDP_FIXED_WORK, 1 + run % 2,
                                   reports) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++) {
      report = 0;
      memcpy(&report, reports + bytes * i, bytes);
      CHECK(report < categories);
      zeros += report == 0;
    }
    for (size_t i = 0; i < GUARDS; i++)
      CHECK(reports[bytes * ROWS + i] == 0x5a);
  }
  stop(&own);
  CHECK(zeros < 2 * RUNS * ROWS / categories);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

static void noise_is_added_to_numbers(void) {
  static double out[ROWS];
  static int64_t noise[ROWS], sums[ROWS];
  const double some[] = {0, -1.5, 1e308, -INFINITY, INFINITY, NAN};
  writer own;
  writes plan = {columns[0], 8, ROWS, 6, {0}};
  for (size_t i = 0; i < plan.kinds; i++)
    plan.kind[i] = bits_of(some[i]);
  for (size_t i = 0; i < ROWS; i++)
    noise[i] = (int64_t)(i * i) - ROWS;
  start(&own, plan);
  for (unsigned run = 0; run < 4 * RUNS; run++) {
    CHECK(cydp_add_grid_noise((const double *)(void *)columns[0], noise, ROWS, -3,
                              1 + run % 2, out) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(fabs(out[i]) <= 0x1p124);
    memcpy(sums, noise, sizeof sums);
    cydp_add_noise((const int64_t *)(void *)columns[0], ROWS, true, sums);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(sums[i] > -CYDP_VALUE_BOUND && sums[i] < CYDP_VALUE_BOUND);
  }
  stop(&own);
}

/* The chosen index is in its row, or no noisy score can be told from the floor. */
static void choices_are_in_their_row(cydp_noise_kind noise, cydp_dtype dtype) {
  enum { LENGTH = 500 };
  static int64_t chosen[ROWS / LENGTH + 1];
  const uint64_t one = 1;
  const double some[] = {0, -1e308, 3, INFINITY, -INFINITY, NAN};
  writer own;
  writes plan = {columns[0], 8, ROWS, 6, {0, 3, UINT64_MAX, (uint64_t)INT64_MAX, 1, 2}};
  cydp_noisy_max *noisy_max;
  cydp_rng *rng;
  for (size_t i = 0; dtype == CYDP_F64 && i < plan.kinds; i++)
    plan.kind[i] = bits_of(some[i]);
  CHECK(cydp_noisy_max_new(noise, &(cydp_rational){&one, 1, &one, 1}, &noisy_max) ==
        CYDP_OK);
  CHECK(cydp_rng_new(&rng) == CYDP_OK);
  start(&own, plan);
  for (unsigned run = 0; run < RUNS; run++) {
    size_t length = run % 2 ? LENGTH : ROWS;
    cydp_status status =
        cydp_report_noisy_max(noisy_max, columns[0], dtype, ROWS / length, length, rng,
                              CYDP_FAST, 1 + run % 3, chosen);
    CHECK(status == CYDP_OK || status == CYDP_ERROR_UNDECIDED);
    for (size_t i = 0; status == CYDP_OK && i < ROWS / length; i++)
      CHECK(chosen[i] >= 0 && (size_t)chosen[i] < length);
  }
  stop(&own);
  cydp_rng_free(rng);
  cydp_noisy_max_free(noisy_max);
}

static void all_hold(void) {
  limits_of_contributions_hold(true, 1, 1);
  limits_of_contributions_hold(false, 1, 1);
  limits_of_contributions_hold(true, UINT64_C(1) << 33, 1);
  limits_of_contributions_hold(false, 1, UINT32_C(1) << 31);
  two_letters_have_two_ids();
  for (size_t width = 3; width <= 24; width += 7) {
    ids_of_strings_have_one_hash(width);
    places_of_strings_stay_among_the_keys(width);
  }
  for (size_t bytes = 1; bytes <= 8; bytes *= 2) {
    what_is_shown_fits(bytes);
    reports_are_of_the_law(bytes, bytes > 1 ? 250 : 100);
  }
  every_way_to_bins_stays_in_bounds();
  for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_U8; dtype++)
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
      codes_are_counted_in_bounds(dtype, lengths[i]);
      places_of_integers_are_among_the_keys(dtype, (uint32_t)lengths[i]);
      groups_are_summed_in_bounds(dtype, (cydp_dtype)(i % 4), lengths[i]);
    }
  for (cydp_dtype dtype = CYDP_F64; dtype <= CYDP_I32; dtype++)
    sums_are_of_clamped_numbers(dtype);
  noise_is_added_to_numbers();
  for (int noise = 0; noise < 2; noise++) {
    choices_are_in_their_row(noise ? CYDP_GUMBEL : CYDP_EXPONENTIAL, CYDP_F64);
    choices_are_in_their_row(noise ? CYDP_GUMBEL : CYDP_EXPONENTIAL, CYDP_I64);
  }
}

int main(void) {
  const cydp_exact_table *kernels;
  for (size_t i = 0; (kernels = cydp_exact_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    all_hold();
  }
  return 0;
}
