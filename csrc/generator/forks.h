/* SPDX-License-Identifier: MIT
 *
 * Which process this is. */
#ifndef CYDP_GENERATOR_FORKS_H
#define CYDP_GENERATOR_FORKS_H

#include "cydp.h"

/* Where a forked child's memory is not wiped: makes `cydp_process` differ in every child,
 * from now on. CYDP_ERROR_MEMORY. */
cydp_status cydp_watch_forks(void);

/* Not 0; no other in this process, and none of an ancestor's. A child that was cloned
 * without fork handlers differs only if its process id does. */
uint64_t cydp_process(void);

#endif
