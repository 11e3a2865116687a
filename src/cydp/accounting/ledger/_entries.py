# SPDX-License-Identifier: MIT
"""The entries of a ledger: each has the hash of itself and of the entry before it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Generator
from typing import Any, TypeAlias

from cydp.accounting._errors import LedgerCorruptError

__all__ = [
    "Entry",
    "append_entry",
    "count_charges",
    "read_entries",
    "read_hash",
    "read_head",
    "read_last_charges",
]

Entry: TypeAlias = dict[str, Any]


def append_entry(
    connection: sqlite3.Connection, entry: Entry, charge_id: str | None = None
) -> Entry:
    """Write an entry after the last entry, and return it with its place and its hash."""
    seq, last = read_head(connection)
    body = json.dumps(entry, sort_keys=True)
    digest = _hash_of(last, seq + 1, charge_id, body)
    connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?)", (seq + 1, charge_id, body, digest))
    connection.execute("UPDATE head SET seq = ?, hash = ?", (seq + 1, digest))
    return {**entry, "seq": seq + 1, "charge_id": charge_id, "hash": digest}


def read_head(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return the place and the hash of the last entry; (0, "") if there is none."""
    row = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    return (0, "") if row is None else (row[0], row[1])


def read_hash(connection: sqlite3.Connection, seq: int) -> str:
    """Return the hash of the entry at a place; "" if there is none."""
    row = connection.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
    return "" if row is None else str(row[0])


def read_entries(connection: sqlite3.Connection) -> Generator[Entry, None, None]:
    """Yield all entries, oldest first, and check the chain of their hashes.

    The generator must be closed inside the transaction.
    """
    last = ""
    rows = connection.execute("SELECT seq, charge_id, body, hash FROM entry ORDER BY seq")
    try:
        for expected, (seq, charge_id, body, digest) in enumerate(rows, 1):
            if seq != expected or digest != _hash_of(last, seq, charge_id, body):
                raise LedgerCorruptError(
                    f"the ledger is damaged: entry {expected} is not what was written"
                )
            last = digest
            yield {**json.loads(body), "seq": seq, "charge_id": charge_id, "hash": digest}
    finally:  # a transaction cannot end before its SELECT has, not even by a ROLLBACK
        rows.close()


def count_charges(connection: sqlite3.Connection) -> int:
    """Return how many entries are charges: those with a charge id."""
    found = connection.execute("SELECT count(*) FROM entry WHERE charge_id IS NOT NULL").fetchone()
    return int(found[0])


def read_last_charges(connection: sqlite3.Connection, most: int) -> list[Entry]:
    """Return the last charges, oldest first, each checked by its hash and the one before."""
    rows = connection.execute(
        "SELECT entry.seq, entry.charge_id, entry.body, entry.hash, before.hash FROM entry "
        "JOIN entry AS before ON before.seq = entry.seq - 1 WHERE entry.charge_id IS NOT NULL "
        "ORDER BY entry.seq DESC LIMIT ?", (most,),
    ).fetchall()  # fmt: skip
    found = []
    for seq, charge_id, body, digest, last in reversed(rows):
        if digest != _hash_of(last, seq, charge_id, body):
            raise LedgerCorruptError(f"the ledger is damaged: entry {seq} is not what was written")
        found.append({**json.loads(body), "seq": seq, "charge_id": charge_id, "hash": digest})
    return found


def _hash_of(previous: str, seq: int, charge_id: str | None, body: str) -> str:
    """Return the hash of an entry, which depends on all entries before it."""
    # A damaged file may give bytes for text, which are hashed by their repr.
    text = json.dumps([previous, seq, charge_id, body], default=repr)
    return hashlib.sha256(text.encode()).hexdigest()
