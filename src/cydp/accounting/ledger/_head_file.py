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

__all__ = ["HeadFile", "RememberingStore"]

T = TypeVar("T")


class HeadFile:
    """The file.

    Parameters
    ----------
    path : path
        It need not exist.

    Attributes
    ----------
    written : (str, int, str) or None
        The uuid of the ledger, and place and hash of its head.

    Raises
    ------
    LedgerError
        If the file cannot be read, or is another file.

    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.written = self._read()

    def check(self, rows: Rows) -> None:
        """Raise a LedgerRollbackError if a ledger lacks the head of the file."""
        if self.written is None:
            return
        first = rows.entry(1)
        uuid = str(json.loads(first[2])["uuid"]) if first else ""
        known, seq, digest = self.written
        if known != uuid:
            raise LedgerError(
                f"{self.path} remembers another ledger: use one file for each ledger, or remove "
                "it, if you mean the new ledger"
            )
        if read_hash(rows, seq) != digest:
            raise LedgerRollbackError(
                f"the ledger is older than it was: it does not have the entry {seq} that "
                f"{self.path} remembers; find the newest copy"
            )

    def remember(self, uuid: str, last: tuple[int, str]) -> None:
        """Replace the file, durably, unless it has this head or a later one."""
        if self.written is not None and self.written[1] >= last[0]:
            return
        text = json.dumps({"ledger": uuid, "seq": last[0], "hash": last[1]}) + "\n"
        try:
            number, name = tempfile.mkstemp(prefix=f"{self.path.name}-", dir=self.path.parent)
            try:
                with os.fdopen(number, "w") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(number)
                os.replace(name, self.path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            raise LedgerError(
                f"the head of the ledger cannot be written to {self.path} ({error.strerror}); "
                "what was charged stands"
            ) from None
        self.written = uuid, *last

    def _read(self) -> tuple[str, int, str] | None:
        try:
            text = self.path.read_text()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            raise LedgerError(f"cannot read the head that {self.path} remembers") from None
        try:
            kept = json.loads(text)
            return (str(kept["ledger"]), *check_head((kept["seq"], kept["hash"])))
        except (ValueError, TypeError, LookupError):
            raise LedgerError(
                f"{self.path} is no file that remembers the head of a ledger"
            ) from None


class RememberingStore:
    """A store whose head is written to a file after each use that has moved it.

    Parameters
    ----------
    store : Store
    path : path
        Of the file.
    uuid : str
        Of the ledger.

    Raises
    ------
    LedgerError
        If the file cannot be read, or is of another ledger.
    LedgerRollbackError
        If the ledger lacks the head that the file has.

    """

    def __init__(self, store: Store, path: str | os.PathLike[str], uuid: str) -> None:
        self._store, self._file, self._uuid = store, HeadFile(path), uuid
        self.read(self._file.check)

    @property
    def frozen(self) -> bool:
        """Whether the last transaction found a copy to which nothing may be written."""
        return self._store.frozen

    def read(self, work: Callable[[Rows], T]) -> T:
        """Call a function in a transaction that sees one state."""
        done, last = self._store.read(lambda rows: (work(rows), rows.last()))
        self._file.remember(self._uuid, last)
        return done

    def write(self, work: Callable[[Rows], T]) -> T:
        """Call a function in the only transaction that writes; commit, and then remember."""
        done, last = self._store.write(lambda rows: (work(rows), rows.last()))
        self._file.remember(self._uuid, last)
        return done

    def thaw(self) -> None:
        """Let a frozen copy be written to."""
        self._store.thaw()

    def closed_by_errors(self) -> AbstractContextManager[None]:
        """Close the ledger if anything is raised."""
        return self._store.closed_by_errors()

    def close(self) -> None:
        """Close the ledger."""
        self._store.close()
