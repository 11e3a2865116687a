# SPDX-License-Identifier: MIT
"""SQLite and forks: when a process forks, no thread is inside SQLite, and no ledger's file is open.

SQLite's locks belong to a process, so a child must not use a connection that its parent has open:
https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_connection_across_a_fork_. Also,
a mutex that another thread of the parent holds at the fork stays locked in the child for ever.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from cydp.accounting._errors import LedgerError

__all__ = ["check_process", "may_use_ledgers", "register", "run", "unregister"]

T = TypeVar("T")


class _Closable(Protocol):
    def close(self) -> None: ...


class _ThreadState(threading.local):
    """A lock that the thread holds while it uses SQLite; a fork takes the locks of all threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.inside = False  # whether the thread is using SQLite
        self.ready = False
        self.taken: list[Any] = []
        with _forking:
            _locks.add(self.lock)


_forking = threading.RLock()
_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_mine = _ThreadState()
_open: set[_Closable] = set()
_waiting = False  # whether a thread is about to fork
_process = os.getpid()


def run(work: Callable[[], T]) -> T:
    """Call a function that uses SQLite, and let every fork by another thread wait until it ends.

    This is no context manager, because a signal can interrupt the entry of an `__exit__` that is
    written in Python, and the lock would be held as long as the exception is kept.
    """
    if _waiting and not _mine.inside:
        with _forking:  # else a thread that uses SQLite again and again would keep the fork waiting
            pass
    with _mine.lock:
        before = _mine.inside
        try:
            _mine.inside = True
            return work()
        finally:
            _mine.inside = before


def register(file: _Closable) -> None:
    """Let forks close this file, until `unregister` says that it is closed."""
    _open.add(file)


def unregister(file: _Closable) -> None:
    """Let forks ignore this file again."""
    _open.discard(file)


def may_use_ledgers() -> bool:
    """Whether this process may use ledgers, and close the ledgers that it has open."""
    return os.getpid() == _process


def check_process() -> None:
    """Raise a LedgerError in a process that has a copy of its parent's open ledger."""
    if not may_use_ledgers():
        raise LedgerError(
            "this process can use no ledger, because it was cloned without fork, or forked by a "
            "thread that was in the middle of using one: start a new process"
        )


def _before_fork() -> None:
    global _waiting
    if _mine.inside:  # a signal handler forks, and to wait here may be for ever
        return
    _take(_forking)
    _waiting = True
    for lock in list(_locks):
        _take(lock)
    for file in list(_open):
        file.close()
    _mine.ready = True


def _take(lock: Any) -> None:
    # Noted before it is acquired: an interruption must not leave a lock that is never released.
    _mine.taken.append(lock)
    lock.acquire()


def _after_fork() -> None:
    global _waiting
    if _mine.taken:
        _waiting = False
    while _mine.taken:
        with suppress(RuntimeError):  # it was not acquired yet when a signal came
            _mine.taken[-1].release()
        _mine.taken.pop()
    _mine.ready = False


def _after_fork_in_child() -> None:
    global _process
    # Python forks although a signal has interrupted the handler before the fork.
    if _mine.ready and not _open:
        _process = os.getpid()
    _after_fork()


if sys.platform != "win32":  # which has no fork
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
