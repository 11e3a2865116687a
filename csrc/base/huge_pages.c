/* SPDX-License-Identifier: MIT
 * Scratch memory that is written in many places at once: small pages would cost several
 * times as much as the writing. */
#if !defined(__APPLE__)
#define _GNU_SOURCE /* madvise */
#endif
#include "base/huge_pages.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(_WIN32)
/* A process needs a privilege for large pages there. */
void *cydp_huge_pages_allocate(size_t bytes) { return malloc(bytes); }
void *cydp_huge_pages_zeros(size_t bytes) { return calloc(bytes, 1); }

#else
#include <sys/mman.h>

void *cydp_huge_pages_allocate(size_t bytes) {
  const size_t page = (size_t)1 << 21;
  if (bytes < page)
    return malloc(bytes);
  if (bytes > SIZE_MAX - page)
    return NULL;
  size_t rounded = (bytes + page - 1) / page * page;
  void *memory = aligned_alloc(page, rounded);
#ifdef MADV_HUGEPAGE
  if (memory)
    (void)madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return memory;
}

/* calloc() writes no zeros to pages that the system has just given. */
void *cydp_huge_pages_zeros(size_t bytes) {
  const uintptr_t page = (uintptr_t)1 << 21;
  void *memory = calloc(bytes, 1);
#ifdef MADV_HUGEPAGE
  const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page,
                  end = ((uintptr_t)memory + bytes) / page * page;
  if (memory && begin < end)
    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
  (void)page;
#endif
  return memory;
}
#endif
