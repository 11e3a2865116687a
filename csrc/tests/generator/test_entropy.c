/* SPDX-License-Identifier: MIT
 * An operating system that misbehaves: getrandom fails, is short or interrupted; madvise
 * does not know how to wipe on fork; no fork handler can be registered; a child has the
 * process id of its parent, as in two namespaces. The linker puts these in the place of
 * the real ones. */
#define _GNU_SOURCE
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/entropy.h"
#include "generator/stream.h"
#include "tests/check.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

ssize_t __real_getrandom(void *out, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t n, unsigned flags);
int __wrap_madvise(void *address, size_t n, int advice);

static cydp_stream stream; /* of the generators of these tests */

static enum { WORKS, FAILS, GIVES_NOTHING, IS_SHORT, IS_INTERRUPTED } mode;
static int calls;

ssize_t __wrap_getrandom(void *out, size_t n, unsigned flags) {
  calls++;
  switch (mode) {
  case FAILS:
    errno = ENOSYS;
    return -1;
  case GIVES_NOTHING:
    return 0;
  case IS_SHORT:
    return __real_getrandom(out, n > 3 ? 3 : n, flags);
  case IS_INTERRUPTED:
    errno = EINTR;
    return calls % 2 ? -1 : __real_getrandom(out, n, flags);
  case WORKS:
    break;
  }
  return __real_getrandom(out, n, flags);
}

static int madvise_answer;

int __wrap_madvise(void *address, size_t n, int advice) {
  (void)address, (void)n, (void)advice;
  errno = EINVAL;
  return madvise_answer;
}

/* Every process is the first of its namespace. */
static bool one_pid;

pid_t __real_getpid(void);
pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void) { return one_pid ? 1 : __real_getpid(); }

static bool handlers_fit = true;

int __real_pthread_atfork(void (*before)(void), void (*parent)(void),
                          void (*child)(void));
int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void),
                          void (*child)(void));
int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void),
                          void (*child)(void)) {
  return handlers_fit ? __real_pthread_atfork(before, parent, child) : ENOMEM;
}

/* Nobody has registered one yet; and the next call tries again. */
static void no_fork_handler_is_an_error(void) {
  const cydp_key key = {{1}, stream};
  cydp_rng *rng = NULL;
  mode = WORKS;
  madvise_answer = -1;
  handlers_fit = false;
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_ERROR_MEMORY && rng == NULL);
  CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_ERROR_MEMORY && rng == NULL);
  handlers_fit = true;
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_OK);
  cydp_rng_free(rng);
}

static void failure_is_an_error(void) {
  uint8_t bytes[32];
  cydp_rng *rng = NULL;
  mode = FAILS;
  CHECK(cydp_entropy(bytes, sizeof bytes) == CYDP_ERROR_ENTROPY);
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_ERROR_ENTROPY && rng == NULL);
  mode = GIVES_NOTHING;
  CHECK(cydp_entropy(bytes, sizeof bytes) == CYDP_ERROR_ENTROPY);
}

static void short_and_interrupted_reads_go_on(void) {
  for (mode = IS_SHORT; mode <= IS_INTERRUPTED; mode++) {
    uint8_t bytes[64] = {0};
    calls = 0;
    CHECK(cydp_entropy(bytes, sizeof bytes) == CYDP_OK && calls > 1);
    for (int i = 0; i < 64; i += 16) /* a quarter of zeros: probability 2^-128 */
      CHECK(memcmp(bytes + i, (uint8_t[16]){0}, 16) != 0);
  }
}

/* Without wiping, the process id or the fork handler tells a child that it must key
 * afresh, and entropy that fails there leaves nothing behind. */
static void children_key_afresh(void) {
  cydp_rng *rng;
  uint8_t own[16], child[16];
  int pipes[2], status;
  mode = WORKS;
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_OK && pipe(pipes) == 0);
  CHECK(cydp_rng_lock(rng) == CYDP_OK); /* the child inherits the lock held */
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    alarm(10);
    mode = FAILS;
    CHECK(cydp_rng_bytes(rng, sizeof own, own) == CYDP_ERROR_ENTROPY);
    mode = WORKS;
    CHECK(cydp_rng_bytes(rng, sizeof own, own) == CYDP_OK);
    CHECK(write(pipes[1], own, sizeof own) == sizeof own);
    _exit(0);
  }
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  cydp_rng_unlock(rng);
  CHECK(read(pipes[0], child, sizeof child) == sizeof child);
  calls = 0;
  CHECK(cydp_rng_bytes(rng, sizeof own, own) == CYDP_OK && calls == 0);
  CHECK(memcmp(own, child, sizeof own) != 0);
  cydp_rng_free(rng);
}

/* What children, and the children of one that draws nothing itself, draw is new. */
static void families_share_nothing(void) {
  enum { CHILDREN = 6, DRAW = 16 };
  cydp_rng *rng;
  uint8_t draws[2 + CHILDREN][DRAW];
  int pipes[2], status;
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_OK && pipe(pipes) == 0);
  CHECK(cydp_rng_bytes(rng, DRAW, draws[0]) == CYDP_OK);
  for (int child = 0; child < CHILDREN; child++) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      alarm(10);
      pid_t grandchild = child % 2 ? fork() : 0;
      CHECK(grandchild >= 0);
      if (grandchild == 0) {
        CHECK(cydp_rng_bytes(rng, DRAW, draws[0]) == CYDP_OK);
        CHECK(write(pipes[1], draws[0], DRAW) == DRAW);
      } else {
        CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
      }
      _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(read(pipes[0], draws[2 + child], DRAW) == DRAW);
  }
  CHECK(cydp_rng_bytes(rng, DRAW, draws[1]) == CYDP_OK);
  for (int i = 0; i < 2 + CHILDREN; i++)
    for (int j = 0; j < i; j++)
      CHECK(memcmp(draws[i], draws[j], DRAW) != 0);
  cydp_rng_free(rng);
}

/* A seeded generator repeats itself in a child, also where a thread held the lock. */
static void seeded_children_are_not_locked_out(void) {
  const cydp_key key = {{1}, stream};
  cydp_rng *rng;
  uint8_t bytes[16];
  int status;
  CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
  CHECK(cydp_rng_lock(rng) == CYDP_OK);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    alarm(10);
    CHECK(cydp_rng_bytes(rng, sizeof bytes, bytes) == CYDP_OK);
    _exit(0);
  }
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  cydp_rng_unlock(rng);
  cydp_rng_free(rng);
}

static void families_serve(void) {
  mode = WORKS;
  for (int same = 0; same < 2; same++) {
    one_pid = same;
    for (madvise_answer = -1; madvise_answer <= 0; madvise_answer++) {
      /* where wiping is unknown, and where the answer means nothing */
      children_key_afresh();
      families_share_nothing();
    }
    seeded_children_are_not_locked_out();
  }
}

int main(void) {
  no_fork_handler_is_an_error();
  failure_is_an_error();
  short_and_interrupted_reads_go_on();
  families_serve();
  CHECK(cydp_init() == CYDP_OK);
  stream = CYDP_AES;
  if (cydp_default_stream() == stream)
    families_serve();
}
