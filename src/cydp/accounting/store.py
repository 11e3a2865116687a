# SPDX-License-Identifier: MIT
"""The file of a ledger: an SQLite database whose entries are chained by hashes.

Durable by WAL and synchronous=FULL: https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html
"""

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cydp.accounting.errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerSchemaError,
)

APPLICATION_ID = 0x63796470  # "cydp"
VERSION = 1
BUSY_SECONDS = 30
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


class Store:
    """One connection, which one thread uses at a time, and no fork inherits."""

    def __init__(self, path: Path) -> None:
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()
        self._busy = False
        self._files: list[tuple[int, int]] = []
        # As SQLite names the WAL file; and neither chdir nor another link leads to another file.
        self.path = path.resolve()
        _stores.add(self)

    @classmethod
    @contextmanager
    def creating(cls, path: Path) -> Iterator[sqlite3.Connection]:
        """Give a connection that writes a new file: at the end it is there, whole, or not at all.

        It is made in a folder of its own beside the path, and linked to the path when it is closed.
        """
        for suffix in ("", "-journal", "-wal", "-shm"):  # what SQLite would take for the ledger's
            if os.path.lexists(f"{path}{suffix}"):
                raise LedgerError(f"a file is there already: {path}{suffix}")
        with _explained(path):
            folder = Path(tempfile.mkdtemp(prefix=".ledger-", dir=path.parent))
        draft = cls(folder / "ledger")
        try:
            with _explained(path), draft._lock, draft._errors():  # the lock lets a fork wait
                os.close(os.open(draft.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                with closing(sqlite3.connect(draft.path)) as connection:
                    connection.executescript(_SCHEMA)
            with draft.writing() as connection:
                yield connection
            draft.close()
            if os.path.lexists(draft.wal):
                raise LedgerError(f"no ledger can be made at {path}: what was written is not whole")
            with _explained(path, "; its file system must have hard links"):
                os.link(draft.path, path)
        finally:
            draft.close()
            shutil.rmtree(folder, ignore_errors=True)
        with _explained(path):
            descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    @classmethod
    def open(cls, path: Path) -> "Store":
        """Open a file, and see that it is a ledger and not cut off."""
        try:
            found = path.is_file()
        except OSError as error:
            raise LedgerError(f"cannot open the ledger ({error.strerror}): {path}") from None
        if not found:
            raise LedgerError(f"there is no ledger at {path}")
        store = cls(path)
        with store.closed_by_errors(), store.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            size = connection.execute("PRAGMA page_size").fetchone()[0]
            # While the WAL holds pages, the file may lack them.
            if os.stat(store.wal).st_size == 0 and os.stat(store.path).st_size < pages * size:
                raise LedgerCorruptError(f"{path} has been cut off")
        return store

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

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one state of the file."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that alone writes; committed durably at the end, or not at all."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        if os.getpid() != _process:
            raise LedgerError("a process that was cloned without fork can use no ledger")
        with self._lock, self._errors():
            self._check_free()
            before, self._busy = self._busy, True
            try:
                connection = self._connection or self._connect()
                if connection.in_transaction:  # whose end was interrupted
                    connection.execute("ROLLBACK")
                try:
                    connection.execute(begin)
                    self._check_files()
                    yield connection
                    connection.execute("COMMIT")
                    self._check_files()
                except BaseException:
                    if connection is self._connection and connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            finally:
                self._busy = before

    def _check_free(self) -> None:
        """Raise a LedgerError if this thread is in the middle of a transaction.

        A signal handler or a finalizer gets past a lock that its own thread holds.
        """
        try:
            inside = self._connection is not None and self._connection.in_transaction
        except sqlite3.ProgrammingError:  # it is being closed
            inside = False
        if self._busy and inside:
            raise LedgerError("the ledger is in use by this thread, which was interrupted")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS,
            isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        try:
            kind = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if (kind, version) != (APPLICATION_ID, VERSION):
                raise LedgerSchemaError(
                    f"{self.path} is no ledger that this version of cydp can read"
                )
            for pragma, wanted in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma} = {wanted}")
                if connection.execute(f"PRAGMA {pragma}").fetchone()[0] != wanted:
                    raise LedgerError(f"no ledger can be kept here: {pragma} cannot be {wanted}")
            connection.execute("PRAGMA schema_version")  # reads, so that there is a WAL file
            self._files = self._found()
            if not self._files:
                raise LedgerError(f"no ledger can be kept here: there is no {self.wal}")
            self._connection = connection
        except BaseException:
            connection.close()
            raise
        return connection

    def _found(self) -> list[tuple[int, int]]:
        try:
            both = os.stat(self.path), os.stat(self.wal)
        except OSError:
            return []
        return [(found.st_dev, found.st_ino) for found in both]

    def _check_files(self) -> None:
        """Raise a LedgerError unless what is open is what others find by the path.

        A file can be replaced; and whoever opens and closes the file in this process, be it to
        copy it, drops SQLite's locks on it, and other processes delete the WAL file as unused.
        """
        if self._files != self._found():
            self._drop()
            raise LedgerError(f"{self.path} was replaced or removed while it was in use")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise LedgerBusyError(f"the ledger was in use for {BUSY_SECONDS} seconds") from None
            if name == "SQLITE_NOTADB":
                raise LedgerSchemaError(f"{self.path} is no ledger") from None
            if isinstance(error, sqlite3.OperationalError):
                raise LedgerError(f"the ledger cannot be used: {error}") from None
            self._drop()
            raise LedgerCorruptError(f"the ledger is damaged: {error}") from None
        except UnicodeDecodeError:
            raise LedgerCorruptError("the ledger is damaged: it has text that is none") from None

    def close(self) -> None:
        """Close the connection; the next use opens another one."""
        with self._lock:
            self._check_free()
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self._drop()


@contextmanager
def _explained(path: Path, needed: str = "") -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise LedgerError(f"a file is there already: {path}") from None
    except OSError as error:
        raise LedgerError(f"no ledger can be made at {path}: {error.strerror}{needed}") from None


def path_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file; TypeError or ValueError for what SQLite has as none."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"path must be text, not {type(text).__name__}")
    if text in ("", ":memory:") or text.startswith("file:"):
        raise ValueError(f"path must be that of a file, not {text!r}")
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


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Yield all entries, whose chain of hashes is checked."""
    last = ""
    rows = connection.execute("SELECT seq, charge_id, body, hash FROM entry ORDER BY seq")
    for expected, (seq, charge_id, body, digest) in enumerate(rows, 1):
        if seq != expected or digest != hash_of(last, seq, charge_id, body):
            raise LedgerCorruptError(f"entry {expected} of the ledger is not what was written")
        last = digest
        yield {**json.loads(body), "seq": seq, "charge_id": charge_id, "hash": digest}


def hash_of(previous: str, seq: int, charge_id: str | None, body: str) -> str:
    """Return the hash of an entry and all before it."""
    # By repr what a damaged file gives for text, such as bytes.
    text = json.dumps([previous, seq, charge_id, body], default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


_stores: "weakref.WeakSet[Store]" = weakref.WeakSet()
_held = threading.local()  # two threads may fork at once
_process = os.getpid()


def _before_fork() -> None:
    """Leave nothing that a child could inherit: SQLite's locks are a process's own."""
    _held.stores = []
    for store in sorted(_stores, key=id):  # one order for all threads
        store._lock.acquire()
        _held.stores.append(store)
        store.close()


def _after_fork() -> None:
    for store in _held.stores:
        store._lock.release()
    _held.stores = []


def _after_fork_in_child() -> None:
    global _process
    _after_fork()
    # Python forks although a signal has interrupted the handler above.
    if all(store._connection is None for store in _stores):
        _process = os.getpid()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
)
