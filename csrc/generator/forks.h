/* SPDX-License-Identifier: MIT
 *
 * A number for this process, and what is done around its forks. */
#ifndef CYDP_GENERATOR_FORKS_H
#define CYDP_GENERATOR_FORKS_H

#include "cydp.h"

/* Makes cydp_process_id differ in every child that is forked from now on: needed where a
 * forked child's memory is not wiped. Returns CYDP_ERROR_MEMORY if it cannot. */
cydp_status cydp_watch_forks(void);

/* Calls `before` before each fork, and `after` after it, in parent and child; not around a
 * raw clone. Call it once for each pair. Returns CYDP_ERROR_MEMORY if it cannot. */
cydp_status cydp_around_forks(void (*before)(void), void (*after)(void));

/* Returns a number that is not 0, is always the same in one process, and was none of an
 * ancestor's. In a child that was cloned without fork handlers it differs only if the
 * operating system's process id does. */
uint64_t cydp_process_id(void);

#endif
