/* Maps candidates of some distributions, for test_instruction_counts.py to count the instructions:
 * with CYDP_FAST and keys that leave nothing undecided, with CYDP_FIXED_WORK and any
 * keys, and, as a mutant, with CYDP_FAST and any keys. Prints a line for each call of
 * `steps`. */
#include "cydp.h"
#include "cydp_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 1024, MOST_BYTES = 16, KEYS = 6 };

static _Alignas(64) uint32_t planes[CANDIDATES * MOST_BYTES / 4];
static int64_t values[CANDIDATES];

static void check(cydp_status status) {
  if (status == CYDP_OK)
    return;
  fputs(cydp_status_text(status), stderr);
  exit(1);
}

static cydp_status hashed(void *self, uint32_t decision, uint32_t level,
                          const uint64_t *candidates, size_t n, uint64_t (*words)[8]) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t nonce[3] = {decision, level, 1};
    uint32_t block[16];
    cydp_chacha20_block(self, nonce, (uint32_t)candidates[i], block);
    memcpy(words[i], block, sizeof block);
  }
  return CYDP_OK;
}

/* What is counted. */
__attribute__((noinline)) void steps(const cydp_sampler *sampler,
                                     cydp_work_mode work_mode, uint32_t key[8],
                                     cydp_work *work) {
  cydp_extension extension = {hashed, key};
  size_t accepted;
  check(cydp_sampler_map(sampler, planes, CANDIDATES, &extension, work_mode, values,
                         &accepted, work));
}

static cydp_work
map(const cydp_sampler *sampler, cydp_work_mode work_mode, uint32_t key[8],
    void (*call)(const cydp_sampler *, cydp_work_mode, uint32_t[8], cydp_work *)) {
  const uint32_t nonce[3] = {0};
  cydp_work work = {0};
  check(cydp_chacha20_keystream(key, nonce, 0, sizeof planes / 1024, planes));
  call(sampler, work_mode, key, &work);
  return work;
}

/* The same under another name, which is not counted. */
static void search(const cydp_sampler *sampler, cydp_work_mode work_mode, uint32_t key[8],
                   cydp_work *work) {
  cydp_extension extension = {hashed, key};
  size_t accepted;
  check(cydp_sampler_map(sampler, planes, CANDIDATES, &extension, work_mode, values,
                         &accepted, work));
}

static void count(const char *name, const cydp_sampler *sampler) {
  uint32_t key[8] = {0};
  for (int i = 0; i < KEYS; i++) {
    do
      key[0]++;
    while (map(sampler, CYDP_FAST, key, search).undecided > 0);
    map(sampler, CYDP_FAST, key, steps);
    printf("%s, nothing undecided\n", name);
  }
  for (int i = 0; i < KEYS; i++, key[0]++) {
    map(sampler, CYDP_FIXED_WORK, key, steps);
    printf("%s, fixed work\n", name);
  }
  for (int i = 0; i < KEYS; i++, key[0]++) {
    map(sampler, CYDP_FAST, key, steps);
    printf("%s, as it comes\n", name);
  }
}

int main(void) {
  const uint64_t one = 1, three = 3;
  const uint64_t scales[] = {
      1, 5, 10, 1000, UINT64_C(1) << 20, UINT64_C(1) << 30, UINT64_C(1) << 50};
  const uint64_t squares[] = {4, 200, 400, 1000000, UINT64_C(1) << 50};
  const uint64_t categories[] = {2, 50, 1000, 100000};
  char name[64];
  cydp_sampler *sampler;
  check(cydp_init());
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    check(cydp_discrete_laplace_new(&(cydp_rational){&scales[i], 1, &one, 1}, &sampler));
    snprintf(name, sizeof name, "laplace %llu", (unsigned long long)scales[i]);
    count(name, sampler);
    cydp_sampler_free(sampler);
  }
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    check(
        cydp_discrete_gaussian_new(&(cydp_rational){&squares[i], 1, &one, 1}, &sampler));
    snprintf(name, sizeof name, "gaussian %llu", (unsigned long long)squares[i]);
    count(name, sampler);
    cydp_sampler_free(sampler);
  }
  check(cydp_bernoulli_new(&(cydp_rational){&one, 1, &three, 1}, &sampler));
  count("bernoulli 1/3", sampler);
  cydp_sampler_free(sampler);
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
    const uint64_t denominator = 2 * categories[i];
    check(cydp_category_offset_new(&(cydp_rational){&one, 1, &denominator, 1},
                                   categories[i], &sampler));
    snprintf(name, sizeof name, "category offset %llu",
             (unsigned long long)categories[i]);
    count(name, sampler);
    cydp_sampler_free(sampler);
  }
}
