/* SPDX-License-Identifier: MIT
 *
 * A lock between the threads of a call. */
#ifndef CYDP_BASE_MUTEX_H
#define CYDP_BASE_MUTEX_H

#if defined(_WIN32)
/* An SRWLOCK: windows.h would define names such as `near` for everyone. */
typedef struct cydp_mutex {
  void *lock;
} cydp_mutex;
#define CYDP_MUTEX_INITIALIZER {0}
#else
#include <pthread.h>
typedef pthread_mutex_t cydp_mutex;
#define CYDP_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#endif

/* Neither can fail: a thread never takes a mutex that it holds. */
void cydp_mutex_lock(cydp_mutex *mutex);
void cydp_mutex_unlock(cydp_mutex *mutex);

#endif
