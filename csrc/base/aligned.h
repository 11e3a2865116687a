/* SPDX-License-Identifier: MIT
 *
 * Memory at multiples of an alignment, which Windows does not free with free(). */
#ifndef CYDP_BASE_ALIGNED_H
#define CYDP_BASE_ALIGNED_H

#include <stdlib.h>

#if defined(_WIN32)
#include <malloc.h>
#endif

/* Returns NULL if memory ran out. `bytes` is a multiple of the alignment. */
static inline void *cydp_aligned_allocate(size_t alignment, size_t bytes) {
#if defined(_WIN32)
  return _aligned_malloc(bytes, alignment);
#else
  return aligned_alloc(alignment, bytes);
#endif
}

static inline void cydp_aligned_free(void *memory) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  free(memory);
#endif
}

#endif
