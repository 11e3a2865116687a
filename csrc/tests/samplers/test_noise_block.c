/* SPDX-License-Identifier: MIT
 * Blocks of noise: the values of a fill, each served once and wiped, whatever forks and
 * threads do; also where the kernel does not wipe pages, and where a child has the process
 * id of its parent. The linker puts these in the place of the real ones. */
#define _GNU_SOURCE
#include "samplers/noise_block.h"
#include "tests/samplers/forked.h"

#include <pthread.h>
#include <string.h>

enum { VALUES = CYDP_BLOCK_VALUES };

static cydp_noise_block *block_of(const cydp_sampler *sampler, cydp_rng *rng,
                                  cydp_work_mode work_mode) {
  cydp_noise_block *block;
  CHECK(cydp_noise_block_new(sampler, rng, work_mode, &block) == CYDP_OK);
  return block;
}

static int64_t next(cydp_noise_block *block) {
  int64_t value;
  CHECK(cydp_noise_block_next(block, &value) == CYDP_OK);
  return value;
}

static size_t bytes_left(const cydp_noise_block *block) {
  size_t left = 0;
  for (size_t i = 0; i < sizeof block->drawn->values; i++)
    left += block->drawn->values[i] != 0;
  return left;
}

/* For values of each size, in each work mode. */
static void values_are_those_of_a_fill(void) {
  static uint64_t filled[2 * VALUES];
  cydp_sampler *samplers[3] = {laplace()};
  CHECK(cydp_bernoulli_new(&(cydp_rational){&one, 1, &seven, 1}, samplers + 1) ==
        CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &scale, 1}, 1 << 17,
                                 samplers + 2) == CYDP_OK);
  for (int i = 0; i < 6; i++) {
    const cydp_sampler *sampler = samplers[i / 2];
    cydp_work_mode work_mode = i % 2 ? CYDP_FIXED_WORK : CYDP_FAST;
    size_t bytes = cydp_sampler_value_bytes(sampler);
    static const size_t sizes[3] = {8, 1, 4};
    CHECK(bytes == sizes[i / 2]);
    cydp_rng *rng = seeded(), *again = seeded();
    uint8_t *out = (uint8_t *)filled;
    for (size_t i_block = 0; i_block < 2; i_block++)
      CHECK(cydp_sampler_fill(sampler, VALUES, rng, work_mode, 1,
                              out + i_block * VALUES * bytes) == CYDP_OK);
    cydp_noise_block *block = block_of(sampler, again, work_mode);
    for (size_t j = 0; j < 2 * VALUES; j++) {
      int64_t expected = 0;
      memcpy(&expected, out + j * bytes, bytes);
      CHECK(next(block) == expected);
    }
    cydp_noise_block_free(block);
    cydp_rng_free(rng);
    cydp_rng_free(again);
  }
  for (int i = 0; i < 3; i++)
    cydp_sampler_free(samplers[i]);
}

