# SPDX-License-Identifier: MIT
"""The formats of a ledger's file: which can be read, and how an earlier one is brought up to date.

docs/reference/ledger_file.md, "Format", says what each of them has.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from cydp.accounting._errors import LedgerCorruptError, LedgerSchemaError
from cydp.accounting.ledger._entries import verify
from cydp.accounting.ledger._sqlite_rows import (
    APPLICATION_ID,
    FROZEN_ID,
    MOVED_ID,
    SCHEMA,
    VERSION,
    WITHOUT_HEAD,
    SqliteRows,
)

__all__ = ["bring_up_to_date", "check_format"]


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise a LedgerSchemaError for a file that is no ledger, or of a format that is not known."""
    kind = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if kind not in (APPLICATION_ID, FROZEN_ID, MOVED_ID) or version < WITHOUT_HEAD:
        raise LedgerSchemaError(
            f"{path} is no ledger that this version of cydp can read: another program has made it"
        )
    if version > VERSION:
        raise LedgerSchemaError(
            f"{path} is a ledger of format {version}, which a later version of cydp has made, and "
            f"this version reads formats {WITHOUT_HEAD} to {VERSION}: update cydp"
        )


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Give a file of an earlier format what it lacks, in one transaction; a file of today, nothing.

    Entries, blocks and results stay as they are. They are verified first: a damaged ledger is left
    as it is, and raises a LedgerCorruptError. The caller closes the connection after any error,
    which rolls back.
    """
    if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    connection.executescript(SCHEMA)
    rows = SqliteRows(connection)
    if not rows.has_head():  # else another process was first
        first = rows.entry(1)
        try:
            ledger = str(json.loads(first[2] if first else "")["uuid"])
        except (TypeError, KeyError, ValueError):
            raise LedgerCorruptError(
                "the ledger is damaged: its first entry is not what was written"
            ) from None
        rows.begin(ledger)
    verify(rows)
    connection.execute("COMMIT")
