# SPDX-License-Identifier: MIT
"""A ledger's file while it is open: the WAL file beside it belongs to it, and no fork inherits it.

SQLite lays the pages of any WAL file with valid checksums over the file of that name:
https://www.sqlite.org/howtocorrupt.html, 1.4. So the file of one ledger, moved to where users of
another one were killed, would become that other one.

SQLite's locks belong to a process, so a child must not use a connection that its parent has open:
https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_connection_across_a_fork_. Also,
a mutex that another thread of the parent holds at the fork stays locked in the child for ever. So
when a process forks, no thread is inside SQLite, and no ledger's file is open.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from cydp.accounting._errors import LedgerError
from cydp.accounting.ledger import _path

__all__ = [
    "BUSY_SECONDS",
    "OpenFile",
    "check_process",
    "check_wal",
    "copy_wal",
    "identity_of",
    "length_of",
    "use_sqlite",
]

T = TypeVar("T")

BUSY_SECONDS = 30  # how long a use of the file waits for other processes
_NO_FILE = 0, 0
_SETTLED = 1.0  # seconds; another process may be copying pages into the file while it is read
_PAUSE_SECONDS = 0.005


class OpenFile:
    """A connection to a ledger's file, and the hold that notices users of other names."""

    def __init__(self, path: Path) -> None:
        self.connection: sqlite3.Connection | None = None  # None unless it is open
        self.hold = _path.Hold(path)
        self.files: list[tuple[int, ...]] = []  # the ledger, its WAL file and its shared memory
        self._path = path
        _open_files.add(self)

    def close(self) -> None:
        """Close the file. In a cloned process it is the parent's, and stays open."""
        if not _may_use_ledgers():
            return
        if self.connection is not None:
            if self._moved():
                self._empty_wal(self.connection)
            connection, self.connection = self.connection, None  # first: a signal may follow
            connection.close()
        # After the connection is closed: a descriptor that is closed drops the connection's locks.
        self.hold.release()
        _open_files.discard(self)

    def _moved(self) -> bool:
        """Whether the file was moved away from its WAL file, and nothing was put in its place."""
        now = [identity_of(f"{self._path}{suffix}") for suffix in ("", "-wal", "-shm")]
        return now == [_NO_FILE, *self.files[1:]]

    def _empty_wal(self, connection: sqlite3.Connection) -> None:
        """Copy charges from the WAL file. SQLite does not, for a file that was moved."""
        with suppress(sqlite3.DatabaseError):  # then the charges stay in the WAL file
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def identity_of(path: str | Path) -> tuple[int, int]:
    """Return the device and the inode of a file; (0, 0) if there is no such file."""
    try:
        found = os.stat(path)
    except OSError:
        return _NO_FILE
    return found.st_dev, found.st_ino


def length_of(path: str) -> int:
    """Return the length of a file in bytes; 0 if there is no such file."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def check_wal(path: Path) -> None:
    """Raise a LedgerError if the WAL file beside a ledger belongs to another ledger.

    Each transaction writes the row of the table `head`, so that its page is in every WAL file.
    """
    end = time.monotonic() + _SETTLED
    while not _belongs(path):
        if time.monotonic() >= end:
            raise LedgerError(
                f"{path}-wal is not of this ledger: it was left beside another file of that name, "
                "or beside a newer copy of this one; move it away, if you mean the file without it"
            )
        time.sleep(_PAUSE_SECONDS)


def _belongs(path: Path) -> bool:
    """Whether the head of the file alone is in the history of file and WAL file together.

    True if the file cannot be read alone: a crash in the middle of a copy leaves such a file, and a
    WAL file that completes it.
    """
    try:
        with closing(_connect(path, "ro&immutable=1")) as alone:  # without the WAL file
            head, mine = _head_of(alone)
            place = mine[1]
    except (sqlite3.DatabaseError, TypeError):
        return True
    try:
        with closing(_connect(path, "ro")) as together:
            ours = together.execute(f"{head} WHERE entry.seq = ?", (place,)).fetchone()
    except sqlite3.OperationalError:  # the files cannot be opened; whoever opens them is told why
        return True
    except sqlite3.DatabaseError:  # pages of two ledgers
        return False
    return bool(mine == ours)


def _head_of(alone: sqlite3.Connection) -> tuple[str, Any]:
    """Return what is selected of a head among all entries, and the head of a file."""
    try:
        mine = alone.execute("SELECT ledger, seq, hash FROM head").fetchone()
    except sqlite3.OperationalError:  # of format 1, which has no head
        last = alone.execute("SELECT '', seq, hash FROM entry ORDER BY seq DESC LIMIT 1")
        return "SELECT '', entry.seq, entry.hash FROM entry", last.fetchone()
    return "SELECT ledger, entry.seq, entry.hash FROM head, entry", mine


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True)


def copy_wal(connection: sqlite3.Connection) -> bool:
    """Copy the WAL file into the file itself, durably; False if a part could not be copied.

    A reader in the middle of an older state prevents it, and another process that copies.
    """
    busy, written, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return not busy and copied >= written


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
_open_files: set[OpenFile] = set()
_waiting = False  # whether a thread is about to fork
_process = os.getpid()


def use_sqlite(work: Callable[[], T]) -> T:
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


def _may_use_ledgers() -> bool:
    """Whether this process may use ledgers, and close the ledgers that it has open."""
    return os.getpid() == _process


def check_process() -> None:
    """Raise a LedgerError in a process that has a copy of its parent's open ledger."""
    if not _may_use_ledgers():
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
    for file in list(_open_files):
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
    if _mine.ready and not _open_files:
        _process = os.getpid()
    _after_fork()


if sys.platform != "win32":  # which has no fork
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
