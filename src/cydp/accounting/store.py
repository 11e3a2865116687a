# SPDX-License-Identifier: MIT
"""The file of a ledger: an SQLite database whose entries are chained by hashes.

Durable by WAL and synchronous=FULL: https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html
"""

import hashlib
import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
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
_SCHEMA = """
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
CREATE TRIGGER no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_budget BEFORE UPDATE OF id, budget ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_blocks BEFORE DELETE ON block BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER once BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER for_ever BEFORE DELETE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""

Entry = dict[str, Any]


class Store:
    """One connection, which one thread uses at a time, and no fork inherits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = os.getpid()
        _stores.add(self)

    @classmethod
    def create(cls, path: Path) -> "Store":
        """Make the file, which must not exist, and its tables."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise LedgerError(f"a file is there already: {path}") from None
        except OSError as error:
            raise LedgerError(f"no ledger can be made at {path}: {error.strerror}") from None
        store = cls(path)
        with store._errors():
            connection = store._connect()
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.executescript(_SCHEMA)
        return store

    @classmethod
    def open(cls, path: Path) -> "Store":
        """Open a file, and see that it is a ledger and whole."""
        if not path.is_file():
            raise LedgerError(f"there is no ledger at {path}")
        with path.open("rb") as file:
            head = file.read(100)
        if len(head) < 100 or head[:16] != b"SQLite format 3\0":
            raise LedgerSchemaError(f"{path} is no ledger")
        page = int.from_bytes(head[16:18], "big")
        pages = int.from_bytes(head[28:32], "big")
        if path.stat().st_size < (65536 if page == 1 else page) * pages:
            raise LedgerCorruptError(f"{path} has been cut off")
        store = cls(path)
        with store.reading() as rows:
            kind = rows.execute("PRAGMA application_id").fetchone()[0]
            version = rows.execute("PRAGMA user_version").fetchone()[0]
        if kind != APPLICATION_ID or version != VERSION:
            store.close()
            raise LedgerSchemaError(f"{path} is no ledger that this version of cydp can read")
        return store

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
        with self._lock:
            if os.getpid() != self._pid:
                raise LedgerError(
                    "a process that was cloned without fork must open the ledger anew"
                )
            with self._errors():
                connection = self._connection or self._connect()
                connection.execute(begin)
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS,
            isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        self._connection = connection
        for pragma, wanted in (("journal_mode = WAL", "wal"), ("synchronous = FULL", None),
                               ("fullfsync = ON", None), ("foreign_keys = ON", None)):  # fmt: skip
            found = connection.execute(f"PRAGMA {pragma}").fetchone()
            if wanted is not None and found[0] != wanted:
                self.close()
                raise LedgerError("the file system cannot keep a ledger: it has no WAL mode")
        if connection.execute("PRAGMA synchronous").fetchone()[0] != 2:
            self.close()
            raise LedgerError("this SQLite does not write durably")
        return connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise LedgerBusyError(f"the ledger was in use for {BUSY_SECONDS} seconds") from None
            raise LedgerError(f"the ledger cannot be used: {error}") from None
        except sqlite3.DatabaseError as error:
            self.close()
            raise LedgerCorruptError(f"the ledger is damaged: {error}") from None

    def close(self) -> None:
        """Close the connection; the next use opens another one."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def before_fork(self) -> None:
        """Leave nothing that a child could inherit: SQLite's locks are a process's own."""
        self._lock.acquire()
        self.close()

    def after_fork(self) -> None:
        """Be of this process again."""
        self._pid = os.getpid()
        self._lock.release()


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
    return hashlib.sha256(json.dumps([previous, seq, charge_id, body]).encode()).hexdigest()


_stores: "weakref.WeakSet[Store]" = weakref.WeakSet()
_held = threading.local()  # two threads may fork at once


def _before_fork() -> None:
    _held.stores = list(_stores)
    for store in _held.stores:
        store.before_fork()


def _after_fork() -> None:
    for store in reversed(_held.stores):
        store.after_fork()
    _held.stores = []


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
