# SPDX-License-Identifier: MIT
"""A ledger on a PostgreSQL server, which processes on several machines may charge.

A charge locks the row of its ledger, so that charges come one after the other. What a COMMIT has
done that nobody answered is looked up on the next connection, once the server has let go of the
row. docs/accounting/ledger.md, "On a PostgreSQL server".
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from cydp._extras import import_extra
from cydp.accounting._errors import (
    ChargeInDoubtError,
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
    LedgerSchemaError,
)
from cydp.accounting.ledger._address import place_of, read_address
from cydp.accounting.ledger._entries import Seen
from cydp.accounting.ledger._postgres_rows import (
    FIND,
    LOCK,
    ONE_AFTER_ANOTHER,
    SCHEMA,
    VERSION,
    PostgresRows,
)
from cydp.accounting.ledger._rows import Rows, advice, frozen_message

__all__ = ["PostgresStore"]

T = TypeVar("T")

BUSY_SECONDS = 30  # how long a charge waits for others, and for a server that is away
_PAUSE_SECONDS = 0.1  # between two attempts to connect
_CONNECTION = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds that a sent COMMIT may stay unconfirmed
    "application_name": "cydp",
    "client_encoding": "utf8",
}
_MUST_BE_ON = ("fsync", "full_page_writes")
_CAUSES = {  # words of libpq and the server, and ours
    "password authentication failed": "the password is wrong, or the user is unknown",
    "no password supplied": "the server asks for a password",
    "does not exist": "the database or the user does not exist",
    "Connection refused": "no server answers at that host and port",
    "could not translate host name": "the host is unknown",
    "timeout expired": "the server did not answer in time",
    "pg_hba.conf": "the server does not let this user connect from here",
}
_TO_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
# What is read after the lock is what was there then, whatever is the default of the database.
_TO_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_TIMEOUTS = ("lock_timeout", "idle_in_transaction_session_timeout")
_of_parents: list[Any] = []  # connections that a fork has inherited, and never closes


class PostgresStore:
    """A connection to a ledger on a server. One thread uses it at a time."""

    def __init__(self, address: str, *, read_only: bool = False) -> None:
        self._address, self._name = read_address(address)
        self.place = place_of(self._address, self._name)
        self._read_only = read_only
        self._lock = threading.RLock()
        self._busy = False
        self._connection: Any = None
        self._process = os.getpid()
        self._seen = Seen()
        self._to_write = _TO_WRITE
        self.frozen = False  # whether the last transaction found a frozen copy
        self._doubt: tuple[int, str] | None = None  # the head that an unanswered COMMIT has written
        self._library = import_extra("psycopg", "a ledger on a PostgreSQL server")

    @classmethod
    def open(cls, address: str, *, read_only: bool = False) -> PostgresStore:
        """Open a ledger; a LedgerError if there is none, or if the server may lose charges."""
        store = cls(address, read_only=read_only)
        with store.closed_by_errors():
            store.read(lambda rows: None)
        return store

    @classmethod
    def create(cls, address: str, write: Callable[[Rows], T], *, or_open: bool) -> T:
        """Make a ledger, and return what a function returns that writes it.

        If there is one already, the error advises to open it with `or_open`.
        """
        store = cls(address)
        try:
            return store._use(lambda: store._create(write, or_open=or_open))
        finally:
            store.close()

    @contextmanager
    def closed_by_errors(self) -> Iterator[None]:
        """Close the connection if anything is raised."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[Rows], T]) -> T:
        """Call a function in a transaction that sees one state of the ledger."""
        return self._use(lambda: self._read(work))

    def write(self, work: Callable[[Rows], T]) -> T:
        """Call a function in the only transaction that writes; commit durably, or roll back."""
        if self._read_only:
            raise LedgerError(
                "the ledger was opened read-only, so that nothing can be charged or changed: open "
                "it without read_only"
            )
        return self._use(lambda: self._write(work))

    def thaw(self) -> None:
        """Let a frozen copy be written to."""
        self._use(lambda: self._write(lambda rows: rows.thaw(), thaws=True))

    def close(self) -> None:
        """Close the connection; the next use opens another one."""
        with self._lock:
            self._drop()

    def _use(self, work: Callable[[], T]) -> T:
        if self._process != os.getpid():
            self._leave_to_parent()
        with self._lock:
            if self._busy and self._is_inside():
                raise LedgerError(
                    "the ledger is in use by this thread, which a signal handler or a finalizer "
                    "has interrupted: use the ledger after the handler has returned"
                )
            try:
                self._busy = True
                return work()
            except self._library.Error as error:
                self._drop()
                raise self._explain(error) from None
            except Exception:
                self._roll_back()
                raise
            except BaseException:
                # An interrupted connection is in no known state.
                self._drop()
                raise
            finally:
                self._busy = False

    def _read(self, work: Callable[[Rows], T]) -> T:
        self._settle()
        connection = self._begin(to_read=True)
        rows = self._rows(connection, FIND)
        done = work(rows)
        last = rows.last()
        connection.execute("COMMIT")
        self._seen.last = last
        return done

    def _write(self, work: Callable[[Rows], T], *, thaws: bool = False) -> T:
        self._settle()
        connection = self._begin()
        rows = self._rows(connection, LOCK)
        if self.frozen and not thaws:
            raise LedgerError(frozen_message(self.place))
        done = work(rows)
        last = rows.last()
        self._doubt = last  # until the server has answered
        try:
            connection.execute("COMMIT")
            self._doubt, self._seen.last = None, last
        except self._library.OperationalError:
            self._drop()
            if not self._look_up():
                error = LedgerError(
                    f"the connection to {self.place} broke before the server had written"
                )
                error._is_undone = True
                raise error from None
        return done

    def _create(self, write: Callable[[Rows], T], *, or_open: bool) -> T:
        connection = self._begin()
        # Of several processes that make the tables at once, or one ledger, the first does.
        connection.execute(ONE_AFTER_ANOTHER)
        if not _has_tables(connection):
            connection.execute(SCHEMA)
        _check_version(connection, self.place)
        if connection.execute(FIND, (self._name,)).fetchone() is not None:
            raise LedgerError(
                f"{self.place} exists already: {advice(or_open=or_open)} another name"
            )
        rows = PostgresRows(connection, str(uuid.uuid4()))
        rows.begin(self._name)
        done = write(rows)
        connection.execute("COMMIT")
        return done

    def _rows(self, connection: Any, query: str) -> PostgresRows:
        """Return the rows of the ledger, which the query finds by name, and look at its entries."""
        found = connection.execute(query, (self._name,)).fetchone()
        if found is None:
            raise LedgerError(
                f"there is no ledger at {self.place}: correct the name, or create a ledger first"
            )
        rows, self.frozen = PostgresRows(connection, *found), bool(found[1])
        other = self._seen.compare(rows)
        if other == "another":
            raise LedgerError(
                f"another ledger was put at {self.place}: open it with BudgetLedger.open, if you "
                "mean the new ledger"
            )
        if other == "older":
            raise LedgerRollbackError(
                f"the server has an older state of {self.place}: it does not have the entry "
                f"{self._seen.last[0]} that it had; restore the newest backup, or promote the "
                "standby that has all that was committed"
            )
        return rows

    def _begin(self, *, to_read: bool = False) -> Any:
        """Begin a transaction; anew, if the connection was cut since its last use."""
        for attempt in range(2):
            connection = self._connected()
            try:
                connection.execute(_TO_READ if to_read else self._to_write)
                break
            except self._library.OperationalError:
                self._drop()
                if attempt:
                    raise
        return connection

    def _settle(self) -> None:
        """Look up what the last COMMIT has done, if nobody has answered it.

        The lock waits until the server has ended that transaction, one way or the other.
        """
        if self._doubt is None:
            return
        seq, digest = self._doubt
        connection = self._begin()
        rows = self._rows(connection, LOCK)
        found = rows.entry(seq)
        connection.execute("ROLLBACK")
        if found is not None and found[3] == digest:
            self._seen.last = self._doubt
        self._doubt = None

    def _look_up(self) -> bool:
        """Connect again, and return whether the last COMMIT has written; ChargeInDoubtError."""
        wanted = self._doubt
        end = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._settle()
            except self._library.Error:
                self._drop()
            else:
                return self._seen.last == wanted
            if time.monotonic() >= end:
                raise ChargeInDoubtError(
                    f"the connection to {self.place} broke while a charge was written, and the "
                    "server cannot be asked whether it was: take it as spent, and release nothing; "
                    "the next use of the ledger looks it up"
                )
            time.sleep(_PAUSE_SECONDS)

    def _leave_to_parent(self) -> None:
        """Forget the connection of the parent process, and a lock that its threads may hold."""
        _of_parents.append(self._connection)
        self._connection, self._doubt, self._process = None, None, os.getpid()
        self._lock, self._busy = threading.RLock(), False

    def _is_inside(self) -> bool:
        """Whether the connection is in the middle of a transaction."""
        connection = self._connection
        if connection is None or connection.closed:
            return False
        idle = self._library.pq.TransactionStatus.IDLE
        return bool(connection.info.transaction_status != idle)

    def _connected(self) -> Any:
        if self._is_inside():  # the end of the last transaction was interrupted
            self._drop()
        if self._connection is None or self._connection.closed:
            connection = self._library.connect(
                self._address, autocommit=True, prepare_threshold=None, **_CONNECTION
            )
            try:
                self._check_server(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _check_server(self, connection: Any) -> None:
        """Raise a LedgerError for a server that may lose what it has committed."""

        def setting(name: str) -> str:
            return str(connection.execute(f"SHOW {name}").fetchone()[0])

        for name in _MUST_BE_ON:
            if setting(name) != "on":
                raise LedgerError(
                    f"no ledger can be kept on {self.place}: the server has {name} = "
                    f"{setting(name)}, and may lose charges when it stops; set it to on"
                )
        if setting("server_encoding") != "UTF8":
            raise LedgerError(
                f"no ledger can be kept on {self.place}: the encoding of the database must be UTF8"
            )
        # For each transaction anew: a pooler may give each of them another connection.
        local = [f"{name} = '{BUSY_SECONDS}s'" for name in _TIMEOUTS]
        if setting("synchronous_commit") == "off":
            local.append("synchronous_commit = on")
        self._to_write = "; SET LOCAL ".join([_TO_WRITE, *local])
        if not self._read_only and setting("transaction_read_only") == "on":
            raise LedgerError(
                f"nothing can be charged on {self.place}: the server is a standby, or allows no "
                "writing; use the primary, or open the ledger with read_only=True"
            )
        if _has_tables(connection):
            _check_version(connection, self.place)

    def _explain(self, error: Any) -> LedgerError:
        """Return the LedgerError to raise for an error of the library or the server.

        Messages of the server may have values in them; its codes and classes have none.
        """
        errors = self._library.errors
        if isinstance(error, errors.LockNotAvailable):
            return LedgerBusyError(
                f"other processes have used the ledger for {BUSY_SECONDS} seconds: try again later"
            )
        if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName):
            return LedgerError(f"there is no ledger at {self.place}: create a ledger first")
        if isinstance(error, errors.InsufficientPrivilege):
            return LedgerError(
                f"the role has not the rights to use {self.place} so: `cydp ledger grants` prints "
                "the SQL that gives the rights to charge, or to read"
            )
        if isinstance(error, errors.RaiseException | errors.IntegrityError):
            return LedgerCorruptError(f"the ledger is damaged: the server reports {error.sqlstate}")
        if error.sqlstate is None and isinstance(error, self._library.DataError):
            return LedgerError("a ledger on a server keeps no text with the character NUL")
        said = str(error)
        cause = next((ours for words, ours in _CAUSES.items() if words in said), None)
        if cause is None or error.sqlstate:
            what = f"error {error.sqlstate}" if error.sqlstate else type(error).__name__
            cause = f"{what}; is the server there, and is the address right?"
        return LedgerError(f"cannot use {self.place}: {cause}")

    def _roll_back(self) -> None:
        with suppress(self._library.Error):
            if self._connection is not None and not self._connection.closed:
                self._connection.execute("ROLLBACK")
                return
        self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():
            with suppress(self._library.Error):
                connection.close()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is not None:
            self._drop()


def _has_tables(connection: Any) -> bool:
    found = connection.execute("SELECT to_regclass('cydp.about') IS NOT NULL").fetchone()
    return bool(found[0])


def _check_version(connection: Any, place: str) -> None:
    row = connection.execute("SELECT version FROM cydp.about").fetchone()
    if row != (VERSION,):
        found = "no version" if row is None else f"version {row[0]}"
        raise LedgerSchemaError(
            f"{place} has tables of {found}, and this version of cydp reads version {VERSION}: "
            "update cydp"
        )
