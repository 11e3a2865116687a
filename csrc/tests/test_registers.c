/* SPDX-License-Identifier: MIT
 * No call leaves a key or a word of keystream in a vector register, whence it would reach
 * the stack as soon as something saves registers. Whatever is left is read when the call has
 * returned, and compared with all that the call had. */
#include "base/isa.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/aes256.h"
#include "generator/kernels.h"
#include "generator/keystream.h"
#include "generator/nonce.h"
#include "tests/check.h"
#include "tests/generator/slow_aes256.h"
#include "tests/registers.h"

#include <stdlib.h>
#include <string.h>

enum {
  LARGE = 3000,
  KEY_WORDS = 8,
  REFILL = 4 * CYDP_GROUP_WORDS,
  PREFIXES = 16 * CYDP_GROUP_WORDS, /* as many as a chunk reads in a round */
  CHUNKS = 8,
  KEYS = 2, /* of calls: randomized response takes two */
  ROUND_KEYS = SLOW_KEY_BYTES / 4,
  MOST = KEY_WORDS + REFILL + ROUND_KEYS + KEYS * CHUNKS * (PREFIXES + ROUND_KEYS)
};

static cydp_stream stream; /* of the generators of these tests */

static cydp_key seed_of(void) {
  return (cydp_key){{0x12345678, 0x23456789, 0x3456789a, 0x456789ab, 0x56789abc,
                     0x6789abcd, 0x789abcde, 0x89abcdef},
                    stream};
}

/* All words that a generator and the keys of its first calls have, in order. */
static uint32_t secrets[MOST];
static size_t known;

static void add(const uint32_t *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (words[i] > UINT16_MAX) /* others may be anything */
      secrets[known++] = words[i];
}

static void add_round_keys(const uint32_t *key) {
  uint32_t keys[ROUND_KEYS];
  slow_round_keys((const uint8_t *)key, (uint8_t *)keys);
  add(keys, ROUND_KEYS);
}

static void add_call(const cydp_key *key) {
  static uint32_t words[PREFIXES];
  for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
    cydp_keystream keystream;
    CHECK(cydp_keystream_begin(&keystream, key) == CYDP_OK);
    cydp_keystream_read(&keystream, chunk, 0, 0, PREFIXES / CYDP_GROUP_WORDS, words);
    cydp_keystream_end(&keystream);
    add(words, PREFIXES);
    if (stream == CYDP_AES) {
      uint32_t nonce[3], block[16];
      cydp_set_nonce(nonce, CYDP_DOMAIN_CHUNK_KEYS, 0, 0, chunk / 32);
      cydp_chacha20_block(key->words, nonce, (uint32_t)(chunk % 32 / 2), block);
      add_round_keys(block + KEY_WORDS * (chunk % 2));
    }
  }
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void learn_secrets(void) {
  static uint32_t refill[REFILL];
  const cydp_key seed = seed_of();
  uint32_t nonce[3];
  cydp_key call = {.stream = stream};
  known = 0;
  cydp_set_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, 0, 0);
  if (stream == CYDP_AES) {
    cydp_aes256_in_use()->keystream(seed.words, nonce, 0, 4, refill);
    add_round_keys(seed.words);
  } else {
    CHECK(cydp_chacha20_keystream(seed.words, nonce, 0, 4, refill) == CYDP_OK);
  }
  add(seed.words, KEY_WORDS);
  add(refill, REFILL);
  for (size_t i = 0; i < KEYS; i++) { /* behind the next key and the extension key */
    memcpy(call.words, refill + (2 + i) * KEY_WORDS, sizeof call.words);
    add_call(&call);
  }
  qsort(secrets, known, sizeof *secrets, compare);
}

static size_t secrets_in(const vector_registers *at) {
  size_t found = 0;
  for (size_t i = 0; i < CYDP_REGISTERS; i++)
    for (size_t j = 0; j < CYDP_REGISTER_WORDS; j++)
      found += bsearch(&at->words[i][j], secrets, known, sizeof *secrets, compare) != NULL;
  return found;
}

/* What a call may need. */
typedef struct shared {
  cydp_rng *rng;
  cydp_sampler *laplace, *offset, *uniform;
  cydp_noisy_max *noisy_max;
  cydp_quantile *quantile;
  cydp_noise_block *block;
  double scores[LARGE];
  int64_t units[LARGE], offsets[2], out[LARGE];
  uint8_t bytes[8 * LARGE];
} shared;

