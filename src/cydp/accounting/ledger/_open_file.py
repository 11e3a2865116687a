# SPDX-License-Identifier: MIT
"""A ledger's file while it is open, and how it is closed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from cydp.accounting.ledger import _forks, _path

__all__ = ["BUSY_SECONDS", "OpenFile", "identity_of", "length_of"]

BUSY_SECONDS = 30  # how long a use of the file waits for other processes
_NO_FILE = 0, 0


class OpenFile:
    """A connection to a ledger's file, and the hold by which users of other names are noticed."""

    def __init__(self, path: Path) -> None:
        self.connection: sqlite3.Connection | None = None  # None unless it is open
        self.hold = _path.Hold(path)
        self.files: list[tuple[int, ...]] = []  # the ledger, its WAL file and its shared memory
        self._path = path
        _forks.register(self)

    def close(self) -> None:
        """Close the file, but not in a cloned process, in which it is the file of the parent."""
        if not _forks.may_use_ledgers():
            return
        if self.connection is not None:
            if self._moved():
                self._empty_wal(self.connection)
            connection, self.connection = self.connection, None  # first: a signal may follow
            connection.close()
        # After the connection is closed: a descriptor that is closed drops the connection's locks.
        self.hold.release()
        _forks.unregister(self)

    def _moved(self) -> bool:
        """Whether the file was moved away from its WAL file, and nothing was put in its place."""
        now = [identity_of(f"{self._path}{suffix}") for suffix in ("", "-wal", "-shm")]
        return now == [_NO_FILE, *self.files[1:]]

    def _empty_wal(self, connection: sqlite3.Connection) -> None:
        """Copy charges from the WAL file, which SQLite does not do for a file that was moved."""
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
