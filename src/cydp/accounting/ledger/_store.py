# SPDX-License-Identifier: MIT
"""The file of a ledger: an SQLite database whose entries are chained by hashes.

Durable by WAL and synchronous=FULL: https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from cydp.accounting._errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
    LedgerSchemaError,
)
from cydp.accounting.ledger import _forks, _path

__all__ = ["BUSY_SECONDS", "Entry", "Store", "append", "entries", "head", "path_of"]

APPLICATION_ID = 0x63796470  # "cydp"
VERSION = 1
BUSY_SECONDS = 30
_TRY_SECONDS = 0.05  # how long one try waits for another process, and lets a fork wait
_PAUSE_SECONDS = 0.005  # between two tries, so that other threads get the locks
_PRAGMAS: tuple[tuple[str, Any], ...] = (
    ("journal_mode", "wal"), ("synchronous", 2), ("fullfsync", 1), ("foreign_keys", 1)
)  # fmt: skip
_SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
CREATE TRIGGER no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER no_replace BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE seq = new.seq OR charge_id = new.charge_id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_budget BEFORE UPDATE OF id, budget ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER never_again BEFORE UPDATE OF retired ON block WHEN new.retired < old.retired
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER other_block BEFORE INSERT ON block
    WHEN EXISTS (SELECT 1 FROM block WHERE id = new.id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_blocks BEFORE DELETE ON block BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER other_outcome BEFORE INSERT ON outcome
    WHEN EXISTS (SELECT 1 FROM outcome WHERE charge_id = new.charge_id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER once BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER for_ever BEFORE DELETE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
COMMIT;
"""

Entry = dict[str, Any]
T = TypeVar("T")
_NONE = 0, 0


class _Opened:
    """A connection, and the hold on its file that the users of other names notice."""

    def __init__(self, path: Path) -> None:
        self.connection: sqlite3.Connection | None = None  # none before it is open and afterwards
        self.hold = _path.Hold(path)
        self.files: list[tuple[int, ...]] = []  # the ledger, its WAL file and its shared memory
        self._path = path
        _forks.opened(self)

    def close(self) -> None:
        """Close the file; not what a clone has of its parent's."""
        if not _forks.own():
            return
        if self.connection is not None:
            if self._moved():
                self._empty_wal(self.connection)
            connection, self.connection = self.connection, None  # first: a signal may follow
            connection.close()
        self.hold.release()  # closes a descriptor: after the connection, whose locks it drops
        _forks.closed(self)

    def _moved(self) -> bool:
        """Whether the file was moved away from its WAL file, and nothing was put in its place."""
        now = [_identity(f"{self._path}{suffix}") for suffix in ("", "-wal", "-shm")]
        return now == [_NONE, *self.files[1:]]

    def _empty_wal(self, connection: sqlite3.Connection) -> None:
        """Copy what was charged from the WAL file, since SQLite does not for a file that moved."""
        with suppress(sqlite3.DatabaseError):  # then it stays where it is
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _identity(path: str | Path) -> tuple[int, int]:
    """Return device and inode of a file, or _NONE."""
    try:
        found = os.stat(path)
    except OSError:
        return _NONE
    return found.st_dev, found.st_ino


