# SPDX-License-Identifier: MIT
"""How the file of a new ledger is made: it is there at the end, complete, or it is not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from cydp.accounting._errors import LedgerError
from cydp.accounting.ledger import _open_file, _path
from cydp.accounting.ledger._entries import SCHEMA
from cydp.accounting.ledger._store import Store

__all__ = ["create_file"]

T = TypeVar("T")


def create_file(path: Path, write: Callable[[sqlite3.Connection], T]) -> T:
    """Make a new file, let a function write into it, and return the function's result.

    The file is made in a folder of its own beside the path. It is linked to the path when it is
    complete and closed.
    """
    for suffix in ("", "-journal", "-wal", "-shm"):  # SQLite takes all of these for the ledger's
        if os.path.lexists(f"{path}{suffix}"):
            raise LedgerError(_taken_message(path, suffix))
    _path.check_place(path.resolve())
    _path.check_length(path.resolve())
    with _explain_os_errors(path):
        folder = Path(tempfile.mkdtemp(prefix=".ledger-", dir=path.parent))
    draft = Store(folder / "ledger")
    try:
        with _explain_os_errors(path):
            _open_file.check_process()
            _open_file.use_sqlite(lambda: _make_tables(draft))
        result = draft.write(write)
        draft.close()
        if os.path.lexists(draft.wal):
            raise LedgerError(f"no ledger can be made at {path}: what was written is not whole")
        with _explain_os_errors(path, "; its file system must have hard links"):
            os.link(draft.path, path)
        os.unlink(draft.path)  # a file with two names is refused
    finally:
        draft.close()
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform != "win32":  # which opens no folders
        with _explain_os_errors(path):
            descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    return result


def _make_tables(draft: Store) -> None:
    os.close(os.open(draft.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        connection = sqlite3.connect(draft.path)
        try:
            connection.executescript(SCHEMA)
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise draft.explain(error) from None


def _taken_message(path: Path, suffix: str = "") -> str:
    """Return the message for a new ledger at a path at which there is something already."""
    if os.path.isdir(f"{path}{suffix}"):
        return f"path must be that of a new file, and {path}{suffix} is a folder already"
    if suffix:
        return (
            "a file is there already that SQLite would take for a part of the ledger: "
            f"{path}{suffix}; choose another path"
        )
    return f"{path} exists already: open a ledger with BudgetLedger.open, or choose another path"


@contextmanager
def _explain_os_errors(path: Path, needed: str = "") -> Iterator[None]:
    """Raise a LedgerError for an OSError, and say what the file system needs."""
    try:
        yield
    except FileExistsError:
        raise LedgerError(_taken_message(path)) from None
    except FileNotFoundError:
        raise LedgerError(
            f"no ledger can be made at {path}: its folder does not exist; make the folder first"
        ) from None
    except OSError as error:
        raise LedgerError(f"no ledger can be made at {path}: {error.strerror}{needed}") from None
