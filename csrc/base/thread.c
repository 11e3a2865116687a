/* SPDX-License-Identifier: MIT
 * Threads that take no signals: handlers run on the threads on which they would run without
 * them. Faults stay unblocked, as they must. */
#include "base/thread.h"

#if defined(_WIN32)
#include <windows.h>

#include <process.h>

static unsigned __stdcall start(void *self) {
  cydp_thread *thread = self;
  thread->run(thread->self);
  return 0;
}

/* Windows runs handlers on a thread of its own. */
bool cydp_thread_start(cydp_thread *thread, void (*run)(void *self), void *self) {
  thread->run = run;
  thread->self = self;
  thread->handle = (HANDLE)_beginthreadex(NULL, 0, start, thread, 0, NULL);
  return thread->handle != NULL;
}

void cydp_thread_join(cydp_thread *thread) {
  WaitForSingleObject(thread->handle, INFINITE);
  CloseHandle(thread->handle);
}

#else
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
#endif
