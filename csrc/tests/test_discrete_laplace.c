/* SPDX-License-Identifier: MIT
 * The fast path against the resolver, the calls against the map, and the laws' limits. */
#include "check.h"
#include "internal.h"

#include <string.h>

static cydp_discrete_laplace *law_of(uint64_t numerator, uint64_t denominator,
                                     unsigned prefix_bits) {
  cydp_discrete_laplace *law;
  CHECK(cydp_discrete_laplace_new(&law, &numerator, 1, &denominator, 1, prefix_bits) ==
        CYDP_OK);
  return law;
}

static cydp_status hashed_words(void *self, uint32_t level, uint64_t candidate,
                                uint64_t words[8]) {
  uint32_t key[8] = {5}, nonce[3], block[16];
  (void)self;
  cydp_nonce(nonce, 1, level, 0);
  cydp_chacha20_block(key, nonce, (uint32_t)candidate, block);
  memcpy(words, block, sizeof block);
  return CYDP_OK;
}
static const cydp_extension extension = {hashed_words, NULL};

enum { WORDS = 4096 };

static void the_resolver_agrees(uint64_t numerator, uint64_t denominator, unsigned bits) {
  static uint32_t words[2 * WORDS];
  static int64_t fast[WORDS], exact[WORDS];
  const uint32_t key[8] = {3}, nonce[3] = {0};
  cydp_work work = {0}, all = {0};
  cydp_discrete_laplace *law = law_of(numerator, denominator, bits);
  CHECK(cydp_chacha20_keystream(key, nonce, 0, 2 * WORDS / CYDP_GROUP_WORDS, words) ==
        CYDP_OK);
  memset(words, 0, 16);        /* u = 0, */
  memset(words + 4, 0xff, 16); /* u next to 1 */
  CHECK(cydp_discrete_laplace_map(law, words, WORDS, &extension, 9, false, fast, &work) ==
        CYDP_OK);
  CHECK(cydp_discrete_laplace_map(law, words, WORDS, &extension, 9, true, exact, &all) ==
        CYDP_OK);
  CHECK(memcmp(fast, exact, sizeof fast) == 0);
  CHECK(work.words == WORDS && all.undecided == WORDS);
  CHECK(work.undecided < WORDS || numerator / denominator > UINT64_C(1) << 36);
  cydp_discrete_laplace_free(law);
}

static void calls_are_maps_of_the_stream(void) {
  enum { N = 3000 };
  const uint32_t key[8] = {42};
  int64_t one[N], two[N], parts[N];
  cydp_rng *rng;
  cydp_discrete_laplace *law = law_of(10, 1, 0);
  for (size_t n = 0; n <= N; n += 250) { /* both sides of CYDP_SMALL_CALL */
    CHECK(cydp_rng_new_seeded(&rng, key) == CYDP_OK);
    CHECK(cydp_discrete_laplace_fill(law, rng, one, n) == CYDP_OK);
    cydp_rng_free(rng);
    CHECK(cydp_rng_new_seeded(&rng, key) == CYDP_OK);
    CHECK(cydp_discrete_laplace_fill(law, rng, two, n) == CYDP_OK);
    CHECK(memcmp(one, two, n * sizeof *one) == 0);
    cydp_rng_free(rng);
  }
  /* Single draws are the same stream as one small call, across refills. */
  CHECK(cydp_rng_new_seeded(&rng, key) == CYDP_OK);
  for (size_t i = 0; i < N; i++)
    CHECK(cydp_discrete_laplace_fill(law, rng, one + i, 1) == CYDP_OK);
  cydp_rng_free(rng);
  CHECK(cydp_rng_new_seeded(&rng, key) == CYDP_OK);
  for (size_t i = 0; i < N; i += CYDP_SMALL_CALL) {
    size_t n = N - i < CYDP_SMALL_CALL ? N - i : CYDP_SMALL_CALL;
    CHECK(cydp_discrete_laplace_fill(law, rng, parts + i, n) == CYDP_OK);
  }
  CHECK(memcmp(one, parts, sizeof one) == 0);
  cydp_rng_free(rng);
  cydp_discrete_laplace_free(law);
}

static void scales_end_where_they_say(void) {
  cydp_discrete_laplace *law;
  const uint64_t one[2] = {1, 0}, million[1] = {1000000}, more[1] = {1000001};
  const uint64_t top[1] = {UINT64_C(1) << 56}, above[1] = {(UINT64_C(1) << 56) + 1};
  CHECK(cydp_discrete_laplace_new(&law, one, 2, million, 1, 0) == CYDP_OK);
  cydp_discrete_laplace_free(law);
  CHECK(cydp_discrete_laplace_new(&law, one, 2, more, 1, 0) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&law, top, 1, one, 2, 0) == CYDP_OK);
  cydp_discrete_laplace_free(law);
  CHECK(cydp_discrete_laplace_new(&law, above, 1, one, 2, 0) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&law, one + 1, 1, one, 1, 0) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&law, one, 1, one + 1, 1, 0) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&law, one, 1, one, 1, 7) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_discrete_laplace_new(&law, one, 1, one, 1, 32) == CYDP_ERROR_DOMAIN);
  cydp_discrete_laplace_free(NULL);
}

int main(void) {
  const uint64_t one = 1;
  the_resolver_agrees(1, 1000000, 0);
  the_resolver_agrees(1, 7, 0);
  the_resolver_agrees(1, 1, 0);
  the_resolver_agrees(22, 3, 0);
  the_resolver_agrees(1000, 1, 0);
  the_resolver_agrees(1024, 1, 0);
  the_resolver_agrees(100001, 97, 0);
  the_resolver_agrees(one << 20, 1, 0);
  the_resolver_agrees((one << 36) + 1, 3, 0);
  the_resolver_agrees(one << 40, 1, 0);
  the_resolver_agrees(one << 56, 1, 0);
  the_resolver_agrees(1, 1, 8);
  the_resolver_agrees(3, 1, 12);
  calls_are_maps_of_the_stream();
  scales_end_where_they_say();
}
