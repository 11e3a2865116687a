/* Chooses quantiles by given words, for test_quantile_steps.py to count the instructions:
 * with random words, and, as a mutant, with words that leave the choice undecided. Prints a
 * line for each call of `steps`. With SECRET defined, the random words are undefined for
 * valgrind, which tells what branches and addresses depend on them. */
#include "cydp.h"
#include "cydp_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SECRET
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_UNDEFINED(memory, n) ((void)(memory))
#endif

enum { UNITS = 500, KEYS = 8 };

static int32_t narrow[UNITS];
static int64_t wide[UNITS];

static void check(cydp_status status) {
  if (status == CYDP_OK)
    return;
  fputs(cydp_status_text(status), stderr);
  exit(1);
}

static cydp_status ones(void *self, uint32_t decision, uint32_t level,
                        const uint64_t *groups, size_t n, uint64_t (*words)[8]) {
  (void)self, (void)decision, (void)level, (void)groups;
  memset(words, 0x77, n * sizeof *words);
  return CYDP_OK;
}

/* What is counted. */
__attribute__((noinline)) int64_t steps(const cydp_quantile *quantile, cydp_dtype dtype,
                                        size_t n, const uint32_t words[12]) {
  const cydp_extension extension = {ones, NULL};
  int64_t chosen;
  check(cydp_quantile_map(quantile, dtype == CYDP_I32 ? (void *)narrow : (void *)wide,
                          dtype, n, -9, 1 << 20, words, &extension, CYDP_FAST, &chosen));
  return chosen;
}

static void count(const char *name, const cydp_quantile *quantile, size_t n) {
  for (uint32_t key = 0; key < KEYS; key++)
    for (cydp_dtype dtype = CYDP_I64; dtype <= CYDP_I32; dtype++) {
      const uint32_t keys[8] = {key}, nonce[3] = {0};
      uint32_t words[16];
      cydp_chacha20_block(keys, nonce, 0, words);
      VALGRIND_MAKE_MEM_UNDEFINED(words, sizeof words);
      steps(quantile, dtype, n, words);
      printf("%s, %s\n", name, dtype == CYDP_I32 ? "narrow" : "wide");
    }
}

int main(void) {
  const uint64_t one = 1, rates[] = {1, 100, 100000};
  char name[64];
  cydp_quantile *quantile;
  check(cydp_init());
  for (size_t i = 0; i < 3; i++) {
    check(cydp_quantile_new(1, 3, &(cydp_rational){&one, 1, &rates[i], 1}, &quantile));
    for (size_t ties = 1; ties <= UNITS; ties *= 5) {
      for (size_t j = 0; j < UNITS; j++)
        narrow[j] = (int32_t)(wide[j] = (int64_t)(j / ties * 40));
      snprintf(name, sizeof name, "rate 1 / %d, ties %d", (int)rates[i], (int)ties);
      count(name, quantile, UNITS);
    }
    snprintf(name, sizeof name, "rate 1 / %d, empty", (int)rates[i]);
    count(name, quantile, 0);
    cydp_quantile_free(quantile);
  }
  check(cydp_quantile_new(1, 2, &(cydp_rational){&one, 1, &one, 1}, &quantile));
  uint32_t words[12] = {0};
  for (int i = 0; i < 2; i++) {
    memset(words, i ? 0xff : 7, 6 * sizeof *words); /* U next to 1, or not */
    steps(quantile, CYDP_I32, 1, words);
    puts("undecided or not");
  }
  cydp_quantile_free(quantile);
  return 0;
}
