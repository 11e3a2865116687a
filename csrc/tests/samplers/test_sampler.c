/* SPDX-License-Identifier: MIT
 * Every method: the fast path against exact comparisons, calls against maps, and the
 * limits. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/aes256.h"
#include "generator/nonce.h"
#include "generator/keystream.h"
#include "generator/stream.h"
#include "samplers/batch.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"
#include "samplers/exponential_tails.h"
#include "samplers/kernels.h"
#include "samplers/sampler.h"
#include "tests/check.h"
#include "tests/generator/slow_aes256.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
#endif

enum { CANDIDATES = 4096, MOST_BYTES = 16 };

static cydp_stream stream; /* of the keys of these tests */

static cydp_sampler *laplace(uint64_t numerator, uint64_t denominator, unsigned bits) {
  cydp_sampler *made;
  CHECK(cydp_discrete_laplace_new_prefix(&(cydp_rational){&numerator, 1, &denominator, 1},
                                         bits, &made) == CYDP_OK);
  return made;
}

static cydp_sampler *gaussian(uint64_t numerator, uint64_t denominator) {
  cydp_sampler *made;
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){&numerator, 1, &denominator, 1},
                                   &made) == CYDP_OK);
  return made;
}

static cydp_sampler *bernoulli(uint64_t numerator, uint64_t denominator) {
  cydp_sampler *made;
  CHECK(cydp_bernoulli_new(&(cydp_rational){&numerator, 1, &denominator, 1}, &made) ==
        CYDP_OK);
  return made;
}

static cydp_status hashed_words(void *self, uint32_t decision, uint32_t level,
                                const uint64_t *candidates, size_t n,
                                uint64_t (*words)[8]) {
  uint32_t key[8] = {5}, nonce[3], block[16];
  (void)self;
  cydp_set_nonce(nonce, decision, level, 0, 0);
  for (size_t i = 0; i < n; i++) {
    cydp_chacha20_block(key, nonce, (uint32_t)candidates[i], block);
    memcpy(words[i], block, sizeof block);
  }
  return CYDP_OK;
}
static const cydp_extension extension = {hashed_words, NULL};

static void exact_comparisons_agree(cydp_sampler *sampler) {
  _Alignas(8) static uint32_t planes[CANDIDATES * MOST_BYTES / 4];
  static int64_t fast[CANDIDATES], fixed[CANDIDATES], exact[CANDIDATES];
  const uint32_t key[8] = {3}, nonce[3] = {0};
  cydp_work work = {0}, padded = {0}, all = {0};
  size_t n, m;
  CHECK(cydp_chacha20_keystream(key, nonce, 0, sizeof planes / 1024, planes) == CYDP_OK);
  memset(planes, 0, 64);         /* u = 0, */
  memset(planes + 16, 0xff, 64); /* u next to 1 */
  CHECK(cydp_sampler_map(sampler, planes, CANDIDATES, &extension, CYDP_FAST, fast, &n,
                         &work) == CYDP_OK);
  CHECK(cydp_sampler_map(sampler, planes, CANDIDATES, &extension, CYDP_RESOLVE_ALL, exact,
                         &m, &all) == CYDP_OK);
  CHECK(n == m && n > CANDIDATES / 2 && memcmp(fast, exact, n * sizeof *fast) == 0);
  CHECK(cydp_sampler_map(sampler, planes, CANDIDATES, &extension, CYDP_FIXED_WORK, fixed,
                         &m, &padded) == CYDP_OK);
  CHECK(n == m && memcmp(fast, fixed, n * sizeof *fast) == 0);
  CHECK(padded.undecided == work.undecided && padded.looks >= work.looks);
  CHECK(work.candidates == CANDIDATES && work.undecided < CANDIDATES / 8);
  CHECK(all.resolved >= CANDIDATES);
  cydp_sampler_free(sampler);
}

/* A call is one of the same seed, whatever its size, and its chunks are those of its key.
 */
