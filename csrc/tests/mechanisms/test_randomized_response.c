/* SPDX-License-Identifier: MIT
 * Offsets and reports: the kernels of every table by their definitions, and whole calls.
 */
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/kernels.h"
#include "mechanisms/kernels.h"
#include "samplers/category_offset.h"
#include "samplers/kernels.h"
#include "tests/check.h"
#include "tests/samplers/lanes.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;
enum { MOST = 2048, MARGIN = 64 };

static uint32_t words[2 * MOST + CYDP_GROUP_WORDS];

static cydp_status same(void *self, uint32_t decision, uint32_t level,
                        const uint64_t *candidates, size_t n, uint64_t (*of)[8]) {
  (void)self, (void)decision, (void)level, (void)candidates;
  memset(of, 0x35, n * sizeof *of);
  return CYDP_OK;
}

static cydp_sampler *sampler_of(uint64_t categories, uint64_t denominator) {
  const uint64_t one = 1;
  cydp_sampler *sampler;
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &denominator, 1}, categories,
                                 &sampler) == CYDP_OK);
  CHECK(cydp_category_offset_categories(sampler) == categories);
  CHECK(cydp_sampler_value_bytes(sampler) == (categories <= 1 << 16 ? 2 : 4));
  return sampler;
}

static uint64_t value_at(unsigned bytes, const void *values, size_t i) {
  uint64_t value = 0;
  memcpy(&value, (const char *)values + bytes * i, bytes);
  return value;
}

/* Half of the words: floor(j w 2^bits), one less and one more, for some j. */
static void words_next_to_tails(unsigned width, uint64_t categories,
                                uint64_t denominator) {
  const unsigned bits = width == 8 ? 63 : 8 * width;
  for (size_t i = 0; i < MOST; i += 2) {
    uint64_t j = words[i] % (categories + 1), mask = UINT64_MAX >> (64 - bits);
    uint64_t word = (uint64_t)(((uint128)j << bits) / denominator) + i / 2 % 3 - 1;
    word = (word & mask) << (width == 8);
    memcpy((char *)words + width * i, &word, width);
  }
}

/* The fast map gives what exact comparisons give, by every table, for all lengths of a
 * tail, and writes nothing behind the last value. */
static void maps_are_exact(const cydp_mechanisms_table *kernels, uint64_t categories,
                           uint64_t denominator) {
  static char exact[4 * MOST], fast[4 * MOST + MARGIN];
  const uint32_t key[8] = {(uint32_t)categories}, nonce[3] = {0};
  const size_t lengths[] = {0, 1, 7, 8, 31, 32, 33, 95, MOST - 1, MOST};
  cydp_sampler *sampler = sampler_of(categories, denominator);
  unsigned bytes = (unsigned)cydp_sampler_value_bytes(sampler);
  cydp_extension extension = {same, NULL};
  cydp_work work = {0};
  size_t values;
  cydp_chacha20_portable(key, nonce, 0, sizeof words / 1024, words);
  words_next_to_tails(cydp_sampler_layout(sampler).width[0], categories, denominator);
  CHECK(cydp_sampler_map(sampler, words, MOST, &extension, CYDP_RESOLVE_ALL, exact,
                         &values, &work) == CYDP_OK);
  CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    size_t n = lengths[i];
    memset(fast, 0x5a, sizeof fast);
    CHECK(cydp_sampler_map(sampler, words, n, &extension, CYDP_FAST, fast, &values,
                           &work) == CYDP_OK);
    CHECK(values == n && memcmp(fast, exact, n * bytes) == 0);
    for (size_t j = 0; j < MARGIN; j++)
      CHECK(fast[n * bytes + j] == 0x5a);
  }
  cydp_sampler_free(sampler);
}

/* The bits that the kernel of many categories sets for its lanes: those behind the last
 * are 0. */
static void lanes_are_told(cydp_category_offset_kernel *kernel) {
  uint16_t out[MOST + 1];
  const cydp_category_offset_constants constants = {0x1p-25, 127, 0x1p-24, 1, 32};
  for (size_t n = 0; n < 100; n++) {
    lanes *open = no_lanes();
    out[n] = 0x5a5a;
    kernel(&constants, words, n, out, open->open);
    CHECK(out[n] == 0x5a5a);
    (void)count_open(open, n);
    for (size_t i = 0; i < n; i++)
      if (!is_open(open, i))
        CHECK(out[i] == 127 - (words[i] >> 25));
      else
        CHECK((words[i] + 4) % (1U << 25) < 8);
  }
}

