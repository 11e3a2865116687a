/* SPDX-License-Identifier: MIT
 * For tests of what a fork finds: generators, a sampler whose values differ, and a kernel
 * that does not wipe pages or gives a child the process id of its parent. The linker puts
 * these in the place of the real ones. */
#ifndef CYDP_TESTS_SAMPLERS_FORKED_H
#define CYDP_TESTS_SAMPLERS_FORKED_H

#include "cydp.h"
#include "cydp_testing.h"
#include "tests/check.h"

#if !defined(_WIN32)
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#ifdef __linux__
static bool wipes = true, one_pid;

int __real_madvise(void *address, size_t n, int advice);
int __wrap_madvise(void *address, size_t n, int advice);
int __wrap_madvise(void *address, size_t n, int advice) {
  return wipes ? __real_madvise(address, n, advice) : -1;
}

pid_t __real_getpid(void);
pid_t __wrap_getpid(void);
pid_t __wrap_getpid(void) { return one_pid ? 1 : __real_getpid(); }
#endif

static const uint64_t one = 1, scale = UINT64_C(1) << 56, seven = 7;
static cydp_stream stream; /* of the generators of a test */

/* Two values are equal by chance with a probability of 2^-58. */
static cydp_sampler *laplace(void) {
  cydp_sampler *sampler;
  CHECK(cydp_discrete_laplace_new(&(cydp_rational){&scale, 1, &one, 1}, &sampler) ==
        CYDP_OK);
  return sampler;
}

static cydp_rng *seeded(void) {
  const cydp_key key = {{1, 7}, stream};
  cydp_rng *rng;
  CHECK(cydp_rng_new_seeded(&key, &rng) == CYDP_OK);
  return rng;
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static inline cydp_rng *fresh(void) {
  cydp_rng *rng;
  CHECK(cydp_rng_new_of(stream, &rng) == CYDP_OK);
  return rng;
}

static inline void all_distinct(int64_t *values, size_t n) {
  qsort(values, n, sizeof *values, compare);
  for (size_t i = 1; i < n; i++)
    CHECK(values[i - 1] != values[i]);
}

#endif