static void calls_repeat(cydp_sampler *sampler) {
  enum { N = 3000 };
  const cydp_key seed = {{42}, stream};
  int64_t one[N], two[N];
  cydp_rng *rng;
  for (size_t n = 0; n <= N; n += 250) { /* both sides of CYDP_SMALL_CALL */
    CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
    CHECK(cydp_sampler_fill(sampler, n, rng, CYDP_FAST, 1, one) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
    CHECK(cydp_sampler_fill(sampler, n, rng, CYDP_FIXED_WORK, 1, two) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(memcmp(one, two, n * sizeof *one) == 0);
  }
  cydp_key key;
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  CHECK(cydp_rng_key(rng, &key) == CYDP_OK);
  size_t chunk = cydp_sampler_chunk(sampler);
  CHECK(chunk < N);
  CHECK(cydp_sampler_fill_chunks(sampler, 1, N - chunk, &key, CYDP_FAST, two + chunk) ==
        CYDP_OK);
  CHECK(cydp_sampler_fill_chunks(sampler, 0, chunk, &key, CYDP_FAST, two) == CYDP_OK);
  CHECK(memcmp(one, two, sizeof one) == 0);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

/* Any number of threads gives the same values, and writes nothing behind them. */
static void threads_change_nothing(cydp_sampler *sampler) {
  enum { N = 200003 }; /* several parts, the last one with part of a chunk */
  static int64_t one[N + 1], many[N + 1];
  const cydp_key seed = {{43}, stream};
  const unsigned threads[] = {0, 1, 2, 3, 8};
  size_t bytes = N * sampler->value_bytes;
  cydp_rng *rng;
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  CHECK(cydp_sampler_fill(sampler, N, rng, CYDP_FAST, 1, one) == CYDP_OK);
  cydp_rng_free(rng);
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    cydp_work_mode work_mode = i % 2 ? CYDP_FIXED_WORK : CYDP_FAST;
    memset(many, 0x55, sizeof many);
    CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
    CHECK(cydp_sampler_fill(sampler, N, rng, work_mode, threads[i], many) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(memcmp(one, many, bytes) == 0);
    for (size_t j = 0; j < 8; j++)
      CHECK(((char *)many)[bytes + j] == 0x55);
  }
  cydp_sampler_free(sampler);
}

/* A large call that runs on a stack of the test's own, and not at its top, which the end
 * of the thread overwrites. */
enum { STACK = 1 << 20, TOP = 1 << 14, DRAWN = 3000 };
typedef struct drawing {
  const cydp_sampler *sampler; /* NULL: leaves the key where it was */
  cydp_rng *rng;
} drawing;

__attribute__((noinline)) static void *draw(void *argument) {
  static int64_t out[DRAWN];
  const drawing *drawn = argument;
  cydp_key key[TOP / sizeof(cydp_key)];
  if (drawn->sampler)
    CHECK(cydp_sampler_fill(drawn->sampler, DRAWN, drawn->rng, CYDP_FAST, 1, out) ==
          CYDP_OK);
  else
    CHECK(cydp_rng_key(drawn->rng, key) == CYDP_OK);
  __asm__ volatile("" : : "r"(key) : "memory"); /* it is there, and so is what is above */
  return NULL;
}

static int compare_windows(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Whether any two neighbours of n words lie on the stack: a register holds more. */
static bool stack_holds(const char *stack, const uint32_t *words, size_t n) {
  enum { MOST = 16 * CYDP_GROUP_WORDS };
  static uint64_t windows[MOST];
  bool found = false;
  CHECK(n <= MOST);
  for (size_t i = 0; i + 1 < n; i++)
    memcpy(windows + i, words + i, sizeof *windows);
  qsort(windows, n - 1, sizeof *windows, compare_windows);
  for (size_t i = 0; i + sizeof *windows <= STACK; i += sizeof *words) {
    uint64_t there;
    memcpy(&there, stack + i, sizeof there);
    found |= there != 0 &&
             bsearch(&there, windows, n - 1, sizeof there, compare_windows) != NULL;
  }
  return found;
}

/* The planes of a chunk's first round. */
__attribute__((unused)) static bool stack_holds_planes(const char *stack, const cydp_key *key, uint64_t chunk) {
  enum { GROUPS = 16 };
  static uint32_t words[GROUPS * CYDP_GROUP_WORDS];
  static cydp_keystream keystream;
  CHECK(cydp_keystream_begin(&keystream, key) == CYDP_OK);
  cydp_keystream_read(&keystream, chunk, 0, 0, GROUPS, words);
  cydp_keystream_end(&keystream);
  return stack_holds(stack, words, GROUPS * CYDP_GROUP_WORDS);
}

/* A chunk's AES key, and the round keys made of it. */
__attribute__((unused)) static bool stack_holds_round_keys(const char *stack, const cydp_key *key,
                                   uint64_t chunk) {
  uint32_t nonce[3], block[16], keys[SLOW_KEY_BYTES / 4];
  cydp_set_nonce(nonce, CYDP_DOMAIN_CHUNK_KEYS, 0, 0, chunk / 32);
  cydp_chacha20_block(key->words, nonce, (uint32_t)(chunk % 32 / 2), block);
  slow_round_keys((const uint8_t *)(block + 8 * (chunk % 2)), (uint8_t *)keys);
  return stack_holds(stack, keys, SLOW_KEY_BYTES / 4);
}

#if defined(_WIN32)
/* No thread can be given a stack: it copies what is below a frame of its own. */
static char *copied;

static void *draw_and_copy(void *argument) {
  const volatile char *frame = __builtin_frame_address(0);
  draw(argument);
  const volatile char *limit = ((const NT_TIB *)NtCurrentTeb())->StackLimit;
  for (size_t i = 1; i <= STACK && frame - i >= limit; i++)
    copied[STACK - i] = frame[-(ptrdiff_t)i];
  return NULL;
}

static char *draw_on_stack(drawing *drawn) {
  pthread_t thread;
  copied = calloc(1, STACK);
  CHECK(copied != NULL && pthread_create(&thread, NULL, draw_and_copy, drawn) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return copied;
}

#else
static char *draw_on_stack(drawing *drawn) {
  char *stack = aligned_alloc(1 << 14, STACK);
  pthread_attr_t attributes;
  pthread_t thread;
  CHECK(stack != NULL && pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstack(&attributes, stack, STACK) == 0);
  CHECK(pthread_create(&thread, &attributes, draw, drawn) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  return stack;
}
#endif

static void leaves_nothing(cydp_sampler *sampler) {
  const cydp_key seed = {{44}, stream};
  cydp_key key;
  drawing drawn = {.sampler = sampler};
  CHECK(cydp_rng_new_seeded(&seed, &drawn.rng) == CYDP_OK);
  char *stack = draw_on_stack(&drawn);
  cydp_rng_free(drawn.rng);
  CHECK(cydp_rng_new_seeded(&seed, &drawn.rng) == CYDP_OK);
  CHECK(cydp_rng_key(drawn.rng, &key) == CYDP_OK);
  cydp_rng_free(drawn.rng);
  /* or the search would prove nothing */
  CHECK(stack_holds(stack, key.words, 8) == !sampler);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  /* What a sanitizer makes of a frame is not what is shipped. */
  for (uint64_t chunk = 0; sampler && chunk * sampler->chunk < DRAWN; chunk++) {
    CHECK(!stack_holds_planes(stack, &key, chunk));
    CHECK(!stack_holds_round_keys(stack, &key, chunk));
  }
#endif
  free(stack);
  cydp_sampler_free(sampler);
}

/* A sampler that rejects half of its candidates, and whose values are extension bits:
 * those of both decisions of all candidates, rounds and chunks must differ. */
static cydp_status map_extensions(const cydp_sampler *self, const cydp_batch *batch,
                                  void *out, size_t *values) {
  int64_t *next = out;
  (void)self;
  for (size_t i = 0; i < batch->n; i++) {
    for (uint32_t decision = 1; decision <= 2; decision++)
      for (uint32_t level = 0; level < 2; level++) {
        const uint64_t candidate = batch->first + i;
        uint64_t words[1][8];
        CHECK(batch->extension->read(batch->extension->self, decision, level, &candidate,
                                     1, words) == CYDP_OK);
        if (((const uint32_t *)batch->plane[0])[i] & 1)
          *next++ = (int64_t)words[0][0];
      }
  }
  *values = (size_t)(next - (int64_t *)out) / 4;
  return CYDP_OK;
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Values are of 4 * 8 bytes here: 2 decisions at 2 levels. */
static void extension_bits_are_never_shared(void) {
  enum { CHUNK = 64, N = 5 * CHUNK, WORDS = 4 };
  static int64_t out[N * WORDS + WORDS];
  cydp_sampler sampler = {.map = map_extensions,
                          .layout = {{4, 0, 0}, false},
                          .value_bytes = WORDS * sizeof(int64_t),
                          .chunk = CHUNK};
  const cydp_key key = {{17}, stream};
  CHECK(cydp_sampler_fill_chunks(&sampler, 0, N, &key, CYDP_FAST, out) == CYDP_OK);
  qsort(out, N * WORDS, sizeof *out, compare);
  for (size_t i = 1; i < N * WORDS; i++)
    CHECK(out[i - 1] != out[i]);
}

static void extension_bits_of_small_calls_are_never_shared(void) {
  enum { WORDS = 4, N = 3000 };
  static int64_t out[N * WORDS + CYDP_SMALL_CALL * WORDS];
  const cydp_sampler sampler = {.map = map_extensions,
                                .layout = {{4, 0, 0}, false},
                                .value_bytes = WORDS * sizeof(int64_t),
                                .chunk = 64};
  const cydp_key seed = {{19}, stream};
  cydp_rng *rng;
  size_t done = 0;
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  for (size_t n = 1; done < N; n = n % 11 + 1) { /* many to a refill, and many refills */
    CHECK(cydp_sampler_fill(&sampler, n, rng, CYDP_FAST, 1, out + done * WORDS) ==
          CYDP_OK);
    done += n;
  }
  cydp_rng_free(rng);
  qsort(out, done * WORDS, sizeof *out, compare);
  for (size_t i = 1; i < done * WORDS; i++)
    CHECK(out[i - 1] != out[i]);
}

static void bits_of_small_calls_are_wiped(void) {
  enum { N = 100, BYTES = 2 * N + 16 }; /* words, and signs in whole words of 64 bits */
  const cydp_key seed = {{23}, stream};
  cydp_sampler *sampler = laplace(1, 1, 0);
  cydp_rng *rng;
  int64_t out[N];
  uint8_t left = 0;
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  CHECK(cydp_sampler_fill(sampler, N, rng, CYDP_FAST, 1, out) == CYDP_OK);
  CHECK(cydp_rng_lock(rng) == CYDP_OK);
  const cydp_taken next = cydp_rng_take(rng, 8, 0);
  const uint8_t *bytes = next.bytes;
  CHECK(next.first == N);
  for (size_t i = 1; i <= BYTES; i++)
    left |= *(bytes - i);
  CHECK(left == 0);
  cydp_rng_unlock(rng);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

/* A sampler that makes exact comparisons for both decisions, each for 6 of 65,536
 * candidates, and says so: how many these are must not show. */
static size_t runs[2];

static cydp_answer count_run(const void *bound, size_t n, const uint64_t *u) {
  (void)n, (void)u;
  runs[*(const uint32_t *)bound - 1]++;
  return CYDP_YES;
}

static cydp_status count_comparisons(const cydp_sampler *self, cydp_bits *bits) {
  bool below;
  (void)self;
  return cydp_resolve_below(count_run, &bits->decision, bits, &below);
}

static cydp_status map_resolving(const cydp_sampler *self, const cydp_batch *batch,
                                 void *out, size_t *values) {
  const uint16_t *words = batch->plane[0];
  for (size_t i = 0; i < batch->n; i++) {
    ((int64_t *)out)[i] = 0;
    for (uint32_t decision = 1; decision <= 2; decision++)
      if (words[i] >= 6 * (decision - 1) && words[i] < 6 * decision) {
        cydp_bits bits = {.prefix_bits = 16,
                          .extension = batch->extension,
                          .decision = decision,
                          .candidate = batch->first + i,
                          .work = batch->work};
        CHECK(count_comparisons(self, &bits) == CYDP_OK);
      }
  }
  *values = batch->n;
  return CYDP_OK;
}

static void comparisons_are_as_many_whatever_is_drawn(void) {
  enum { CHUNK = 64, N = 100 * CHUNK, MOST = 2 * CYDP_SECOND_LOOKS };
  const cydp_sampler sampler = {.map = map_resolving,
                                .layout = {{2, 0, 0}, false},
                                .value_bytes = sizeof(int64_t),
                                .chunk = CHUNK,
                                .resolve_rates = {6.0 / 65536, 6.0 / 65536},
                                .resolve_dummy = count_comparisons};
  static int64_t out[N];
  bool met[MOST] = {0};
  size_t kinds = 0;
  /* blocks of 64 and of 36 chunks */
  size_t expected = cydp_second_look_slots(64 * CHUNK * sampler.resolve_rates[0]) +
                    cydp_second_look_slots(36 * CHUNK * sampler.resolve_rates[0]);
  for (uint32_t run = 0; run < 50; run++) {
    const cydp_key key = {{run}, stream};
    runs[0] = runs[1] = 0;
    CHECK(cydp_sampler_fill_chunks(&sampler, 0, N, &key, CYDP_FIXED_WORK, out) == CYDP_OK);
    CHECK(runs[0] == expected && runs[1] == expected);
    runs[0] = runs[1] = 0;
    CHECK(cydp_sampler_fill_chunks(&sampler, 0, N, &key, CYDP_FAST, out) == CYDP_OK);
    CHECK(runs[0] < expected && runs[1] < expected && runs[0] < MOST);
    kinds += !met[runs[0]];
    met[runs[0]] = true;
  }
  CHECK(kinds > 1);
  cydp_rng *rng;
  const cydp_key seed = {{3}, stream};
  CHECK(cydp_rng_new_seeded(&seed, &rng) == CYDP_OK);
  for (size_t n = 1; n <= CYDP_SMALL_CALL; n++) {
    runs[0] = runs[1] = 0;
    CHECK(cydp_sampler_fill(&sampler, n, rng, CYDP_FIXED_WORK, 1, out) == CYDP_OK);
    CHECK(runs[0] == cydp_second_look_slots((double)n * sampler.resolve_rates[0]) &&
          runs[1] == runs[0]);
  }
  cydp_rng_free(rng);
}

/* An exact comparison of a magnitude compares twice, whatever the value and whether it
 * counts. */
typedef struct counting_tails {
  cydp_tails tails;
  const cydp_tails *of;
  size_t comparisons;
} counting_tails;

static cydp_answer count_comparison(const cydp_tails *self, size_t n, const uint64_t *u,
                                    uint64_t k) {
  counting_tails *counting = (counting_tails *)(uintptr_t)self;
  counting->comparisons++;
  return counting->of->below(counting->of, n, u, k);
}

static uint64_t propose_too(const cydp_tails *self, size_t n, const uint64_t *u) {
  const counting_tails *counting = (const counting_tails *)self;
  return counting->of->propose(counting->of, n, u);
}

static void two_comparisons_a_run(uint64_t scale) {
  const uint64_t one = 1;
  cydp_exponential_tails tails;
  cydp_fixed inverse;
  bool exact;
  CHECK(cydp_fixed_divide(CYDP_MOST_LIMBS + 2, inverse, &one, 1, &scale, 1, &exact) ==
        CYDP_OK);
  cydp_exponential_tails_prepare(&tails, inverse, false);
  for (uint64_t prefix = 1; prefix < 65536; prefix += 331) {
    counting_tails counting = {{count_comparison, propose_too}, &tails.tails, 0};
    cydp_work work = {0};
    cydp_bits bits = {.prefix = prefix,
                      .prefix_bits = 16,
                      .extension = &extension,
                      .decision = 1,
                      .candidate = prefix,
                      .work = &work};
    uint64_t magnitude;
    CHECK(cydp_resolve_magnitude(&counting.tails, &bits, &magnitude) == CYDP_OK);
    CHECK(counting.comparisons == 2 && work.resolved == 1 && work.second_resolved == 0);
  }
}

/* How often exact comparisons are needed is what docs/samplers.md bounds, within a half.
 */
static void check_resolve_rates(cydp_sampler *sampler, double first, double second) {
  CHECK(sampler->resolve_rates[0] <= first && sampler->resolve_rates[0] > first / 2);
  CHECK(sampler->resolve_rates[1] <= second && sampler->resolve_rates[1] >= second / 2);
  cydp_work work = {0};
  cydp_bits bits = {.prefix = 1 << 15,
                    .prefix_bits = 16,
                    .extension = &extension,
                    .candidate = 1,
                    .work = &work};
  for (bits.decision = 1; bits.decision <= (second > 0 ? 2U : 1U); bits.decision++)
    CHECK(sampler->resolve_dummy(sampler, &bits) == CYDP_OK);
  CHECK(work.resolved == (second > 0 ? 2 : 1) && work.second_resolved == (second > 0));
  cydp_sampler_free(sampler);
}

static double by_logarithm(double t) {
  return 2 * sqrt(t / 0x1p63) + t * 0x1p-39 + (2 + 22 * t) / 0x1p63;
}

static void resolve_rates_hold(void) {
  const uint64_t one = 1;
  check_resolve_rates(laplace(1, 1, 0), by_logarithm(1), 0);
  check_resolve_rates(laplace(4, 1, 0), by_logarithm(4), 0);
  check_resolve_rates(laplace(1000, 1, 0), by_logarithm(1000), 0);
  check_resolve_rates(laplace(one << 20, 1, 0), by_logarithm(0x1p20), 0);
  check_resolve_rates(laplace(one << 40, 1, 0), by_logarithm(0x1p20), 0x1p-39);
  check_resolve_rates(gaussian(60, 1), 7 * 0x1p-39, 0); /* E|X| is 6.2 */
  check_resolve_rates(gaussian(210, 1), 12 * 0x1p-39, 0); /* E|X| is 11.6 */
  check_resolve_rates(gaussian(400, 1), 5 * 0x1p-39, 0x1p-38);
  check_resolve_rates(gaussian(one << 40, 1), 5 * 0x1p-39, 0x1p-38);
  check_resolve_rates(bernoulli(1, 3), 0x1p-40, 0);
}

/* The least n with mean^(n + 1) / (n + 1)! <= 2^-48. */
static void slots_are_as_many_as_stated(void) {
  CHECK(cydp_second_look_slots(0) == 0 && cydp_second_look_slots(0x1p-48) == 0 &&
        cydp_second_look_slots(0x1.1p-48) == 1);
  CHECK(cydp_second_look_slots(0x1p-24) == 1 && cydp_second_look_slots(1) == 16 &&
        cydp_second_look_slots(1e9) == CYDP_SECOND_LOOKS);
}

static void scales_end_where_they_say(void) {
  cydp_sampler *made;
  const uint64_t one[2] = {1, 0}, million[1] = {1000000}, more[1] = {1000001};
  const uint64_t top[1] = {UINT64_C(1) << 56}, above[1] = {(UINT64_C(1) << 56) + 1};
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){one, 2, million, 1}, &made) ==
        CYDP_OK);
  cydp_sampler_free(made);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){one, 2, more, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){top, 1, one, 2}, &made) == CYDP_OK);
  cydp_sampler_free(made);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){above, 1, one, 2}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){one + 1, 1, one, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){one, 1, one + 1, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new_prefix(&(cydp_rational){one, 1, one, 1}, 7, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new_prefix(&(cydp_rational){one, 1, one, 1}, 32, &made) ==
        CYDP_ERROR_DOMAIN);

  const uint64_t square[2] = {0, UINT64_C(1) << 48}, beyond[2] = {1, UINT64_C(1) << 48};
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){one, 2, million, 1}, &made) ==
        CYDP_OK);
  cydp_sampler_free(made);
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){one, 2, more, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){square, 2, one, 1}, &made) ==
        CYDP_OK);
  cydp_sampler_free(made);
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){beyond, 2, one, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_gaussian_new(&(cydp_rational){one + 1, 1, one, 1}, &made) ==
        CYDP_ERROR_DOMAIN);

  CHECK(cydp_bernoulli_new(&(cydp_rational){more, 1, million, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_bernoulli_new(&(cydp_rational){one, 1, one + 1, 1}, &made) ==
        CYDP_ERROR_DOMAIN);
  cydp_sampler_free(NULL);
}

static void coins_that_need_no_bits(void) {
  bool out[1000];
  cydp_rng *rng;
  CHECK(cydp_rng_new(&rng) == CYDP_OK);
  for (uint64_t p = 0; p <= 1; p++) {
    cydp_sampler *coin = bernoulli(p, 1);
    CHECK(cydp_sampler_fill(coin, 1000, rng, CYDP_FAST, 1, out) == CYDP_OK);
    CHECK(cydp_sampler_fill(coin, 10, rng, CYDP_FAST, 1, out) == CYDP_OK);
    for (int i = 0; i < 1000; i++)
      CHECK(out[i] == (p == 1));
    cydp_sampler_free(coin);
  }
  cydp_rng_free(rng);
}

/* What depends on the stream, with the kernels in use. */
static void streams_serve(void) {
  const uint64_t one = 1;
  comparisons_are_as_many_whatever_is_drawn();
  extension_bits_of_small_calls_are_never_shared();
  bits_of_small_calls_are_wiped();
  calls_repeat(laplace(1, 1, 0));
  calls_repeat(laplace(10, 1, 0));
  calls_repeat(laplace(one << 40, 1, 0));
  calls_repeat(gaussian(2, 1));
  calls_repeat(gaussian(210, 1));
  calls_repeat(gaussian(400, 1));
  calls_repeat(gaussian(one << 40, 1));
  threads_change_nothing(laplace(1, 1, 0));
  threads_change_nothing(laplace(10, 1, 0));
  threads_change_nothing(laplace(2000, 1, 0));
  threads_change_nothing(laplace(one << 40, 1, 0));
  threads_change_nothing(gaussian(2, 1));
  threads_change_nothing(gaussian(210, 1));
  threads_change_nothing(gaussian(400, 1));
  threads_change_nothing(gaussian(one << 40, 1));
  threads_change_nothing(gaussian((one << 63) + 1, 1));
  threads_change_nothing(bernoulli(1, 3));
  leaves_nothing(NULL);
  leaves_nothing(laplace(1, 1, 0));
  leaves_nothing(laplace(10, 1, 0));
  leaves_nothing(gaussian(400, 1));
  extension_bits_are_never_shared();
}

/* ChaCha20 with the kernels of each instruction set, and each version of AES. */
static void each_stream_serves(void) {
  const cydp_aes256_version *version;
  const cydp_samplers_table *kernels;
  for (size_t i = 0; (kernels = cydp_samplers_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    streams_serve();
  }
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
  for (size_t i = 0; (version = cydp_aes256_at(i)); i++) {
    CHECK(setenv("CYDP_STREAM", version->name, 1) == 0 && cydp_init() == CYDP_OK);
    stream = CYDP_AES;
    streams_serve();
  }
}

int main(void) {
  slots_are_as_many_as_stated();
  two_comparisons_a_run(1);
  two_comparisons_a_run(10);
  two_comparisons_a_run(1000);
  resolve_rates_hold();
  const uint64_t one = 1;
  exact_comparisons_agree(laplace(1, 1000000, 0));
  exact_comparisons_agree(laplace(1, 7, 0));
  exact_comparisons_agree(laplace(1, 1, 0));
  exact_comparisons_agree(laplace(11, 2, 0));
  exact_comparisons_agree(laplace(22, 3, 0));
  exact_comparisons_agree(laplace(1000, 1, 0));
  exact_comparisons_agree(laplace(1024, 1, 0));
  exact_comparisons_agree(laplace(100001, 97, 0));
  exact_comparisons_agree(laplace(one << 20, 1, 0));
  exact_comparisons_agree(laplace((one << 20) + 1, 1, 0));
  exact_comparisons_agree(laplace((one << 42) + 1, 3, 0));
  exact_comparisons_agree(laplace(one << 56, 1, 0));
  exact_comparisons_agree(laplace(1, 1, 12));
  exact_comparisons_agree(laplace(3, 1, 15));
  exact_comparisons_agree(gaussian(1, 1000000));
  exact_comparisons_agree(gaussian(1, 9));
  exact_comparisons_agree(gaussian(63, 1));
  exact_comparisons_agree(gaussian(64, 1));
  exact_comparisons_agree(gaussian(210, 1));
  exact_comparisons_agree(gaussian(841, 4));
  exact_comparisons_agree(gaussian(400, 1));
  exact_comparisons_agree(gaussian(1000001, 3));
  exact_comparisons_agree(gaussian(one << 40, 1));
  exact_comparisons_agree(gaussian((one << 63) + 1, 1));
  exact_comparisons_agree(bernoulli(1, 3));
  exact_comparisons_agree(bernoulli(1, 2));
  exact_comparisons_agree(bernoulli(65537, 131072));
  each_stream_serves();
  scales_end_where_they_say();
  coins_that_need_no_bits();
}
