/* SPDX-License-Identifier: MIT
 * Every task once, on as many threads as there are; errors; threads that cannot be had.
 * On Linux the linker puts the counting functions in the place of the system's. */
#include "base/parallel_for.h"
#include "cydp.h"
#include "tests/check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_HELPERS = 1023 };
static unsigned created, joined, available = UINT32_MAX;

#ifdef __linux__
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  if (created == available)
    return EAGAIN;
  created++;
  return __real_pthread_create(thread, attributes, start, argument);
}

int __wrap_pthread_join(pthread_t thread, void **result) {
  joined++;
  return __real_pthread_join(thread, result);
}
#endif

enum { MOST = 5000 };
static atomic_uint calls[MOST];

static cydp_status count(void *self, size_t i) {
  CHECK(self == calls);
  atomic_fetch_add(calls + i, 1);
  return CYDP_OK;
}

static void every_task_runs_once(size_t n, unsigned threads) {
  memset(calls, 0, sizeof calls);
  created = joined = 0;
  CHECK(cydp_parallel_for(count, calls, n, threads) == CYDP_OK);
  CHECK(created == joined && created <= available && created <= MOST_HELPERS);
  CHECK(created < (threads ? threads : 1) && created <= n);
  for (size_t i = 0; i < MOST; i++)
    CHECK(atomic_load(calls + i) == (i < n));
}

#if defined(_WIN32)
static void block_a_signal(void) { puts("Windows sends no signals to threads"); }

static void check_signals(bool helper) { (void)helper; }

#else
static void block_a_signal(void) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR1);
  CHECK(pthread_sigmask(SIG_SETMASK, &own, NULL) == 0);
}

static void check_signals(bool helper) {
  sigset_t blocked;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0);
  CHECK(sigismember(&blocked, SIGINT) == helper);
  CHECK(sigismember(&blocked, SIGUSR1) == 1); /* the caller's own */
  CHECK(sigismember(&blocked, SIGSEGV) == 0);
}
#endif

/* Passes only if this number of threads is inside at once. */
enum { TOGETHER = 4 };
typedef struct meeting {
  atomic_uint here;
  pthread_t caller;
  pthread_t seen[TOGETHER];
} meeting;

static cydp_status meet(void *self, size_t i) {
  meeting *place = self;
  place->seen[i] = pthread_self();
  check_signals(!pthread_equal(pthread_self(), place->caller));
  atomic_fetch_add(&place->here, 1);
  while (atomic_load(&place->here) < TOGETHER)
    sched_yield();
  return CYDP_OK;
}

static void threads_work_together_and_take_no_signals(void) {
  meeting place = {.caller = pthread_self()};
  block_a_signal();
  CHECK(cydp_parallel_for(meet, &place, TOGETHER, TOGETHER) == CYDP_OK);
  check_signals(false);
  for (int i = 0; i < TOGETHER; i++)
    for (int j = 0; j < i; j++)
      CHECK(!pthread_equal(place.seen[i], place.seen[j]));
}

static cydp_status fail_from(void *self, size_t i) {
  atomic_fetch_add(calls + i, 1);
  return i < *(size_t *)self ? CYDP_OK : CYDP_ERROR_ENTROPY;
}

static void an_error_ends_it(unsigned threads) {
  size_t first = 1000, done = 0;
  memset(calls, 0, sizeof calls);
  created = joined = 0;
  CHECK(cydp_parallel_for(fail_from, &first, MOST, threads) == CYDP_ERROR_ENTROPY);
  CHECK(created == joined);
  for (size_t i = 0; i < MOST; i++)
    done += atomic_load(calls + i);
  CHECK(done > first && done <= first + threads); /* each thread fails once at most */
}

static cydp_status fail_differently(void *self, size_t i) {
  (void)self;
  return i == 0 ? CYDP_ERROR_MEMORY : CYDP_ERROR_EXHAUSTED;
}

int main(void) {
  const size_t counts[] = {0, 1, 2, 3, MOST};
  const unsigned threads[] = {0, 1, 2, 3, 8, 1024, UINT32_MAX};
  for (available = 0; available <= 2;
       available++) /* EAGAIN at the first, second, third */
    for (size_t i = 0; i < 5; i++)
      for (size_t j = 0; j < 7; j++)
        every_task_runs_once(counts[i], threads[j]);
  available = UINT32_MAX;
  for (size_t i = 0; i < 5; i++)
    for (size_t j = 0; j < 7; j++)
      every_task_runs_once(counts[i], threads[j]);
  threads_work_together_and_take_no_signals();
  for (unsigned n = 1; n <= 8; n++)
    an_error_ends_it(n);
  CHECK(cydp_parallel_for(fail_differently, NULL, MOST, 1) == CYDP_ERROR_MEMORY);
  available = 1;
  an_error_ends_it(8);
}
