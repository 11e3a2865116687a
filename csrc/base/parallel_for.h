/* SPDX-License-Identifier: MIT
 *
 * The tasks of one call, run by several threads. */
#ifndef CYDP_BASE_PARALLEL_FOR_H
#define CYDP_BASE_PARALLEL_FOR_H

#include "cydp.h"

/* Calls task(self, i) once for each i < count, in any order, on this thread and on up to
 * threads - 1 helpers (1,023 at most), which have ended when it returns. A status other
 * than CYDP_OK ends the loop early and is returned. If the system gives fewer threads,
 * these do all the work. Helpers take no signals. */
typedef cydp_status cydp_task(void *self, size_t i);
cydp_status cydp_parallel_for(cydp_task *task, void *self, size_t count,
                              unsigned threads);

/* Rows of a call in tasks of `rows` each; the last task may have fewer. */
static inline size_t cydp_task_count(size_t n, size_t rows) {
  return n / rows + (n % rows != 0);
}
static inline size_t cydp_task_rows(size_t n, size_t rows, size_t task) {
  size_t left = n - task * rows;
  return left < rows ? left : rows;
}

#endif
