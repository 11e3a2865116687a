/* Maps candidates of some laws, for test_steps.py to count the instructions: of
 * CYDP_FAST with keys that leave nothing undecided, of CYDP_FIXED_WORK with any, and, as
 * a mutant, of CYDP_FAST with any. Prints a line for each call of `steps`. */
#include "cydp.h"

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
__attribute__((noinline)) void steps(const cydp_sampler *law, cydp_effort effort,
                                     uint32_t key[8], cydp_work *work) {
  cydp_extension extension = {hashed, key};
  size_t accepted;
  check(cydp_sampler_map(law, planes, CANDIDATES, &extension, effort, values, &accepted,
                         work));
}

static cydp_work map(const cydp_sampler *law, cydp_effort effort, uint32_t key[8],
                     void (*call)(const cydp_sampler *, cydp_effort, uint32_t[8],
                                  cydp_work *)) {
  const uint32_t nonce[3] = {0};
  cydp_work work = {0};
  check(cydp_chacha20_keystream(key, nonce, 0, sizeof planes / 1024, planes));
  call(law, effort, key, &work);
  return work;
}

/* The same under another name, which is not counted. */
static void search(const cydp_sampler *law, cydp_effort effort, uint32_t key[8],
                   cydp_work *work) {
  cydp_extension extension = {hashed, key};
  size_t accepted;
  check(cydp_sampler_map(law, planes, CANDIDATES, &extension, effort, values, &accepted,
                         work));
}

static void count(const char *name, const cydp_sampler *law) {
  uint32_t key[8] = {0};
  for (int i = 0; i < KEYS; i++) {
    do
      key[0]++;
    while (map(law, CYDP_FAST, key, search).undecided > 0);
    map(law, CYDP_FAST, key, steps);
    printf("%s, nothing undecided\n", name);
  }
  for (int i = 0; i < KEYS; i++, key[0]++) {
    map(law, CYDP_FIXED_WORK, key, steps);
    printf("%s, fixed work\n", name);
  }
  for (int i = 0; i < KEYS; i++, key[0]++) {
    map(law, CYDP_FAST, key, steps);
    printf("%s, as it comes\n", name);
  }
}

int main(void) {
  const uint64_t one = 1, three = 3;
  const uint64_t scales[] = {1, 5, 10, 1000, UINT64_C(1) << 20, UINT64_C(1) << 30,
                             UINT64_C(1) << 50};
  const uint64_t squares[] = {4, 60, 100, 1000000, UINT64_C(1) << 50};
  const uint64_t categories[] = {2, 50, 1000, 100000};
  char name[64];
  cydp_sampler *law;
  check(cydp_init());
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    check(cydp_discrete_laplace_new(&law, &scales[i], 1, &one, 1, 0));
    snprintf(name, sizeof name, "laplace %llu", (unsigned long long)scales[i]);
    count(name, law);
    cydp_sampler_free(law);
  }
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    check(cydp_discrete_gaussian_new(&law, &squares[i], 1, &one, 1));
    snprintf(name, sizeof name, "gaussian %llu", (unsigned long long)squares[i]);
    count(name, law);
    cydp_sampler_free(law);
  }
  check(cydp_bernoulli_new(&law, &one, 1, &three, 1));
  count("bernoulli 1/3", law);
  cydp_sampler_free(law);
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
    const uint64_t denominator = 2 * categories[i];
    check(cydp_shift_new(&law, &one, 1, &denominator, 1, categories[i]));
    snprintf(name, sizeof name, "shift %llu", (unsigned long long)categories[i]);
    count(name, law);
    cydp_sampler_free(law);
  }
}
