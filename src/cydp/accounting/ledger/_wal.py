# SPDX-License-Identifier: MIT
"""A ledger's file and the WAL file beside it: that they belong together, and what both hold.

SQLite lays the pages of any WAL file with valid checksums over the file of that name:
https://www.sqlite.org/howtocorrupt.html, 1.4. So the file of one ledger, moved to where users of
another one were killed, would become that other one.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from cydp.accounting._errors import LedgerError

__all__ = ["check_wal", "copy_wal"]

_SETTLED = 1.0  # seconds; another process may be copying pages into the file while it is read
_PAUSE_SECONDS = 0.005


def check_wal(path: Path) -> None:
    """Raise a LedgerError if the WAL file beside a ledger is that of another ledger.

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
    """Whether the head in the file itself is in the history that file and WAL file have together.

    A crash in the middle of a copy leaves a file that cannot be read by itself, and a WAL file that
    makes up for it: then nothing can be told.
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
    """Copy what was written from the WAL file to the file itself, durably; False if not all was.

    A reader that is in the middle of an older state, or another process that copies, prevents it.
    """
    busy, written, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return not busy and copied >= written
