/* SPDX-License-Identifier: MIT
 *
 * Memory that belongs to one process: a forked child does not use what its parent put
 * there. docs/generator.md, "Forks". */
#ifndef CYDP_GENERATOR_OWNED_PAGES_H
#define CYDP_GENERATOR_OWNED_PAGES_H

#include "cydp.h"

#include <stdatomic.h>

/* Sets *pages to zeros, and *wiped to whether the kernel sets them to zeros in a forked
 * child; where it does not, cydp_owner tells. Returns CYDP_ERROR_MEMORY if it cannot. */
cydp_status cydp_owned_pages_new(size_t bytes, void **pages, bool *wiped);

/* Frees them, and wipes the first `used` bytes; the others are zeros. */
void cydp_owned_pages_free(void *pages, size_t bytes, size_t used);

/* Gives the memory of zeros within the pages back to the operating system, where it can. */
void cydp_owned_pages_discard(void *zeros, size_t bytes);

/* Returns what the owner writes into its pages: not 0, and not what a forked child finds
 * there. */
uint64_t cydp_owner(bool wiped);

/* Lock and unlock pages; the lock lies in them, and is 0 or the owner that holds it. One
 * that a thread of another process held, which the fork did not copy, is free. A thread that
 * holds a lock waits for ever if it takes it again. `unlock` returns false, and leaves the
 * lock, if the owner does not hold it any more: a signal handler has forked meanwhile, this
 * is the child, and what lies in the pages is not what its parent put there. */
void cydp_owner_lock(_Atomic(uint64_t) *lock, uint64_t owner);
bool cydp_owner_unlock(_Atomic(uint64_t) *lock, uint64_t owner);

#endif
