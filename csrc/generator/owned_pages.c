/* SPDX-License-Identifier: MIT
 * Pages that the kernel wipes in a forked child; where it cannot, process ids and a fork
 * handler tell. docs/generator.md, "Forks". */
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE /* MAP_ANON */
#else
#define _GNU_SOURCE /* madvise */
#endif
#include "generator/owned_pages.h"
#include "base/wipe.h"
#include "generator/forks.h"

enum { PATIENCE = 100 }; /* turns for which a thread waits for a lock without sleeping */

#if defined(_WIN32)
#include <windows.h>

cydp_status cydp_owned_pages_new(size_t bytes, void **out, bool *wiped) {
  void *pages = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (!pages)
    return CYDP_ERROR_MEMORY;
  *wiped = false;
  *out = pages;
  return CYDP_OK;
}

void cydp_owned_pages_free(void *pages, size_t bytes, size_t used) {
  (void)bytes;
  cydp_wipe(pages, used);
  VirtualFree(pages, 0, MEM_RELEASE);
}

void cydp_owned_pages_discard(void *zeros, size_t bytes) { (void)zeros, (void)bytes; }

static void wait_turn(unsigned turn) { Sleep(turn < PATIENCE ? 0 : 1); }

#else
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static bool wipe_on_fork(void *pages, size_t bytes) {
#ifdef MADV_WIPEONFORK
  /* An emulator may say yes to anything: it must refuse what does not exist. */
  return madvise(pages, bytes, MADV_WIPEONFORK) == 0 && madvise(pages, bytes, -1) != 0;
#else
  (void)pages, (void)bytes;
  return false;
#endif
}

cydp_status cydp_owned_pages_new(size_t bytes, void **out, bool *wiped) {
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (pages == MAP_FAILED)
    return CYDP_ERROR_MEMORY;
  *wiped = wipe_on_fork(pages, bytes);
  cydp_status status = *wiped ? CYDP_OK : cydp_watch_forks();
  if (status != CYDP_OK) {
    munmap(pages, bytes);
    return status;
  }
  *out = pages;
  return CYDP_OK;
}

void cydp_owned_pages_free(void *pages, size_t bytes, size_t used) {
  cydp_wipe(pages, used);
  munmap(pages, bytes);
}

void cydp_owned_pages_discard(void *zeros, size_t bytes) {
#if defined(__linux__)
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)zeros + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)zeros + bytes) / page * page;
  if (first < end)
    (void)madvise((void *)first, end - first, MADV_DONTNEED);
#else
  (void)zeros, (void)bytes;
#endif
}

static void wait_turn(unsigned turn) {
  const struct timespec some = {0, 100000};
  if (turn < PATIENCE)
    sched_yield();
  else
    nanosleep(&some, NULL);
}
#endif

uint64_t cydp_owner(bool wiped) { return wiped ? 1 : cydp_process_id(); }

void cydp_owner_lock(_Atomic(uint64_t) *lock, uint64_t owner) {
  for (unsigned turn = 0;; turn += turn < PATIENCE) {
    uint64_t holder = 0;
    if (atomic_compare_exchange_strong(lock, &holder, owner))
      return;
    /* A holder of another process is a thread that the fork did not copy. */
    if (holder != owner && atomic_compare_exchange_strong(lock, &holder, owner))
      return;
    wait_turn(turn);
  }
}

bool cydp_owner_unlock(_Atomic(uint64_t) *lock, uint64_t owner) {
  if (atomic_load_explicit(lock, memory_order_relaxed) != owner)
    return false;
  atomic_store_explicit(lock, 0, memory_order_release);
  return true;
}
