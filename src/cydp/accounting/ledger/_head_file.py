# SPDX-License-Identifier: MIT
"""A small file beside a client that remembers the head of a ledger it has seen last.

A ledger that was set back since, such as by a restored backup, is refused by it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TypeVar

from cydp.accounting._errors import LedgerError, LedgerRollbackError
from cydp.accounting.ledger._entries import read_hash
from cydp.accounting.ledger._rows import Rows, Store
from cydp.accounting.ledger._serialize import check_head

__all__ = ["RememberingStore"]

T = TypeVar("T")


class RememberingStore:
    """A store whose head is written to a file after each use that has moved it.

    Parameters
    ----------
    store : Store
    path : path
        Of the file, which need not exist.

    Raises
    ------
    LedgerError
        If the file cannot be read, or is of another ledger.
    LedgerRollbackError
        If the ledger lacks the head that the file has.

    """

    def __init__(self, store: Store, path: str | os.PathLike[str]) -> None:
        self._store, self._path = store, Path(path)
        self._written = self._read_file()
        self._uuid, last = store.read(self._look)
        self._write_file(last)

    def read(self, work: Callable[[Rows], T]) -> T:
        """Call a function in a transaction that sees one state."""
        done, last = self._store.read(lambda rows: (work(rows), rows.last()))
        self._write_file(last)
        return done

    def write(self, work: Callable[[Rows], T]) -> T:
        """Call a function in the only transaction that writes; commit, and then remember."""
        done, last = self._store.write(lambda rows: (work(rows), rows.last()))
        self._write_file(last)
        return done

    def closed_by_errors(self) -> AbstractContextManager[None]:
        """Close the ledger if anything is raised."""
        return self._store.closed_by_errors()

    def close(self) -> None:
        """Close the ledger."""
        self._store.close()

    def _look(self, rows: Rows) -> tuple[str, tuple[int, str]]:
        """Return the uuid of a ledger, which must have the head of the file, and its head."""
        first = rows.entry(1)
        uuid = str(json.loads(first[2])["uuid"]) if first else ""
        if self._written is not None:
            known, seq, digest = self._written
            if known != uuid:
                raise LedgerError(
                    f"{self._path} remembers another ledger: use one file for each ledger, or "
                    "remove it, if you mean the new ledger"
                )
            if read_hash(rows, seq) != digest:
                raise LedgerRollbackError(
                    f"the ledger is older than it was: it does not have the entry {seq} that "
                    f"{self._path} remembers; find the newest copy"
                )
        return uuid, rows.last()

    def _read_file(self) -> tuple[str, int, str] | None:
        try:
            text = self._path.read_text()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            raise LedgerError(f"cannot read the head that {self._path} remembers") from None
        try:
            kept = json.loads(text)
            return (str(kept["ledger"]), *check_head((kept["seq"], kept["hash"])))
        except (ValueError, TypeError, LookupError):
            raise LedgerError(
                f"{self._path} is no file that remembers the head of a ledger"
            ) from None

    def _write_file(self, last: tuple[int, str]) -> None:
        """Replace the file, durably, unless it has this head or a later one."""
        if self._written is not None and self._written[1] >= last[0]:
            return
        text = json.dumps({"ledger": self._uuid, "seq": last[0], "hash": last[1]}) + "\n"
        try:
            number, name = tempfile.mkstemp(prefix=f"{self._path.name}-", dir=self._path.parent)
            try:
                with os.fdopen(number, "w") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(number)
                os.replace(name, self._path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            raise LedgerError(
                f"the head of the ledger cannot be written to {self._path} ({error.strerror}); "
                "what was charged stands"
            ) from None
        self._written = self._uuid, *last
