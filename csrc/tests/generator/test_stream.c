/* SPDX-License-Identifier: MIT
 * The generator under threads and forks; its bytes are never served twice. */
#define _GNU_SOURCE
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/stream.h"
#include "tests/check.h"

#include <pthread.h>
#include <string.h>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif

enum { DRAW = 32, FAMILY = 8 };

static cydp_stream stream; /* of the generators of these tests */

static cydp_rng *fresh(void) {
  cydp_rng *rng;
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_OK);
  return rng;
}

static void draw(cydp_rng *rng, uint8_t *out) {
  CHECK(cydp_rng_bytes(rng, DRAW, out) == CYDP_OK);
}

static int compare(const void *a, const void *b) { return memcmp(a, b, DRAW); }

static void all_distinct(uint8_t (*draws)[DRAW], size_t n) {
  qsort(draws, n, DRAW, compare);
  for (size_t i = 1; i < n; i++)
    CHECK(memcmp(draws[i - 1], draws[i], DRAW) != 0);
}

static void served_bytes_are_wiped(void) {
  cydp_rng *rng = fresh();
  CHECK(cydp_rng_lock(rng) == CYDP_OK);
  CHECK(cydp_rng_available(rng) == 0);
  cydp_rng_refill(rng);
  CHECK(cydp_rng_available(rng) == 4096 - 64); /* two keys go before */
  cydp_taken taken = cydp_rng_take(rng, 801, 100);
  CHECK(taken.n == 801 && taken.first == 0);
  uint8_t *bytes = taken.bytes, any = 0, left = 0;
  for (size_t i = 0; i < taken.n; i++)
    any |= bytes[i];
  cydp_rng_wipe_taken(&taken);
  for (size_t i = 0; i < taken.n; i++)
    left |= bytes[i];
  for (size_t i = 1; i <= 64; i++) /* nor is the next key left there */
    left |= *(bytes - i);
  CHECK(any != 0 && left == 0);
  CHECK(cydp_rng_available(rng) ==
        4096 - 64 - 808); /* the next place is a multiple of 8 */
  CHECK(cydp_rng_take(rng, 8, 3).first == 100);
  cydp_rng_refill(rng);
  CHECK(cydp_rng_take(rng, 8, 1).first == 0); /* a new refill counts anew */
  cydp_rng_unlock(rng);
  cydp_rng_free(rng);
}

static void seeds_repeat_and_keys_differ(void) {
  const cydp_key one = {{1}, stream}, two = {{2}, stream};
  cydp_rng *a, *b, *c;
  uint8_t bytes[3][5000];
  CHECK(cydp_rng_new_seeded(&one, &a) == CYDP_OK);
  CHECK(cydp_rng_new_seeded(&one, &b) == CYDP_OK);
  CHECK(cydp_rng_new_seeded(&two, &c) == CYDP_OK);
  for (size_t n = 0; n <= sizeof bytes[0]; n += 625) {
    CHECK(cydp_rng_bytes(a, n, bytes[0]) == CYDP_OK);
    CHECK(cydp_rng_bytes(b, n, bytes[1]) == CYDP_OK);
    CHECK(cydp_rng_bytes(c, n, bytes[2]) == CYDP_OK);
    CHECK(memcmp(bytes[0], bytes[1], n) == 0);
    CHECK(n == 0 || memcmp(bytes[0], bytes[2], n) != 0);
  }
  cydp_rng_free(a);
  cydp_rng_free(b);
  cydp_rng_free(c);
}

enum { THREADS = 8, DRAWS = 5000 };
static uint8_t thread_draws[THREADS * DRAWS][DRAW];
static cydp_rng *common;

static void *draw_many(void *first) {
  for (int i = 0; i < DRAWS; i++)
    draw(common, ((uint8_t (*)[DRAW])first)[i]);
  return NULL;
}

static void threads_share_nothing(void) {
  common = fresh();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(threads + i, NULL, draw_many, thread_draws + i * DRAWS) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  all_distinct(thread_draws, THREADS * DRAWS);
  cydp_rng_free(common);
}

#if defined(_WIN32)
static void children_share_nothing(void) { puts("Windows has no fork: no children"); }

#else
/* A fork, or on Linux one of which no handler hears. */
static pid_t fork_some_way(bool raw) {
#if defined(__linux__)
  if (raw)
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
#endif
  (void)raw;
  return fork();
}

/* Parent, children and grandchildren, forked in the middle of a refill. */
static void forks_share_nothing(bool raw) {
  cydp_rng *rng = fresh();
  uint8_t draws[1 + 2 * FAMILY][DRAW];
  draw(rng, draws[0]);
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  for (int child = 0; child < FAMILY; child++) {
    pid_t pid = fork_some_way(raw);
    CHECK(pid >= 0);
    if (pid == 0) {
      uint8_t own[DRAW];
      pid_t grandchild = child % 2 ? fork() : 0;
      draw(rng, own);
      CHECK(write(pipes[1], own, DRAW) == DRAW);
      if (grandchild > 0)
        waitpid(grandchild, NULL, 0);
      _exit(0);
    }
    waitpid(pid, NULL, 0);
  }
  size_t n = 1;
  close(pipes[1]);
  while (read(pipes[0], draws[n], DRAW) == DRAW)
    n++;
  close(pipes[0]);
  CHECK(n == 1 + FAMILY + FAMILY / 2);
  draw(rng, draws[n++]);
  all_distinct(draws, n);
  cydp_rng_free(rng);
}

/* A thread that the fork leaves behind inside `begin` does not lock the child out. */
static void *hold(void *rng) {
  CHECK(cydp_rng_lock(rng) == CYDP_OK);
  return NULL;
}

static void a_lock_left_behind_is_nobodys(void) {
  cydp_rng *rng = fresh();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, hold, rng) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    uint8_t own[DRAW];
    alarm(10);
    draw(rng, own);
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  cydp_rng_unlock(rng);
  cydp_rng_free(rng);
}

/* A child's generator has the stream of its parent's, though its state is wiped. */
static void children_keep_the_stream(void) {
  cydp_rng *rng = fresh();
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    uint8_t own[DRAW];
    draw(rng, own);
    CHECK(cydp_rng_stream(rng) == stream);
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  cydp_rng_free(rng);
}

static void children_share_nothing(void) {
  forks_share_nothing(false);
  forks_share_nothing(true);
  a_lock_left_behind_is_nobodys();
  children_keep_the_stream();
}
#endif

/* Not taken for one of the two, whatever the kernels have. */
static void unknown_streams_are_refused(void) {
  const uint64_t one = 1;
  const cydp_key key = {{1}, (cydp_stream)7};
  cydp_rng *rng;
  cydp_sampler *sampler;
  int64_t out[300];
  CHECK(cydp_rng_new_of(key.stream, &rng) == CYDP_ERROR_STREAM);
  CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_ERROR_STREAM);
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&one, 1, &one, 1}, &sampler) == CYDP_OK);
  CHECK(cydp_sampler_fill_chunks(sampler, 0, 300, &key, CYDP_FAST, out) ==
        CYDP_ERROR_STREAM);
  cydp_sampler_free(sampler);
}

static void stream_serves(void) {
  served_bytes_are_wiped();
  seeds_repeat_and_keys_differ();
  threads_share_nothing();
  children_share_nothing();
}

int main(void) {
  stream_serves();
  CHECK(cydp_init() == CYDP_OK);
  stream = CYDP_AES;
  if (cydp_default_stream() == stream)
    stream_serves();
  unknown_streams_are_refused();
  cydp_rng_free(NULL);
}
