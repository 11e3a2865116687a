# SPDX-License-Identifier: MIT
"""The file of a ledger: an SQLite database, which is read and written in transactions.

Transactions are durable by WAL and synchronous=FULL: https://www.sqlite.org/wal.html,
https://www.sqlite.org/pragma.html
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from cydp.accounting._errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
    LedgerSchemaError,
)
from cydp.accounting.ledger import _open_file, _path
from cydp.accounting.ledger._entries import Seen
from cydp.accounting.ledger._formats import bring_up_to_date, check_format
from cydp.accounting.ledger._open_file import OpenFile, identity_of, length_of
from cydp.accounting.ledger._rows import Rows, frozen_message
from cydp.accounting.ledger._sqlite_rows import SqliteRows

__all__ = ["FileStore"]

_TRY_SECONDS = 0.05  # how long one attempt waits for another process, and lets a fork wait
_PAUSE_SECONDS = 0.005  # between two attempts, so that other threads get the locks
_READERS_TRIES = 5  # at a file that seems to be damaged
_PRAGMAS: tuple[tuple[str, Any], ...] = (
    ("journal_mode", "wal"),
    ("synchronous", 2),
    ("fullfsync", 1),
    ("foreign_keys", 1),
)
# Errors that the system causes, and no damage; their messages are fixed texts.
_OF_THE_SYSTEM = (
    "SQLITE_AUTH", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_INTERRUPT", "SQLITE_IOERR",
    "SQLITE_NOLFS", "SQLITE_NOMEM", "SQLITE_PERM", "SQLITE_PROTOCOL", "SQLITE_READONLY",
)  # fmt: skip
_WRITE = "BEGIN IMMEDIATE"
_THAW = "BEGIN EXCLUSIVE"  # which nothing else begins with
T = TypeVar("T")


class FileStore:
    """A connection to a ledger's file. One thread uses it at a time, and no fork inherits it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._file: OpenFile | None = None
        self._lock = threading.RLock()
        self._busy = False
        self._read_only = read_only
        self._seen = Seen()
        self.frozen = False  # whether the last transaction found a frozen copy
        # SQLite names the WAL file after this path, which neither chdir nor another link changes.
        self.path = path.resolve()
        self.wal = f"{self.path}-wal"  # the file to which SQLite writes first

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> FileStore:
        """Open a file; a LedgerError if it is no ledger or was cut off."""
        try:
            found = path.is_file()
        except OSError as error:
            raise LedgerError(f"cannot open the ledger ({error.strerror}): {path}") from None
        if not found and os.path.isdir(path):
            raise LedgerError(f"path must be the file of a ledger, and {path} is a folder")
        if not found:
            raise LedgerError(
                f"there is no ledger at {path}: correct the path, or create a ledger there first"
            )
        store = cls(path, read_only=read_only)
        with store.closed_by_errors():
            store.read(lambda _: store._check_length())
        return store

    def _check_length(self) -> None:
        assert self._file is not None
        connection = self._file.connection
        assert connection is not None
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        # Pages that are in the WAL file may be missing in the file.
        if not length_of(self.wal) and os.stat(self.path).st_size < pages * size:
            raise LedgerCorruptError(f"the ledger is damaged: {self.path} has been cut off")

    @contextmanager
    def closed_by_errors(self) -> Iterator[None]:
        """Close the file if anything is raised: it would be open as long as the error is kept."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[Rows], T]) -> T:
        """Call a function in a transaction that sees one state of the file.

        The function may be called again if the ledger was opened read-only, and was charged while
        it was read.
        """
        tries = _READERS_TRIES if self._read_only else 0
        while True:
            try:
                return self._transaction("BEGIN", work)
            except LedgerCorruptError:
                # A user may have copied its WAL file meanwhile; what is damaged stays damaged.
                if not (tries := tries - 1) > 0:
                    raise
            time.sleep(_PAUSE_SECONDS)

    def write(self, work: Callable[[Rows], T]) -> T:
        """Call a function in the only transaction that writes; commit durably, or roll back."""
        if self._read_only:
            raise LedgerError(
                "the ledger was opened read-only, so that nothing can be charged or changed: open "
                "it without read_only"
            )
        return self._write(_WRITE, work)

    def thaw(self) -> None:
        """Let a frozen copy be written to."""
        self._write(_THAW, lambda rows: rows.thaw())

    def _write(self, begin: str, work: Callable[[Rows], T]) -> T:
        done = self._transaction(begin, work)
        self._retry(self._copy_wal)
        return done

    def _copy_wal(self) -> None:
        """Copy what was written into the file itself, so that it is whole without its WAL file.

        A process that does not close the ledger leaves its WAL file, and whoever moves or copies
        the ledger may leave that file behind.
        """
        with self._lock:
            self._check_free()
            try:
                file = self._file
                if file is None or file.connection is None:
                    file = self._open()  # a fork has closed it
                assert file.connection is not None
                if not _open_file.copy_wal(file.connection):
                    raise self._in_use()
            except sqlite3.DatabaseError as error:
                raise self.explain(error) from None

    # Functions are passed, instead of generators that are made context managers: a signal can
    # interrupt the entry of their `__exit__`, and the transaction and the locks would be held as
    # long as the exception is kept. The `__exit__` of a lock is in C, where no signal interrupts.
    def _transaction(self, begin: str, work: Callable[[Rows], T]) -> T:
        _open_file.check_process()
        called = False

        def once(rows: Rows) -> T:
            nonlocal called
            called = not self._read_only
            return work(rows)

        return self._retry(lambda: self._attempt(begin, once), lambda: not called)

    def _retry(self, work: Callable[[], T], again: Callable[[], bool] = lambda: True) -> T:
        """Call a function, and again while other processes use the ledger, and `again` allows."""
        end = time.monotonic() + _open_file.BUSY_SECONDS
        while True:
            try:
                return _open_file.use_sqlite(work)
            except LedgerBusyError:
                if not again() or time.monotonic() >= end:
                    raise
            time.sleep(_PAUSE_SECONDS)  # no lock is held, so that a fork need not wait for the end

    def _attempt(self, begin: str, work: Callable[[Rows], T]) -> T:
        with self._lock:
            self._check_free()
            before = self._busy
            try:
                self._busy = True
                return self._run_transaction(begin, work)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise self.explain(error) from None
            finally:
                self._busy = before
                if self._read_only and not before:
                    self._drop()  # the files may change before a reader's next use

    def _run_transaction(self, begin: str, work: Callable[[Rows], T]) -> T:
        file = self._file
        if file is None or file.connection is None:
            file = self._open()
        connection = file.connection
        assert connection is not None
        if connection.in_transaction:  # the end of the last one was interrupted
            connection.execute("ROLLBACK")
        rows = SqliteRows(connection)
        try:
            connection.execute(begin)
            self._check_files(file)
            self._check_entries(rows)
            self.frozen = rows.is_frozen
            if begin == _WRITE and self.frozen:
                raise LedgerError(frozen_message(self.path))
            done = work(rows)
            last = rows.last()
            connection.execute("COMMIT")
            self._check_files(file)
            self._seen.last = last
        except BaseException:
            if file.connection is not None and connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return done

    def _check_free(self) -> None:
        """Raise a LedgerError if this thread is in the middle of a transaction.

        A signal handler or a finalizer gets past a lock that its own thread holds.
        """
        connection = None if self._file is None else self._file.connection
        try:
            inside = connection is not None and connection.in_transaction
        except sqlite3.ProgrammingError:  # the connection is being closed
            inside = False
        if self._busy and inside:
            raise LedgerError(
                "the ledger is in use by this thread, which a signal handler or a finalizer has "
                "interrupted: use the ledger after the handler has returned"
            )

    def _open(self) -> OpenFile:
        _path.check_place(self.path)
        try:
            _path.wait_for_one_name(self.path)
            file = OpenFile(self.path)
        except OSError as error:
            raise LedgerError(f"cannot open the ledger ({error.strerror}): {self.path}") from None
        try:
            file.hold.take()
            if self._read_only:
                file.hold.share()
            self._connect(file)
        except BlockingIOError:
            file.close()
            raise self._in_use() from None
        except OSError as error:
            file.close()
            raise LedgerError(f"cannot open the ledger ({error.strerror}): {self.path}") from None
        except BaseException:
            file.close()
            raise
        self._file = file
        return file

    def _connect(self, file: OpenFile) -> None:
        # A reader without a WAL file needs no locks of SQLite, which need files beside the ledger:
        # no WAL file can appear and disappear while `share` holds. A reader with a WAL file needs
        # these locks, and their files are there.
        if length_of(self.wal):
            _open_file.check_wal(self.path)
        mode = "rw"
        if self._read_only:
            mode = "ro" if length_of(self.wal) else "ro&immutable=1"
        connection = file.connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}",
            uri=True,
            timeout=_TRY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        check_format(connection, self.path)
        for pragma, wanted in () if self._read_only else _PRAGMAS:
            connection.execute(f"PRAGMA {pragma} = {wanted}")
            if connection.execute(f"PRAGMA {pragma}").fetchone()[0] != wanted:
                raise LedgerError(
                    f"no ledger can be kept here: {pragma} cannot be {wanted}; use a disk of this "
                    "machine"
                )
        if not self._read_only:
            bring_up_to_date(connection)
        connection.execute("PRAGMA schema_version")  # it reads, and so makes the WAL file
        if not mode.endswith("immutable=1"):  # which takes no locks
            file.hold.check_locks()
        file.files = self._find_files()
        if not file.files:
            raise LedgerError(
                f"no ledger can be kept here: there is no {self.wal}; use a disk of this machine"
            )

    def _find_files(self) -> list[tuple[int, ...]]:
        """Return the identities of the files at the path; none if SQLite would miss a file."""
        try:
            file = os.stat(self.path)
            _path.check_links(self.path, file.st_nlink)
            if self._read_only and not length_of(self.wal):
                return [(file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns)]
            others = os.stat(self.wal), os.stat(f"{self.path}-shm")
        except OSError:
            return []
        return [(found.st_dev, found.st_ino) for found in (file, *others)]

    def _check_files(self, file: OpenFile) -> None:
        """Raise a LedgerError unless the open files are still the files at the path.

        A file can be replaced. Also, if the file is opened and closed in this process, be it to
        copy it, SQLite's locks on it are dropped, and other processes delete the WAL file as
        unused.
        """
        if file.files != self._find_files():
            self._drop()
            if self._read_only and file.files[0][:2] == identity_of(self.path):
                raise LedgerBusyError("the ledger was charged while it was read: read it again")
            raise LedgerError(
                f"{self.path} was replaced or removed while it was in use: open it again, and see "
                "whether it is the ledger that you mean"
            )

    def _check_entries(self, rows: Rows) -> None:
        """Raise a LedgerError unless this is the ledger that was seen before, and no older copy."""
        other = self._seen.compare(rows)
        if not other:
            return
        self._drop()  # SQLite would not notice that this file was written over
        if other == "another":
            raise LedgerError(
                f"another ledger was put at {self.path}: open it with BudgetLedger.open, if "
                "you mean the new ledger"
            )
        raise LedgerRollbackError(
            f"an older copy of the ledger was put at {self.path}: it does not have the entry "
            f"{self._seen.last[0]} it had; put the newest copy back"
        )

    def explain(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> LedgerError:
        """Return the LedgerError to raise for an error of SQLite."""
        if isinstance(error, UnicodeDecodeError):
            return LedgerCorruptError("the ledger is damaged: it holds text that is not UTF-8")
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._in_use()
        if name == "SQLITE_NOTADB":
            return LedgerSchemaError(
                f"{self.path} is no ledger: no BudgetLedger.create has made this file"
            )
        if name.startswith(_OF_THE_SYSTEM):
            return self._explain_system(error, name)
        # Of other errors SQLite's message may show text of the ledger, such as a damaged name.
        self._drop()
        return LedgerCorruptError(f"the ledger is damaged: SQLite reports {name or 'an error'}")

    def _explain_system(self, error: sqlite3.DatabaseError, name: str) -> LedgerError:
        """Return the LedgerError to raise for an error that the file did not cause."""
        more = ""
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            if not self._read_only:
                more = "; without permission to write to it, open it with read_only=True"
            elif length_of(self.wal) and not os.path.lexists(f"{self.path}-shm"):
                more = (
                    f"; {self.wal} holds charges, and SQLite reads them by {self.path}-shm, "
                    "which is not there and cannot be made: a user who may write to the "
                    "folder must open the ledger and close it"
                )
            elif name.startswith("SQLITE_READONLY"):  # a user has just made these files anew
                return self._in_use()
        return LedgerError(f"the ledger cannot be used: {error}{more}")

    def _in_use(self) -> LedgerBusyError:
        return LedgerBusyError(
            f"another process has used the ledger for {_open_file.BUSY_SECONDS} seconds: try again "
            "later"
        )

    def close(self) -> None:
        """Close the connection; the next use opens another one."""
        _open_file.use_sqlite(self._close)

    def _close(self) -> None:
        with self._lock:
            self._check_free()
            self._drop()

    def _drop(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        _open_file.use_sqlite(self._drop)
