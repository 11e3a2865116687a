# SPDX-License-Identifier: MIT
"""A ledger's file while it is open, and whether the WAL file beside it belongs to it.

SQLite lays the pages of any WAL file with valid checksums over the file of that name:
https://www.sqlite.org/howtocorrupt.html, 1.4. So the file of one ledger, moved to where users of
another one were killed, would become that other one.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from cydp.accounting._errors import LedgerError
from cydp.accounting.ledger import _forks, _path

__all__ = ["BUSY_SECONDS", "OpenFile", "check_wal", "copy_wal", "identity_of", "length_of"]


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
        _forks.register(self)

    def close(self) -> None:
        """Close the file. In a cloned process it is the parent's, and stays open."""
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
    with suppress(sqlite3.DatabaseError, TypeError):
        with closing(_open(path, "ro&immutable=1")) as alone:  # without the WAL file
            mine = alone.execute("SELECT ledger, seq, hash FROM head").fetchone()
        with closing(_open(path, "ro")) as together:
            ours = together.execute(
                "SELECT ledger, entry.seq, entry.hash FROM head, entry WHERE entry.seq = ?",
                (mine[1],),
            ).fetchone()
        return bool(mine == ours)
    return True


def _open(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True)


def copy_wal(connection: sqlite3.Connection) -> bool:
    """Copy the WAL file into the file itself, durably; False if a part could not be copied.

    A reader in the middle of an older state prevents it, and another process that copies.
    """
    busy, written, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return not busy and copied >= written