class Store:
    """One connection, which one thread uses at a time, and no fork inherits."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._opened: _Opened | None = None
        self._lock = threading.RLock()
        self._busy = False
        self._read_only = read_only
        self._first = ""  # the hash of the first entry, as soon as it was seen
        self._last = 0, ""  # place and hash of the last entry that was seen
        # As SQLite names the WAL file; and neither chdir nor another link leads to another file.
        self.path = path.resolve()

    @classmethod
    def create(cls, path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
        """Let a function write a new file: at the end it is there, whole, or not at all.

        It is made in a folder of its own beside the path, and linked to the path when it is closed.
        """
        for suffix in ("", "-journal", "-wal", "-shm"):  # what SQLite would take for the ledger's
            if os.path.lexists(f"{path}{suffix}"):
                raise LedgerError(_told_taken(path, suffix))
        _path.check(path.resolve())
        with _explained(path):
            folder = Path(tempfile.mkdtemp(prefix=".ledger-", dir=path.parent))
        draft = cls(folder / "ledger")
        try:
            with _explained(path):
                _forks.check_process()
                _forks.use(draft._make)
            written = draft.write(work)
            draft.close()
            if os.path.lexists(draft.wal):
                raise LedgerError(f"no ledger can be made at {path}: what was written is not whole")
            with _explained(path, "; its file system must have hard links"):
                os.link(draft.path, path)
            os.unlink(draft.path)  # a file with two names is refused
        finally:
            draft.close()
            shutil.rmtree(folder, ignore_errors=True)
        with _explained(path):
            descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        return written

    def _make(self) -> None:
        os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            connection = sqlite3.connect(self.path)
            try:
                connection.executescript(_SCHEMA)
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            raise self._told(error) from None

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Store:
        """Open a file, and see that it is a ledger and not cut off."""
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
            store.read(store._check_length)
        return store

    def _check_length(self, connection: sqlite3.Connection) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        # While the WAL holds pages, the file may lack them.
        if not _length(self.wal) and os.stat(self.path).st_size < pages * size:
            raise LedgerCorruptError(f"the ledger is damaged: {self.path} has been cut off")

    @property
    def wal(self) -> str:
        """The file to which SQLite writes first."""
        return f"{self.path}-wal"

    @contextmanager
    def closed_by_errors(self) -> Iterator[None]:
        """Close the file if anything is raised; it would be open as long as the error is held."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Call a function with a connection that sees one state of the file.

        It may be called again if the ledger, opened read-only, was charged while it was read.
        """
        return self._transaction("BEGIN", work)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Call a function with the only connection that writes; commit durably, or nothing."""
        if self._read_only:
            raise LedgerError(
                "the ledger was opened read-only, so that nothing can be charged or changed: open "
                "it without read_only"
            )
        return self._transaction("BEGIN IMMEDIATE", work)

    # Functions are passed, and no generators are made context managers: a signal can interrupt the
    # entry of their `__exit__`, and the transaction and the locks would be held as long as somebody
    # keeps the exception. The locks' own `__exit__` is in C, where no signal interrupts.
    def _transaction(self, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
        _forks.check_process()
        end = time.monotonic() + BUSY_SECONDS
        called = False

        def once(connection: sqlite3.Connection) -> T:
            nonlocal called
            called = not self._read_only
            return work(connection)

        while True:
            try:
                return _forks.use(lambda: self._attempt(begin, once))
            except LedgerBusyError:
                if called or time.monotonic() >= end:
                    raise
            time.sleep(_PAUSE_SECONDS)  # without a lock, so that a fork need not wait for the end

    def _attempt(self, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            self._check_free()
            before = self._busy
            try:
                self._busy = True
                return self._as_expected(begin, work)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise self._told(error) from None
            finally:
                self._busy = before
                if self._read_only and not before:
                    self._drop()  # a reader need not notice what becomes of the files in between

    def _as_expected(self, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
        opened = self._opened
        if opened is None or opened.connection is None:
            opened = self._open()
        connection = opened.connection
        assert connection is not None
        if connection.in_transaction:  # whose end was interrupted
            connection.execute("ROLLBACK")
        try:
            connection.execute(begin)
            self._check_files(opened)
            self._check_entries(connection)
            done = work(connection)
            last = head(connection)
            connection.execute("COMMIT")
            self._check_files(opened)
            self._last = last
        except BaseException:
            if opened.connection is not None and connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return done

    def _check_free(self) -> None:
        """Raise a LedgerError if this thread is in the middle of a transaction.

        A signal handler or a finalizer gets past a lock that its own thread holds.
        """
        connection = None if self._opened is None else self._opened.connection
        try:
            inside = connection is not None and connection.in_transaction
        except sqlite3.ProgrammingError:  # it is being closed
            inside = False
        if self._busy and inside:
            raise LedgerError(
                "the ledger is in use by this thread, which a signal handler or a finalizer has "
                "interrupted: use the ledger after the handler has returned"
            )

    def _open(self) -> _Opened:
        _path.check(self.path)
        try:
            _path.wait_for_one_name(self.path)
            opened = _Opened(self.path)
        except OSError as error:
            raise LedgerError(f"cannot open the ledger ({error.strerror}): {self.path}") from None
        try:
            opened.hold.take()
            if self._read_only:
                opened.hold.share()
            self._connect(opened)
        except BlockingIOError:
            opened.close()
            raise self._in_use() from None
        except OSError as error:
            opened.close()
            raise LedgerError(f"cannot open the ledger ({error.strerror}): {self.path}") from None
        except BaseException:
            opened.close()
            raise
        self._opened = opened
        return opened

    def _connect(self, opened: _Opened) -> None:
        # Without a WAL file, which cannot appear and disappear while `share` holds, a reader needs
        # no locks, which need files beside the ledger. With one, it needs them, and they are there.
        mode = "rw"
        if self._read_only:
            mode = "ro" if _length(self.wal) else "ro&immutable=1"
        connection = opened.connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}", uri=True, timeout=_TRY_SECONDS,
            isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        kind = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (kind, version) != (APPLICATION_ID, VERSION):
            raise LedgerSchemaError(
                f"{self.path} is no ledger that this version of cydp can read: it was made by "
                "another version, or by another program"
            )
        for pragma, wanted in () if self._read_only else _PRAGMAS:
            connection.execute(f"PRAGMA {pragma} = {wanted}")
            if connection.execute(f"PRAGMA {pragma}").fetchone()[0] != wanted:
                raise LedgerError(
                    f"no ledger can be kept here: {pragma} cannot be {wanted}; use a disk of this "
                    "machine"
                )
        connection.execute("PRAGMA schema_version")  # reads, so that there is a WAL file
        opened.files = self._found()
        if not opened.files:
            raise LedgerError(
                f"no ledger can be kept here: there is no {self.wal}; use a disk of this machine"
            )

    def _found(self) -> list[tuple[int, ...]]:
        """Return what is at the path: no file that SQLite needs is missing, or nothing is."""
        try:
            file = os.stat(self.path)
            _path.check_links(self.path, file.st_nlink)
            if self._read_only and not _length(self.wal):
                return [(file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns)]
            both = os.stat(self.wal), os.stat(f"{self.path}-shm")
        except OSError:
            return []
        return [(found.st_dev, found.st_ino) for found in (file, *both)]

    def _check_files(self, opened: _Opened) -> None:
        """Raise a LedgerError unless what is open is what others find by the path.

        A file can be replaced; and whoever opens and closes the file in this process, be it to
        copy it, drops SQLite's locks on it, and other processes delete the WAL file as unused.
        """
        if opened.files != self._found():
            self._drop()
            if self._read_only and opened.files[0][:2] == _identity(self.path):
                raise LedgerBusyError("the ledger was charged while it was read: read it again")
            raise LedgerError(
                f"{self.path} was replaced or removed while it was in use: open it again, and see "
                "whether it is the ledger that you mean"
            )

    def _check_entries(self, connection: sqlite3.Connection) -> None:
        """Raise a LedgerError unless this is the ledger that was seen before, and no older."""
        seq, digest = self._last
        if seq == 0:
            self._first = _hash_at(connection, 1)
        elif _hash_at(connection, seq) != digest:
            another = _hash_at(connection, 1) != self._first
            self._drop()  # SQLite would not notice if this file was written over
            if another:
                raise LedgerError(
                    f"another ledger was put at {self.path}: open it with BudgetLedger.open, if "
                    "you mean that one"
                )
            raise LedgerRollbackError(
                f"an older copy of the ledger was put at {self.path}: it does not have the entry "
                f"{seq} it had; put the newest copy back"
            )

    def _told(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> LedgerError:
        """Return what is raised for an error of SQLite."""
        if isinstance(error, UnicodeDecodeError):
            return LedgerCorruptError("the ledger is damaged: it holds text that is not UTF-8")
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._in_use()
        if name == "SQLITE_NOTADB":
            return LedgerSchemaError(
                f"{self.path} is no ledger: no BudgetLedger.create has made this file"
            )
        damaged = str(error).startswith("no such table")
        if isinstance(error, sqlite3.OperationalError) and not damaged:
            more = ""
            if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
                if not self._read_only:
                    more = "; without permission to write to it, open it with read_only=True"
                elif _length(self.wal) and not os.path.lexists(f"{self.path}-shm"):
                    more = (
                        f"; {self.wal} holds charges, and SQLite reads them by {self.path}-shm, "
                        "which is not there and cannot be made: somebody who may write to the "
                        "folder must open the ledger and close it"
                    )
            return LedgerError(f"the ledger cannot be used: {error}{more}")
        self._drop()
        return LedgerCorruptError(f"the ledger is damaged: {error}")

    def _in_use(self) -> LedgerBusyError:
        return LedgerBusyError(
            f"another process has used the ledger for {BUSY_SECONDS} seconds: try again later"
        )

    def close(self) -> None:
        """Close the connection; the next use opens another one."""
        _forks.use(self._close)

    def _close(self) -> None:
        with self._lock:
            self._check_free()
            self._drop()

    def _drop(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __del__(self) -> None:
        _forks.use(self._drop)


def _told_taken(path: Path, suffix: str = "") -> str:
    """Return the message for a new ledger where something is already."""
    if os.path.isdir(f"{path}{suffix}"):
        return f"path must be that of a new file, and {path}{suffix} is a folder already"
    if suffix:
        return (
            "a file is there already that SQLite would take for a part of the ledger: "
            f"{path}{suffix}; choose another path"
        )
    return f"{path} exists already: open a ledger with BudgetLedger.open, or choose another path"


def _length(path: str) -> int:
    """Return the length of a file, 0 for one that is not there."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


@contextmanager
def _explained(path: Path, needed: str = "") -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise LedgerError(_told_taken(path)) from None
    except FileNotFoundError:
        raise LedgerError(
            f"no ledger can be made at {path}: its folder does not exist; make the folder first"
        ) from None
    except OSError as error:
        raise LedgerError(f"no ledger can be made at {path}: {error.strerror}{needed}") from None


def path_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file; TypeError or ValueError for anything else."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise TypeError(f"path must be text or a path, not {type(text).__name__}")
    if text in ("", ":memory:") or text.startswith("file:"):
        raise ValueError(f"path must be that of a file on a disk, not {text[:40]!r}")
    return Path(text)


def append(connection: sqlite3.Connection, entry: Entry, charge_id: str | None = None) -> Entry:
    """Write an entry behind the last one, and return it with its place and hash."""
    seq, last = head(connection)
    body = json.dumps(entry, sort_keys=True)
    digest = hash_of(last, seq + 1, charge_id, body)
    connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?)", (seq + 1, charge_id, body, digest))
    return {**entry, "seq": seq + 1, "charge_id": charge_id, "hash": digest}


def head(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return place and hash of the last entry."""
    row = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    return (0, "") if row is None else (row[0], row[1])


def _hash_at(connection: sqlite3.Connection, seq: int) -> str:
    """Return the hash of an entry, "" if there is none."""
    row = connection.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
    return "" if row is None else str(row[0])


def entries(connection: sqlite3.Connection) -> Generator[Entry, None, None]:
    """Yield all entries, whose chain of hashes is checked; to be closed inside the transaction."""
    last = ""
    rows = connection.execute("SELECT seq, charge_id, body, hash FROM entry ORDER BY seq")
    try:
        for expected, (seq, charge_id, body, digest) in enumerate(rows, 1):
            if seq != expected or digest != hash_of(last, seq, charge_id, body):
                raise LedgerCorruptError(
                    f"the ledger is damaged: entry {expected} is not what was written"
                )
            last = digest
            yield {**json.loads(body), "seq": seq, "charge_id": charge_id, "hash": digest}
    finally:  # as long as a SELECT has not ended, its transaction has not, even by a ROLLBACK
        rows.close()


def hash_of(previous: str, seq: int, charge_id: str | None, body: str) -> str:
    """Return the hash of an entry and all before it."""
    # By repr what a damaged file gives for text, such as bytes.
    text = json.dumps([previous, seq, charge_id, body], default=repr)
    return hashlib.sha256(text.encode()).hexdigest()
