/* SPDX-License-Identifier: MIT
 *
 * A thread of the operating system. */
#ifndef CYDP_BASE_THREAD_H
#define CYDP_BASE_THREAD_H

#include <stdbool.h>

#if defined(_WIN32)
typedef void *cydp_thread_handle;
#else
#include <pthread.h>
typedef pthread_t cydp_thread_handle;
#endif

/* It stays where it is, and its caller joins it, once it has been started. */
typedef struct cydp_thread {
  void (*run)(void *self);
  void *self;
  cydp_thread_handle handle;
} cydp_thread;

/* Starts run(self) on a thread that takes no signals. Returns false if there is none. */
bool cydp_thread_start(cydp_thread *thread, void (*run)(void *self), void *self);

/* Waits until the thread has ended. */
void cydp_thread_join(cydp_thread *thread);

#endif
