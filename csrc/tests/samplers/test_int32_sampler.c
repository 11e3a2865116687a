/* SPDX-License-Identifier: MIT
 * Results of 32 bits: those of 64 under every instruction set, for every number of values
 * and threads; their ends; and the scales that are refused. */
#include "cydp.h"
#include "cydp_testing.h"
#include "samplers/kernels.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 150, GUARDS = 16 };

static const int64_t ends[] = {0,          1,          -1,         INT32_MAX - 1,
                               INT32_MAX,  -INT32_MAX, INT32_MIN,  INT64_C(1) << 31,
                               UINT32_MAX, INT64_MAX,  -INT64_MAX, INT64_C(1) << 32};
enum { ENDS = sizeof ends / sizeof *ends };

static int32_t narrowed(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < -INT32_MAX ? -INT32_MAX : (int32_t)x;
}

/* From every place, for every length; nothing is written behind the end. */
static void the_kernel_stops_at_the_ends(const cydp_samplers_table *kernels) {
  int64_t values[MOST];
  int32_t out[MOST + GUARDS];
  for (size_t i = 0; i < MOST; i++)
    values[i] = i % 3 ? (int64_t)i * 1000003 - 50000 : ends[i / 3 % ENDS];
  for (size_t first = 0; first < 16; first++)
    for (size_t n = 0; n <= MOST - first; n++) {
      memset(out, 0x5a, sizeof out);
      kernels->narrow(values + first, n, out);
      for (size_t i = 0; i < n + GUARDS && i < MOST + GUARDS; i++)
        CHECK(out[i] == (i < n ? narrowed(values[first + i]) : 0x5a5a5a5a));
    }
}

static cydp_sampler *laplace(uint64_t numerator, uint64_t denominator) {
  cydp_sampler *made;
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&numerator, 1, &denominator, 1},
                                  &made) == CYDP_OK);
  return made;
}

static cydp_sampler *gaussian(uint64_t numerator, uint64_t denominator) {
  cydp_sampler *made;
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){&numerator, 1, &denominator, 1},
                                   &made) == CYDP_OK);
  return made;
}

enum { VALUES = 300000 };
static int64_t wide_values[VALUES];
static int32_t narrow_values[VALUES + GUARDS];
static cydp_stream stream; /* of the generators of these tests */

/* At the ends of small calls, chunks, and parts of threads. */
static void values_are_those_of_64_bits(cydp_sampler *wide) {
  const cydp_key key = {{4}, stream};
  cydp_sampler *narrow;
  CHECK(cydp_sampler_new_int32(wide, &narrow) == CYDP_OK);
  size_t chunk = cydp_sampler_chunk(wide);
  CHECK(cydp_sampler_value_bytes(narrow) == 4 && cydp_sampler_chunk(narrow) == chunk);
  const size_t lengths[] = {0,
                            1,
                            7,
                            256,
                            257,
                            chunk - 1,
                            chunk,
                            chunk + 1,
                            3 * chunk - 5,
                            64 * chunk,
                            64 * chunk + 1,
                            VALUES};
  for (size_t i = 0; i < 3 * (sizeof lengths / sizeof *lengths); i++) {
    size_t n = lengths[i / 3];
    unsigned threads = i % 3 == 1 ? 3 : 1;
    cydp_work_mode mode = i % 3 == 2 ? CYDP_FIXED_WORK : CYDP_FAST;
    cydp_rng *rng, *again;
    CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
    CHECK(cydp_rng_new_seeded(&key, &again) == CYDP_OK);
    memset(narrow_values, 0x5a, sizeof narrow_values);
    CHECK(cydp_sampler_fill(wide, n, rng, CYDP_FAST, 1, wide_values) == CYDP_OK);
    CHECK(cydp_sampler_fill(narrow, n, again, mode, threads, narrow_values) == CYDP_OK);
    for (size_t j = 0; j < n + GUARDS; j++)
      CHECK(narrow_values[j] == (j < n ? wide_values[j] : 0x5a5a5a5a));
    cydp_rng_free(rng);
    cydp_rng_free(again);
  }
  cydp_sampler_free(narrow);
  cydp_sampler_free(wide);
}

static void every_value_is_that_of_64_bits(void) {
  values_are_those_of_64_bits(laplace(1, 1));
  values_are_those_of_64_bits(laplace(10, 1));
  values_are_those_of_64_bits(laplace(1000000, 7));
  values_are_those_of_64_bits(laplace(1 << 24, 1));
  values_are_those_of_64_bits(gaussian(4, 1));
  values_are_those_of_64_bits(gaussian(1000, 3));
  values_are_those_of_64_bits(gaussian(UINT64_C(1) << 54, 1));
}

/* Exactly up to the largest scales: the next rational of 64 bits is refused. */
static void larger_scales_are_refused(void) {
  const uint64_t one = 1, two = 2, most = (UINT64_C(1) << 24), more = UINT64_C(1) << 39;
  cydp_sampler *given[] = {laplace(most, 1),
                           laplace(most * more, more),
                           laplace(1, 1),
                           gaussian(most << 30, 1),
                           gaussian(1, 1),
                           laplace(most * more + 1, more),
                           laplace(most + 1, 1),
                           gaussian((most << 30) + 1, 1),
                           gaussian((most << 39) + 1, 1 << 9),
                           NULL,
                           NULL,
                           NULL};
  CHECK(cydp_bernoulli_new(&(cydp_rational){&one, 1, &two, 1}, given + 9) == CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &most, 1}, 1 << 17,
                                 given + 10) == CYDP_OK);
  CHECK(cydp_sampler_new_int32(given[0], given + 11) == CYDP_OK);
  for (int i = 0; i < 12; i++) {
    cydp_sampler *narrow = NULL;
    CHECK(cydp_sampler_new_int32(given[i], &narrow) ==
          (i < 5 ? CYDP_OK : CYDP_ERROR_DOMAIN));
    CHECK((narrow != NULL) == (i < 5));
    cydp_sampler_free(narrow);
  }
  for (int i = 11; i >= 0; i--)
    cydp_sampler_free(given[i]);
}

int main(void) {
  const cydp_samplers_table *kernels;
  for (size_t i = 0; (kernels = cydp_samplers_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    the_kernel_stops_at_the_ends(kernels);
    stream = CYDP_CHACHA20;
    every_value_is_that_of_64_bits();
    stream = CYDP_AES;
    if (cydp_default_stream() == stream)
      every_value_is_that_of_64_bits();
  }
  larger_scales_are_refused();
}
