/* SPDX-License-Identifier: MIT
 * The operating system's lock. */
#include "base/mutex.h"

#if defined(_WIN32)
#include <windows.h>

_Static_assert(sizeof(cydp_mutex) == sizeof(SRWLOCK), "a mutex is an SRWLOCK");

void cydp_mutex_lock(cydp_mutex *mutex) { AcquireSRWLockExclusive((SRWLOCK *)mutex); }

void cydp_mutex_unlock(cydp_mutex *mutex) { ReleaseSRWLockExclusive((SRWLOCK *)mutex); }

#else
void cydp_mutex_lock(cydp_mutex *mutex) { pthread_mutex_lock(mutex); }

void cydp_mutex_unlock(cydp_mutex *mutex) { pthread_mutex_unlock(mutex); }
#endif
