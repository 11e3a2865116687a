/* SPDX-License-Identifier: MIT
 * Tasks of one call on several threads, which end with the call: no fork finds one
 * waiting. */
#include "base/parallel_for.h"
#include "base/thread.h"
#include "cydp.h"

#include <stdatomic.h>

enum { MOST_HELPERS = 1023 };

typedef struct shared {
  cydp_task *task;
  void *self;
  size_t count;
  _Atomic(size_t) next;        /* the first task that no thread has taken */
  _Atomic(cydp_status) status; /* the first that is not CYDP_OK */
} shared;

static void work(void *argument) {
  shared *call = argument;
  size_t i;
  while (atomic_load(&call->status) == CYDP_OK &&
         (i = atomic_fetch_add(&call->next, 1)) < call->count) {
    cydp_status status = call->task(call->self, i), none = CYDP_OK;
    if (status != CYDP_OK)
      atomic_compare_exchange_strong(&call->status, &none, status);
  }
}

/* Starts up to n helpers: fewer if the system gives no more threads or the tasks run out
 * meanwhile. */
static unsigned start_helpers(shared *call, cydp_thread *helpers, unsigned n) {
  unsigned started = 0;
  while (started < n && atomic_load(&call->next) < call->count &&
         cydp_thread_start(helpers + started, work, call))
    started++;
  return started;
}

cydp_status cydp_parallel_for(cydp_task *task, void *self, size_t count,
                              unsigned threads) {
  shared call = {.task = task, .self = self, .count = count};
  cydp_thread helpers[MOST_HELPERS];
  size_t wanted = threads < count ? threads : count;
  unsigned n = wanted > MOST_HELPERS ? MOST_HELPERS : wanted ? (unsigned)wanted - 1 : 0;
  unsigned started = n ? start_helpers(&call, helpers, n) : 0;
  work(&call);
  while (started > 0)
    cydp_thread_join(helpers + --started);
  return atomic_load(&call.status);
}
