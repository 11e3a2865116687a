/* SPDX-License-Identifier: MIT
 * Arrays drawn ahead: the values of fills, whatever threads the system gives; forks, which
 * find no thread and no value; also where the kernel does not wipe pages, and where a child
 * has the process id of its parent. The linker puts these in the place of the real ones. */
#define _GNU_SOURCE
#include "samplers/prefetch.h"
#include "tests/samplers/forked.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

static atomic_uint created, joined;
#if !defined(_WIN32)
static unsigned available = UINT32_MAX; /* threads that the system gives */
#endif

#ifdef __linux__
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  if (created >= available)
    return EAGAIN;
  created++;
  return __real_pthread_create(thread, attributes, start, argument);
}

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result) {
  joined++;
  return __real_pthread_join(thread, result);
}
#endif

enum { VALUES = 300000, LARGEST = VALUES + 1, PART_VALUES = 1 << 16 };
static cydp_prefetch *prefetch_of(const cydp_sampler *sampler, size_t n, cydp_rng *rng) {
  cydp_prefetch *prefetch;
  CHECK(cydp_prefetch_new(sampler, n, rng, CYDP_FAST, 1, &prefetch) == CYDP_OK);
  return prefetch;
}

static void take(cydp_prefetch *prefetch, void *out) {
  CHECK(cydp_prefetch_next(prefetch, out) == CYDP_OK);
}

static bool holds_zeros(const cydp_prefetch *prefetch) {
  size_t bytes = prefetch->n * cydp_sampler_value_bytes(prefetch->sampler);
  for (size_t i = 0; i < bytes; i++)
    if (prefetch->ahead->values[i] != 0)
      return false;
  for (size_t i = 0; i < 8; i++)
    if (prefetch->ahead->key.words[i] != 0)
      return false;
  return true;
}

/* For values of each size, in each work mode, with any number of threads. */
static void arrays_are_those_of_fills(void) {
  static const size_t lengths[] = {0, 1, 256, 257, 70000, LARGEST};
  static int64_t drawn[LARGEST], expected[LARGEST];
  cydp_sampler *samplers[2] = {laplace()};
  CHECK(cydp_bernoulli_new(&(cydp_rational){&one, 1, &seven, 1}, samplers + 1) ==
        CYDP_OK);
  for (int i = 0; i < 6 * 2 * 2 * 3; i++) {
    const cydp_sampler *sampler = samplers[i % 2];
    cydp_work_mode work_mode = i / 2 % 2 ? CYDP_FIXED_WORK : CYDP_FAST;
    unsigned threads = (unsigned)(i / 4 % 3);
    size_t n = lengths[i / 12], bytes = n * cydp_sampler_value_bytes(sampler);
    cydp_rng *rng = seeded(), *again = seeded();
    cydp_prefetch *prefetch;
    CHECK(cydp_prefetch_new(sampler, n, rng, work_mode, threads, &prefetch) == CYDP_OK);
    for (int call = 0; call < 3; call++) {
      take(prefetch, drawn);
      CHECK(cydp_sampler_fill(sampler, n, again, work_mode, 1, expected) == CYDP_OK);
      CHECK(memcmp(drawn, expected, bytes) == 0);
    }
    cydp_prefetch_free(prefetch);
    cydp_rng_free(rng);
    cydp_rng_free(again);
  }
  cydp_sampler_free(samplers[0]);
  cydp_sampler_free(samplers[1]);
}

