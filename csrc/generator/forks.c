/* SPDX-License-Identifier: MIT
 * Which process this is: its id, and how often it and its ancestors have forked. In other
 * namespaces a child may have its parent's id, and ids are used again. docs/generator.md.
 */
#include "generator/forks.h"
#include "cydp.h"

#if defined(_WIN32)
#include <windows.h>

/* Windows has no fork. */
cydp_status cydp_watch_forks(void) { return CYDP_OK; }

cydp_status cydp_around_forks(void (*before)(void), void (*after)(void)) {
  (void)before, (void)after;
  return CYDP_OK;
}

uint64_t cydp_process_id(void) { return GetCurrentProcessId(); }

#else
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* Grows with every fork once there is a handler. What begins to watch changes nothing: a
 * lock that is held meanwhile stays its owner's. */
static _Atomic(uint32_t) generation = 1;
static _Atomic(bool) is_watched;

static void forked(void) { atomic_fetch_add(&generation, 1); }

/* Two threads may both register: then it grows by 2. A library that is unloaded takes its
 * handlers along where the C library knows of it, as glibc's does; musl unloads none. */
cydp_status cydp_watch_forks(void) {
  if (!atomic_load(&is_watched)) {
    if (pthread_atfork(NULL, NULL, forked) != 0)
      return CYDP_ERROR_MEMORY;
    atomic_store(&is_watched, true);
  }
  return CYDP_OK;
}

cydp_status cydp_around_forks(void (*before)(void), void (*after)(void)) {
  return pthread_atfork(before, after, after) == 0 ? CYDP_OK : CYDP_ERROR_MEMORY;
}

uint64_t cydp_process_id(void) {
  return (uint64_t)atomic_load(&generation) << 32 | (uint32_t)getpid();
}
#endif
