/* SPDX-License-Identifier: MIT
 * Threads that take no signals: handlers run on the threads on which they would run without
 * them. Faults stay unblocked, as they must. */
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

static void *start(void *self) {
  cydp_thread *thread = self;
  thread->run(thread->self);
  return NULL;
}

bool cydp_thread_start(cydp_thread *thread, void (*run)(void *self), void *self) {
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGTRAP);
  thread->run = run;
  thread->self = self;
  pthread_sigmask(SIG_BLOCK, &all, &before);
  bool started = pthread_create(&thread->handle, NULL, start, thread) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

void cydp_thread_join(cydp_thread *thread) { pthread_join(thread->handle, NULL); }