static void leave_a_key(shared *s) {
  vector_registers at = {{{0}}};
  const cydp_key seed = seed_of();
  memcpy(at.words[3], seed.words, sizeof seed.words / 2);
  s->out[0] = 0;
  set_registers(&at);
}
static void draw_key(shared *s) {
  static cydp_key key;
  CHECK(cydp_rng_key(s->rng, &key) == CYDP_OK);
}
static void draw_word(shared *s) { s->out[0] = (int64_t)cydp_rng_next64(s->rng); }
static void draw_bytes(shared *s) {
  CHECK(cydp_rng_bytes(s->rng, 100, s->bytes) == CYDP_OK);
}
static void draw_many_bytes(shared *s) {
  CHECK(cydp_rng_bytes(s->rng, sizeof s->bytes - 1, s->bytes) == CYDP_OK);
}
static void draw_few(shared *s) {
  CHECK(cydp_sampler_fill(s->laplace, 100, s->rng, CYDP_FAST, 1, s->out) == CYDP_OK);
}
static void draw_many(shared *s) {
  CHECK(cydp_sampler_fill(s->laplace, LARGE, s->rng, CYDP_FAST, 1, s->out) == CYDP_OK);
}
static void draw_fixed(shared *s) {
  CHECK(cydp_sampler_fill(s->laplace, LARGE, s->rng, CYDP_FIXED_WORK, 1, s->out) ==
        CYDP_OK);
}
static void draw_by_threads(shared *s) {
  CHECK(cydp_sampler_fill(s->laplace, LARGE, s->rng, CYDP_FAST, 3, s->out) == CYDP_OK);
}
static void draw_from_block(shared *s) {
  CHECK(cydp_noise_block_next(s->block, s->out) == CYDP_OK);
}
static void add_on_grid(shared *s) {
  CHECK(cydp_fill_grid_noise(s->laplace, CYDP_SIGNED, s->units, LARGE, -20, s->rng,
                             CYDP_FAST, 1, (double *)s->out) == CYDP_OK);
}
static void respond(shared *s) {
  CHECK(cydp_randomize_responses(s->offset, s->uniform, s->bytes, 1, LARGE, s->rng,
                                 CYDP_FAST, 1, s->out) == CYDP_OK);
}
static void select_one(shared *s) {
  CHECK(cydp_report_noisy_max(s->noisy_max, s->scores, CYDP_F64, 1, LARGE, s->rng,
                              CYDP_FAST, 1, s->out) == CYDP_OK);
}
static void select_rows(shared *s) {
  CHECK(cydp_report_noisy_max(s->noisy_max, s->scores, CYDP_F64, LARGE / 10, 10, s->rng,
                              CYDP_FAST, 3, s->out) == CYDP_OK);
}
static void choose_quantile(shared *s) {
  CHECK(cydp_choose_quantiles(s->quantile, s->units, CYDP_I64, s->offsets, 1, 0, LARGE,
                              s->rng, CYDP_FAST, 1, s->out) == CYDP_OK);
}

static void leaves_nothing(shared *s, void (*call)(shared *), bool leaves) {
  static vector_registers after;
  const cydp_key seed = seed_of();
  memset(&after, 0, sizeof after);
  CHECK(cydp_rng_new_seeded(&seed, &s->rng) == CYDP_OK);
  CHECK(cydp_noise_block_new(s->laplace, s->rng, CYDP_FAST, &s->block) == CYDP_OK);
  call(s);
  read_registers(&after);
  cydp_noise_block_free(s->block);
  cydp_rng_free(s->rng);
#if defined(__x86_64__) || defined(__aarch64__)
  CHECK((secrets_in(&after) > 0) == leaves);
#else
  (void)leaves;
#endif
}

static void calls_leave_nothing(shared *s) {
  void (*const calls[])(shared *) = {
      draw_key,   draw_word,       draw_bytes,      draw_many_bytes, draw_few,
      draw_many,  draw_fixed,      draw_by_threads, draw_from_block, respond,
      select_one, choose_quantile, select_rows,     add_on_grid};
  learn_secrets();
  leaves_nothing(s, leave_a_key, true); /* or the search would prove nothing */
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    leaves_nothing(s, calls[i], false);
}

static void prepare(shared *s) {
  const uint64_t one = 1, five = 5, ten = 10;
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&ten, 1, &one, 1}, &s->laplace) ==
        CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &ten, 1}, 5, &s->offset) ==
        CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &five, 1}, 5, &s->uniform) ==
        CYDP_OK);
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL, &(cydp_rational){&one, 1, &one, 1},
                           &s->noisy_max) == CYDP_OK);
  CHECK(cydp_quantile_new(1, 1, &(cydp_rational){&one, 1, &one, 1}, &s->quantile) ==
        CYDP_OK);
  s->offsets[1] = LARGE;
  for (int i = 0; i < LARGE; i++)
    s->units[i] = i;
}

int main(void) {
  static shared s;
  const cydp_aes256_version *version;
  const cydp_generator_table *kernels;
  prepare(&s);
  for (size_t i = 0; (kernels = cydp_generator_kernels_at(i)); i++) {
    CHECK(setenv("CYDP_FORCE_ISA", kernels->isa, 1) == 0 && cydp_init() == CYDP_OK);
    calls_leave_nothing(&s);
  }
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
  for (size_t i = 0; (version = cydp_aes256_at(i)); i++) {
    CHECK(setenv("CYDP_STREAM", version->name, 1) == 0 && cydp_init() == CYDP_OK);
    stream = CYDP_AES;
    calls_leave_nothing(&s);
  }
  cydp_sampler_free(s.laplace);
  cydp_sampler_free(s.offset);
  cydp_sampler_free(s.uniform);
  cydp_noisy_max_free(s.noisy_max);
  cydp_quantile_free(s.quantile);
}