/* Every width, first and last codes, codes beyond; and what stands behind the reports. */
static void reports_are_sums(const cydp_mechanisms_table *kernels, uint64_t categories,
                             unsigned code_bytes) {
  static char codes[8 * 300], offsets[4 * 300], reports[8 * 300 + MARGIN];
  const unsigned offset_bytes = categories <= 1 << 16 ? 2 : 4;
  const uint32_t last = (uint32_t)(categories - 1);
  for (size_t n = 0; n < 300; n += n < 140 ? 1 : 53) {
    bool any = false;
    for (size_t i = 0; i < n; i++) {
      uint64_t code = words[i] % 5 == 0   ? last
                      : words[i] % 5 == 1 ? 0
                      : words[i] % 5 == 2 ? UINT64_MAX - i % 3
                                          : words[i + 1] % categories;
      uint64_t offset = words[i + 2] % 3 ? words[i + 2] % categories : last;
      memcpy(codes + code_bytes * i, &code, code_bytes);
      memcpy(offsets + offset_bytes * i, &offset, offset_bytes);
      any = any || value_at(code_bytes, codes, i) > last;
    }
    memset(reports, 0x5a, sizeof reports);
    CHECK(kernels->respond(last, code_bytes, codes, offset_bytes, offsets, n, reports) ==
          any);
    for (size_t i = 0; i < n; i++) {
      uint64_t code = value_at(code_bytes, codes, i);
      uint64_t sum = (code + value_at(offset_bytes, offsets, i)) % categories;
      CHECK(value_at(code_bytes, reports, i) == (code > last ? categories : sum));
    }
    kernels->replace(last, code_bytes, offset_bytes, offsets, n, reports);
    for (size_t i = 0; i < n; i++) {
      uint64_t code = value_at(code_bytes, codes, i);
      uint64_t offset = value_at(offset_bytes, offsets, i);
      CHECK(value_at(code_bytes, reports, i) ==
            (code > last ? offset : (code + offset) % categories));
    }
    for (size_t i = 0; i < MARGIN; i++)
      CHECK(reports[code_bytes * n + i] == 0x5a);
  }
}

/* Any number of threads and any work mode gives the same reports. */
static void calls_repeat(uint64_t categories, cydp_stream stream) {
  enum { N = 300007 };
  static uint32_t codes[N], one[N + 1], many[N + 1];
  const cydp_key seed = {{44}, stream};
  const unsigned threads[] = {0, 1, 2, 3, 8};
  cydp_sampler *offset = sampler_of(categories, 3 * categories),
               *uniform = sampler_of(categories, categories);
  cydp_rng *rng;
  for (size_t i = 0; i < N; i++)
    codes[i] = (uint32_t)(i % (i < N / 2 ? categories : categories + 1));
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    cydp_work_mode work_mode = i % 2 ? CYDP_FIXED_WORK : CYDP_FAST;
    memset(many, 0x55, sizeof many);
    CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
    CHECK(cydp_randomize_responses(offset, uniform, codes, 4, N, rng, work_mode,
                                   threads[i], many) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(many[N] == 0x55555555);
    CHECK(i == 0 || memcmp(one, many, sizeof one) == 0);
    memcpy(one, many, sizeof one);
  }
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  CHECK(cydp_randomize_responses(offset, uniform, NULL, 4, 0, rng, CYDP_FAST, 1, NULL) ==
        CYDP_OK);
  CHECK(cydp_randomize_responses(offset, uniform, codes, 3, 1, rng, CYDP_FAST, 1, many) ==
        CYDP_ERROR_DOMAIN);
  CHECK(categories <= 256 ||
        cydp_randomize_responses(offset, uniform, codes, 1, 1, rng, CYDP_FAST, 1, many) ==
            CYDP_ERROR_DOMAIN);
  cydp_rng_free(rng);
  cydp_sampler_free(offset);
  cydp_sampler_free(uniform);
}

int main(void) {
  const uint64_t categories[] = {
      2, 3, 64, 65, 256, 257, 1 << 16, (1 << 16) + 1, CYDP_MOST_CATEGORIES};
  const cydp_mechanisms_table *kernels;
  for (size_t i = 0; (kernels = cydp_mechanisms_kernels_at(i)); i++) {
    for (size_t j = 0; j < sizeof categories / sizeof *categories; j++) {
      uint64_t k = categories[j];
      maps_are_exact(kernels, k, k);
      maps_are_exact(kernels, k, 3 * k + 1);
      maps_are_exact(kernels, k, UINT64_C(1) << 62);
      for (unsigned bytes = 1; bytes <= 8; bytes *= 2)
        if (bytes == 8 || k <= UINT64_C(1) << 8 * bytes)
          reports_are_sums(kernels, k, bytes);
    }
    lanes_are_told(cydp_samplers_kernels_at(i)->category_offset);
  }
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
  for (int stream = CYDP_CHACHA20; stream <= (int)cydp_default_stream(); stream++) {
    calls_repeat(3, (cydp_stream)stream);
    calls_repeat(1000, (cydp_stream)stream);
    calls_repeat(100000, (cydp_stream)stream);
  }
  return 0;
}
