# SPDX-License-Identifier: MIT
"""The tables of a ledger and its entries: how entries are written, read and verified.

Each entry has the hash of itself and of the entry before it, and triggers keep them append-only.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Generator, Iterable
from typing import Any, TypeAlias

from cydp.accounting._amounts import Amount, add_amounts, exceeds, zero_amount
from cydp.accounting._errors import LedgerCorruptError
from cydp.accounting.ledger._blocks import json_of_amount
from cydp.accounting.ledger._serialize import amount_from, sha256_of

__all__ = [
    "APPLICATION_ID",
    "SCHEMA",
    "VERSION",
    "Entry",
    "append_entry",
    "count_charges",
    "read_entries",
    "read_hash",
    "read_head",
    "read_last_charges",
    "verify",
]


Entry: TypeAlias = dict[str, Any]

APPLICATION_ID = 0x63796470  # "cydp"
VERSION = 2
SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
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
CREATE TRIGGER same_ledger BEFORE UPDATE OF ledger ON head
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER one_head BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'append-only'); END;
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
        "ORDER BY entry.seq DESC LIMIT ?",
        (most,),
    ).fetchall()
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


def _replay(entries: Iterable[dict[str, Any]]) -> tuple[set[tuple[Any, ...]], set[Any]]:
    """Compute the rows of the blocks, and the hash of each result, from the entries.

    Raises LedgerCorruptError for an entry that charges more than was left, and many kinds of errors
    for an entry that nothing in this package has written.
    """
    blocks: dict[str, tuple[Amount, Amount, int]] = {}
    results = set()
    budget_of_ledger: Amount = ()
    for entry in entries:
        if entry["kind"] == "create":
            budget_of_ledger = amount_from(entry["budget"])
        elif entry["kind"] == "block":
            budget = amount_from(entry["budget"]) if "budget" in entry else budget_of_ledger
            blocks[entry["block"]] = (budget, zero_amount(budget), 0)
        elif entry["kind"] == "retire":
            budget, spent, _ = blocks[entry["block"]]
            blocks[entry["block"]] = (budget, spent, 1)
        elif entry["kind"] == "result":
            results.add((entry["result_of"], entry["sha256"]))
        else:
            for block in entry["blocks"]:
                budget, spent, retired = blocks[block]
                total = add_amounts(spent, amount_from(entry["cost"]))
                if retired or exceeds(total, budget):
                    raise LedgerCorruptError(
                        f"the ledger is damaged: entry {entry['seq']} charges more than was left"
                    )
                blocks[block] = (budget, total, retired)
    rows = {
        (block, json_of_amount(budget), json_of_amount(spent), retired)
        for block, (budget, spent, retired) in blocks.items()
    }
    return rows, results


def verify(connection: Any) -> None:
    """Raise a LedgerCorruptError unless the blocks and results follow from the entries."""
    if connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
        raise LedgerCorruptError("the ledger is damaged: SQLite finds errors in its file")
    entries = read_entries(connection)
    try:
        blocks, results = _replay(entries)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError(
            "the ledger is damaged: an entry is not what was written"
        ) from None
    finally:
        entries.close()  # a transaction cannot end before its SELECT has
    head = connection.execute("SELECT seq, hash FROM head").fetchall()
    if head != [read_head(connection)]:
        raise LedgerCorruptError("the ledger is damaged: its head is not its last entry")
    if blocks != set(connection.execute("SELECT id, budget, spent, retired FROM block")):
        raise LedgerCorruptError("the ledger is damaged: its blocks are not what its entries say")
    stored = connection.execute("SELECT charge_id, result FROM outcome")
    try:
        found = {(charge_id, sha256_of(str(text))) for charge_id, text in stored}
    finally:
        stored.close()
    if results != found:
        raise LedgerCorruptError("the ledger is damaged: its results are not what its entries say")