/* Parts that were begun are wiped, wherever the thread is; others were never written. */
static void a_half_drawn_array_is_wiped(void) {
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seeded();
  for (size_t parts = 0; parts * PART_VALUES < VALUES; parts++) {
    cydp_prefetch *prefetch = prefetch_of(sampler, VALUES, rng);
    while (prefetch->ahead->drawing && atomic_load(&prefetch->ahead->begun) < parts)
      continue;
    cydp_prefetch_drop(prefetch);
    CHECK(holds_zeros(prefetch) && atomic_load(&prefetch->ahead->begun) == 0);
    cydp_prefetch_free(prefetch);
  }
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

/* One thread at a time, and none when it is dropped. */
static void threads_end(void) {
  static int64_t values[VALUES], dropped[VALUES];
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seeded(), *again = seeded();
  created = joined = 0;
  cydp_prefetch *prefetch = prefetch_of(sampler, VALUES, rng);
#ifdef __linux__
  CHECK(created == 1 && joined == 0);
#endif
  CHECK(prefetch->ahead->drawing);
  take(prefetch, values);
#ifdef __linux__
  CHECK(created == 2 && joined == 1);
#endif
  cydp_prefetch_drop(prefetch); /* in the middle of the second array */
  CHECK(created == joined && !prefetch->ahead->drawing && holds_zeros(prefetch));
  cydp_prefetch_drop(prefetch);
  for (int call = 0; call < 3; call++) { /* the first, the dropped one, the next */
    CHECK(cydp_sampler_fill(sampler, VALUES, again, CYDP_FAST, 1, dropped) == CYDP_OK);
    CHECK((memcmp(values, dropped, sizeof values) == 0) == (call != 1));
    if (call == 1)
      take(prefetch, values);
  }
  cydp_prefetch_free(prefetch);
  CHECK(created == joined);
  cydp_prefetch_free(prefetch_of(sampler, VALUES, rng));
  cydp_prefetch_free(NULL);
  CHECK(created == joined);
  CHECK(cydp_prefetch_new(sampler, SIZE_MAX / 4, rng, CYDP_FAST, 1, &prefetch) ==
        CYDP_ERROR_MEMORY);
  cydp_rng_free(rng);
  cydp_rng_free(again);
  cydp_sampler_free(sampler);
}

#ifdef __linux__
/* Fewer threads give the same arrays, and leave nothing that was served. */
static void threads_that_cannot_be_had(void) {
  enum { CALLS = 4 };
  static int64_t values[VALUES], expected[VALUES];
  cydp_sampler *sampler = laplace();
  for (available = 0; available <= 2; available++) {
    cydp_rng *rng = seeded(), *again = seeded();
    created = joined = 0;
    cydp_prefetch *prefetch = prefetch_of(sampler, VALUES, rng);
    for (unsigned call = 0; call < CALLS; call++) {
      CHECK(prefetch->ahead->drawing == (call < available));
      take(prefetch, values);
      CHECK(cydp_sampler_fill(sampler, VALUES, again, CYDP_FAST, 1, expected) == CYDP_OK);
      CHECK(memcmp(values, expected, sizeof values) == 0);
    }
    for (size_t i = 0; i < VALUES; i++)
      CHECK(((int64_t *)(void *)prefetch->ahead->values)[i] == 0);
    cydp_prefetch_free(prefetch);
    CHECK(created == available && joined == available);
    cydp_rng_free(rng);
    cydp_rng_free(again);
  }
  available = UINT32_MAX;
  cydp_sampler_free(sampler);
}
#endif

enum { THREADS = 6, ARRAYS = 25, SHARED_VALUES = 2000 };
static int64_t taken[THREADS * ARRAYS * SHARED_VALUES];
static int64_t expected[THREADS * ARRAYS * SHARED_VALUES];

typedef struct taker {
  cydp_prefetch *prefetch;
  int64_t *out;
} taker;

static void *take_many(void *self) {
  const taker *own = self;
  for (int i = 0; i < ARRAYS; i++)
    take(own->prefetch, own->out + i * SHARED_VALUES);
  return NULL;
}

#if defined(_WIN32)
static void take_in_a_child(cydp_prefetch *prefetch) { (void)prefetch; }

static void no_fork_shares_an_array(bool seed) {
  printf("Windows has no fork: no children, %s\n", seed ? "seeded" : "fresh");
}

#else
/* Children, and a child's child: each finds zeros and no thread, and draws its own; so does
 * the parent. */
enum { CHILDREN = 4, SHOWN = 100, FORKED_VALUES = 20000 };
static void no_fork_shares_an_array(bool seed) {
  static int64_t array[FORKED_VALUES];
  static int64_t values[FORKED_VALUES + 2 * (1 + CHILDREN) * SHOWN];
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seed ? seeded() : fresh();
  cydp_prefetch *other = prefetch_of(sampler, 2 * FORKED_VALUES, rng);
  cydp_prefetch *prefetch = prefetch_of(sampler, FORKED_VALUES, rng);
  int64_t *free_part = values;
  int pipes[2], status;
  CHECK(pipe(pipes) == 0);
  take(prefetch, free_part);
  free_part += SHOWN; /* of all values two would be equal by chance once in 10^7 runs */
  for (int child = 0; child < CHILDREN; child++) {
    CHECK(prefetch->ahead->drawing);
    pid_t pid = fork();
    CHECK(pid >= 0);
    CHECK(!prefetch->ahead->drawing && !other->ahead->drawing);
    CHECK(holds_zeros(prefetch) && holds_zeros(other));
    if (pid == 0) {
      alarm(20);
      pid_t grandchild = child % 2 ? fork() : 0;
      CHECK(grandchild >= 0);
      if (grandchild == 0) {
        take(prefetch, array);
        CHECK(write(pipes[1], array, SHOWN * sizeof *array) == SHOWN * sizeof *array);
        cydp_prefetch_free(prefetch);
        cydp_prefetch_free(other);
      } else {
        CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
      }
      _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    take(prefetch, free_part);
    free_part += SHOWN;
    if (!seed) { /* a child of a seeded parent repeats the parent's next array */
      ssize_t bytes = SHOWN * sizeof *values;
      CHECK(read(pipes[0], free_part, (size_t)bytes) == bytes);
      free_part += SHOWN;
    }
  }
  all_distinct(values, (size_t)(free_part - values));
  close(pipes[0]);
  close(pipes[1]);
  cydp_prefetch_free(prefetch);
  cydp_prefetch_free(other);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}

static void take_in_a_child(cydp_prefetch *prefetch) {
  int status;
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    alarm(20);
    available = 0; /* ThreadSanitizer allows such a child no threads */
    take(prefetch, taken);
    cydp_prefetch_free(prefetch);
    _exit(0);
  }
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}
#endif

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
/* No handler hears of this fork, and no page is wiped: the child finds its parent's array,
 * and a thread that it does not have. ThreadSanitizer takes that thread for a running one. */
static void a_child_without_handlers_draws_its_own(void) {
  static int64_t values[FORKED_VALUES];
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = fresh();
  cydp_prefetch *prefetch = prefetch_of(sampler, FORKED_VALUES, rng);
  int pipes[2], status;
  const ssize_t bytes = SHOWN * sizeof *values;
  CHECK(pipe(pipes) == 0 && prefetch->ahead->drawing);
  pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  CHECK(pid >= 0);
  if (pid == 0) {
    alarm(20);
    available = 0;
    take(prefetch, values);
    CHECK(write(pipes[1], values, (size_t)bytes) == bytes);
    _exit(0);
  }
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  take(prefetch, values);
  CHECK(read(pipes[0], values + SHOWN, (size_t)bytes) == bytes);
  all_distinct(values, 2 * SHOWN);
  close(pipes[0]);
  close(pipes[1]);
  cydp_prefetch_free(prefetch);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
}
#endif

/* Together, threads get the first arrays: none is lost, torn or served twice. Forks in the
 * meantime drop arrays, and end. */
static void threads_share_the_arrays(bool forks) {
  cydp_sampler *sampler = laplace();
  cydp_rng *rng = seeded(), *again = seeded();
  cydp_prefetch *prefetch = prefetch_of(sampler, SHARED_VALUES, rng);
  pthread_t threads[THREADS];
  taker takers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    takers[i] = (taker){prefetch, taken + i * ARRAYS * SHARED_VALUES};
    CHECK(pthread_create(threads + i, NULL, take_many, takers + i) == 0);
  }
  for (int i = 0; forks && i < 20; i++)
    take_in_a_child(prefetch);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  for (size_t i = 0; i < THREADS * ARRAYS; i++)
    CHECK(cydp_sampler_fill(sampler, SHARED_VALUES, again, CYDP_FAST, 1,
                            expected + i * SHARED_VALUES) == CYDP_OK);
  if (!forks) {
    qsort(taken, THREADS * ARRAYS * SHARED_VALUES, sizeof *taken, compare);
    qsort(expected, THREADS * ARRAYS * SHARED_VALUES, sizeof *expected, compare);
    CHECK(memcmp(taken, expected, sizeof taken) == 0);
  } else {
    all_distinct(taken, THREADS * ARRAYS * SHARED_VALUES);
  }
  cydp_prefetch_free(prefetch);
  cydp_rng_free(rng);
  cydp_rng_free(again);
  cydp_sampler_free(sampler);
}

static void arrays_are_drawn_ahead(void) {
  arrays_are_those_of_fills();
  threads_end();
  threads_share_the_arrays(false);
#ifdef __linux__
  threads_that_cannot_be_had();
  for (int way = 0; way < 4; way++) {
    wipes = way / 2, one_pid = way % 2;
#endif
    a_half_drawn_array_is_wiped(); /* the kernel may discard the pages besides, or not */
    for (int seed = 0; seed < 2; seed++)
      no_fork_shares_an_array(seed);
    threads_share_the_arrays(true);
#ifdef __linux__
  }
  wipes = one_pid = false;
#ifndef __SANITIZE_THREAD__
  a_child_without_handlers_draws_its_own();
#endif
  wipes = true;
#endif
}

int main(void) {
  CHECK(cydp_init() == CYDP_OK);
  arrays_are_drawn_ahead();
  stream = CYDP_AES;
  if (cydp_default_stream() == stream)
    arrays_are_drawn_ahead();
}