static void served_values_are_wiped(void) {
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seeded();
  cydp_noise_block *block = block_of(sampler, rng, CYDP_FAST);
  const int64_t *values = (const int64_t *)(const void *)block->drawn->values;
  CHECK(bytes_left(block) == 0);
  for (size_t i = 0; i < VALUES; i++) {
    next(block);
    CHECK(block->drawn->left == VALUES - 1 - i && values[i] == 0);
    CHECK(i + 1 == VALUES || values[i + 1] != 0);
  }
  CHECK(bytes_left(block) == 0);
  int64_t first = next(block), dropped = values[1];
  cydp_noise_block_drop(block);
  CHECK(bytes_left(block) == 0 && block->drawn->left == 0);
  int64_t second = next(block);
  CHECK(second != first && second != dropped);
  cydp_noise_block_free(block);
  cydp_noise_block_free(NULL);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

enum { THREADS = 8, DRAWS = 10 * VALUES + 5 };
static int64_t drawn[THREADS * DRAWS], expected[THREADS * DRAWS + VALUES];

typedef struct taker {
  cydp_noise_block *block;
  int64_t *out;
} taker;

static void *take_many(void *self) {
  const taker *own = self;
  for (int i = 0; i < DRAWS; i++)
    own->out[i] = next(own->block);
  return NULL;
}

/* Together, threads get the first values of the block: none is lost or served twice. */
static void threads_share_the_values(void) {
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seeded(), *again = seeded();
  cydp_noise_block *block = block_of(sampler, rng, CYDP_FAST);
  pthread_t threads[THREADS];
  taker takers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    takers[i] = (taker){block, drawn + i * DRAWS};
    CHECK(pthread_create(threads + i, NULL, take_many, takers + i) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  for (size_t i = 0; i < THREADS * DRAWS; i += VALUES)
    CHECK(cydp_sampler_fill(sampler, VALUES, again, CYDP_FAST, 1, expected + i) ==
          CYDP_OK);
  qsort(drawn, THREADS * DRAWS, sizeof *drawn, compare);
  qsort(expected, THREADS * DRAWS, sizeof *expected, compare);
  CHECK(memcmp(drawn, expected, sizeof drawn) == 0);
  cydp_noise_block_free(block);
  cydp_rng_free(rng);
  cydp_rng_free(again);
  cydp_sampler_free(sampler);
}

#if defined(_WIN32)
static void children_draw_anew(void) { puts("Windows has no fork: no children"); }

#else
/* Children, and a child's child, of a block in use; one thread of the parent may be inside
 * it. They serve none of the parent's values, in use or left, and the parent loses none. */
static void family_draws_anew(bool seed, bool held) {
  enum { CHILDREN = 4, TAKEN = 3 };
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seed ? seeded() : fresh();
  cydp_noise_block *block = block_of(sampler, rng, CYDP_FAST);
  static int64_t values[VALUES + CHILDREN * TAKEN];
  int pipes[2], status;
  CHECK(pipe(pipes) == 0);
  values[0] = next(block);
  if (held) /* by a thread that no fork copies */
    atomic_store(&block->drawn->lock, block->drawn->owner);
  for (int child = 0; child < CHILDREN; child++) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      alarm(10);
      pid_t grandchild = child % 2 ? fork() : 0;
      CHECK(grandchild >= 0);
      if (grandchild == 0) {
        for (int i = 0; i < TAKEN; i++) {
          int64_t value = next(block);
          CHECK(write(pipes[1], &value, sizeof value) == sizeof value);
        }
        cydp_noise_block_free(block);
      } else {
        CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
      }
      _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    ssize_t bytes = TAKEN * sizeof *values;
    CHECK(read(pipes[0], values + VALUES + child * TAKEN, (size_t)bytes) == bytes);
  }
  if (held)
    atomic_store(&block->drawn->lock, 0);
  CHECK(block->drawn->left == VALUES - 1);
  for (int i = 1; i < VALUES; i++)
    values[i] = next(block);
  /* Children of a seeded generator repeat each other, as its draws do: one is enough. */
  all_distinct(values, seed ? VALUES + TAKEN : VALUES + CHILDREN * TAKEN);
  close(pipes[0]);
  close(pipes[1]);
  cydp_noise_block_free(block);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

static void children_draw_anew(void) {
#ifdef __linux__
  for (int way = 0; way < 4; way++) {
    wipes = way / 2, one_pid = way % 2;
#endif
    for (int seed = 0; seed < 2; seed++)
      for (int held = 0; held < 2; held++)
        family_draws_anew(seed, held);
#ifdef __linux__
  }
#endif
}
#endif

static void blocks_serve(void) {
  values_are_those_of_a_fill();
  served_values_are_wiped();
  threads_share_the_values();
  children_draw_anew();
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  blocks_serve();
  stream = CYDP_AES;
  if (cydp_default_stream() == stream)
    blocks_serve();
}
