# SPDX-License-Identifier: MIT
"""Threads for large calls. They live as long as the call: no fork can find one waiting."""

import os
import threading
from collections.abc import Callable

SHARED_ABOVE = 2**20  # elements; a smaller call is over before a thread has started


def _from_environment() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    given = os.environ.get("CYDP_NUM_THREADS", "") or str(usable or 1)
    if not (given.isascii() and given.isdigit() and len(given) < 5 and 1 <= int(given) <= 1024):
        raise ImportError(f"CYDP_NUM_THREADS must be from 1 to 1024, not {given[:20]!r}")
    return int(given)


NUM_THREADS = _from_environment()


def share(task: Callable[[int], None], count: int) -> None:
    """Call task(i) for all i < count on this thread and NUM_THREADS - 1 more.

    The first exception stops the others after their current task and is raised here.
    """
    pending, lock, errors = iter(range(count)), threading.Lock(), list[BaseException]()

    def work() -> None:
        while not errors:
            with lock:
                index = next(pending, None)
            if index is None:
                return
            try:
                task(index)
            except BaseException as error:
                errors.append(error)

    helpers = [
        threading.Thread(target=work, name="cydp", daemon=True)
        for _ in range(min(NUM_THREADS, count) - 1)
    ]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
