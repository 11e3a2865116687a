/* SPDX-License-Identifier: MIT
 *
 * The tasks of one call, on several threads. */
#ifndef CYDP_BASE_PARALLEL_FOR_H
#define CYDP_BASE_PARALLEL_FOR_H

#include "cydp.h"

/* Calls task(self, i) once for each i < count, in any order, on this thread and up to
 * threads - 1 more (1,023 at most), which are gone when it returns. A status other than
 * CYDP_OK ends it early and is returned. Where the system gives no thread, fewer do all
 * the work. Helpers take no signals. */
typedef cydp_status cydp_task(void *self, size_t i);
cydp_status cydp_parallel_for(cydp_task *task, void *self, size_t count,
                              unsigned threads);

#endif
