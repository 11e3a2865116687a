# SPDX-License-Identifier: MIT
"""How a new ledger is made: its first entry, and its file, which is complete or is not there."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from cydp._relations import check_relation
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._budget import check_budget
from cydp.accounting._errors import LedgerError
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting.ledger import _open_file, _path
from cydp.accounting.ledger._rows import Rows, advice
from cydp.accounting.ledger._serialize import check_string, own_amount_of, strings_of
from cydp.accounting.ledger._sqlite_rows import SCHEMA, SqliteRows
from cydp.accounting.ledger._store import FileStore

__all__ = ["MEASURES", "create_file", "first_entry", "kept_of"]

MEASURES: dict[str, type[Loss]] = {
    "pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP, "approximate zcdp": ApproxZCDP
}  # fmt: skip

T = TypeVar("T")

_NAMES = {kind: name for name, kind in MEASURES.items()}
_ROW = "row"  # which lies in one block


def first_entry(
    budget: Loss,
    relation: str,
    privacy_unit: str,
    by_block: bool,
    units_in_one_block: bool,
    block_column: str | None,
) -> dict[str, Any]:
    """Return the entry that makes a ledger; TypeError or ValueError for a bad parameter.

    The parameters are those of `BudgetLedger.create`.
    """
    check_budget(budget, relation)
    if not check_string(privacy_unit, "privacy_unit").strip():
        raise ValueError("privacy_unit must say what one unit stands for, such as 'person'")
    if not isinstance(by_block, bool):
        raise TypeError(
            f"by_block must be True or False, not {type(by_block).__name__}: blocks are added "
            "later, by add_blocks"
        )
    if check_relation(relation) != "add-remove" and by_block:
        raise ValueError(
            f"relation must be 'add-remove' for a ledger with blocks: under {relation!r} a "
            "record that changes may move from one block to another"
        )
    if not isinstance(units_in_one_block, bool):
        raise TypeError(
            f"units_in_one_block must be True or False, not {type(units_in_one_block).__name__}"
        )
    if units_in_one_block and not by_block:
        raise ValueError("units_in_one_block must be left out for a ledger without blocks")
    if block_column is not None:
        check_string(block_column, "block_column")
        if not by_block:
            raise ValueError("block_column must be left out for a ledger without blocks")
    return {
        "kind": "create",
        "measure": _NAMES[type(budget)],
        "budget": strings_of(own_amount_of(budget)),
        "relation": relation,
        "privacy_unit": privacy_unit if units_in_one_block else kept_of(privacy_unit, by_block),
        "whole_unit": privacy_unit,
        "uuid": str(uuid.uuid4()),
        # Earlier ledgers have no such entry.
        **({} if block_column is None else {"block_column": block_column}),
    }


def kept_of(whole_unit: str, by_block: bool) -> str:
    """Return what a ledger protects of a unit that its blocks may split.

    >>> kept_of("person", True), kept_of("row", True), kept_of("person", False)
    ('person in one block', 'row', 'person')
    """
    return f"{whole_unit} in one block" if by_block and whole_unit != _ROW else whole_unit


def create_file(path: Path, ledger: str, write: Callable[[Rows], T], *, or_open: bool) -> T:
    """Make a new file for a ledger of this uuid, and return what a function returns that writes it.

    The file is made in a folder of its own beside the path. It is linked to the path when it is
    complete and closed. If there is one already, the error advises to open it with `or_open`.
    """
    for suffix in ("", "-journal", "-wal", "-shm"):  # SQLite takes all of these for the ledger's
        if os.path.lexists(f"{path}{suffix}"):
            raise LedgerError(_taken_message(path, suffix, or_open=or_open))
    _path.check_place(path.resolve())
    _path.check_length(path.resolve())
    with _explain_os_errors(path, or_open=or_open):
        folder = Path(tempfile.mkdtemp(prefix=".ledger-", dir=path.parent))
    draft = FileStore(folder / "ledger")
    try:
        with _explain_os_errors(path, or_open=or_open):
            _open_file.check_process()
            _open_file.use_sqlite(lambda: _make_tables(draft, ledger))
        result = draft.write(write)
        draft.close()
        if os.path.lexists(draft.wal):
            raise LedgerError(f"no ledger can be made at {path}: what was written is not whole")
        with _explain_os_errors(path, "; its file system must have hard links", or_open=or_open):
            os.link(draft.path, path)
        os.unlink(draft.path)  # a file with two names is refused
    finally:
        draft.close()
        shutil.rmtree(folder, ignore_errors=True)
    if sys.platform != "win32":  # which opens no folders
        with _explain_os_errors(path, or_open=or_open):
            descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    return result


def _make_tables(draft: FileStore, ledger: str) -> None:
    os.close(os.open(draft.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        connection = sqlite3.connect(draft.path)
        try:
            connection.executescript(SCHEMA)
            SqliteRows(connection).begin(ledger)
            connection.commit()
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise draft.explain(error) from None


def _taken_message(path: Path, suffix: str = "", *, or_open: bool) -> str:
    """Return the message for a new ledger at a path at which there is something already."""
    if os.path.isdir(f"{path}{suffix}"):
        return f"path must be that of a new file, and {path}{suffix} is a folder already"
    if suffix:
        return (
            "a file is there already that SQLite would take for a part of the ledger: "
            f"{path}{suffix}; choose another path"
        )
    return f"{path} exists already: {advice(or_open=or_open)} another path"


@contextmanager
def _explain_os_errors(path: Path, needed: str = "", *, or_open: bool) -> Iterator[None]:
    """Raise a LedgerError for an OSError, and say what the file system needs."""
    try:
        yield
    except FileExistsError:
        raise LedgerError(_taken_message(path, or_open=or_open)) from None
    except FileNotFoundError:
        raise LedgerError(
            f"no ledger can be made at {path}: its folder does not exist; make the folder first"
        ) from None
    except OSError as error:
        raise LedgerError(f"no ledger can be made at {path}: {error.strerror}{needed}") from None
