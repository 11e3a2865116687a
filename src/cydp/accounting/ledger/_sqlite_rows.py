# SPDX-License-Identifier: MIT
"""The tables of a ledger's file, and all SQL that reads and writes its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from typing import Any

from cydp.accounting.ledger._rows import BlockRow, ChargeRow, EntryRow

__all__ = [
    "APPLICATION_ID",
    "FROZEN_ID",
    "MOVED_ID",
    "SCHEMA",
    "VERSION",
    "WITHOUT_HEAD",
    "SqliteRows",
]

APPLICATION_ID = 0x63796470  # "cydp"
FROZEN_ID = 0x63796462  # "cydb", of a backup
MOVED_ID = 0x6379646D  # "cydm", of what was moved away
VERSION = 2
WITHOUT_HEAD = 1  # the format before the table `head`, with fewer triggers
# It begins the transaction that makes a file, or that brings one of an earlier format up to date.
SCHEMA = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE IF NOT EXISTS entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
CREATE TRIGGER IF NOT EXISTS no_update BEFORE UPDATE ON entry
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS no_replace BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE seq = new.seq OR charge_id = new.charge_id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS no_delete BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS same_ledger BEFORE UPDATE OF ledger ON head
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS one_head BEFORE DELETE ON head
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS same_budget BEFORE UPDATE OF id, budget ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS never_again BEFORE UPDATE OF retired ON block
    WHEN new.retired < old.retired
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS other_block BEFORE INSERT ON block
    WHEN EXISTS (SELECT 1 FROM block WHERE id = new.id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS same_blocks BEFORE DELETE ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS other_outcome BEFORE INSERT ON outcome
    WHEN EXISTS (SELECT 1 FROM outcome WHERE charge_id = new.charge_id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS once BEFORE UPDATE ON outcome
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS for_ever BEFORE DELETE ON outcome
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""


class SqliteRows:
    """The rows of a ledger in its file."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def last(self) -> tuple[int, str]:
        """Return the place and the hash of the last entry; (0, "") if there is none."""
        row = self._one("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1")
        return (0, "") if row is None else (row[0], row[1])

    def entry(self, seq: int) -> EntryRow | None:
        """Return the entry at a place, or None."""
        found: EntryRow | None = self._one(
            "SELECT seq, charge_id, body, hash FROM entry WHERE seq = ?", seq
        )
        return found

    def entries(self, after: int = 0) -> Generator[EntryRow, None, None]:
        """Yield the entries after a place, oldest first."""
        return self._each(
            "SELECT seq, charge_id, body, hash FROM entry WHERE seq > ? ORDER BY seq", after
        )

    def entries_that_begin(self, key: str) -> list[str]:
        """Return the JSON of the entries that begin with a key, oldest first."""
        begun = f'{{"{key}": '
        found = "SELECT body FROM entry WHERE substr(body, 1, ?) = ? ORDER BY seq"
        return [body for (body,) in self._all(found, len(begun), begun)]

    def charge(self, charge_id: str) -> ChargeRow | None:
        """Return the charge of an id, or None."""
        found: ChargeRow | None = self._one(
            "SELECT seq, body, hash, result FROM entry LEFT JOIN outcome USING (charge_id) "
            "WHERE charge_id = ?",
            charge_id,
        )
        return found

    def count_charges(self) -> int:
        """Return how many entries have a charge id."""
        return int(self._one("SELECT count(*) FROM entry WHERE charge_id IS NOT NULL")[0])

    def last_charges(self, most: int) -> list[tuple[EntryRow, str]]:
        """Return the last entries with a charge id, latest first, and the hash before each."""
        rows = self._all(
            "SELECT entry.seq, entry.charge_id, entry.body, entry.hash, before.hash FROM entry "
            "JOIN entry AS before ON before.seq = entry.seq - 1 WHERE entry.charge_id IS NOT NULL "
            "ORDER BY entry.seq DESC LIMIT ?",
            most,
        )
        return [((seq, id_, body, digest), before) for seq, id_, body, digest, before in rows]

    def append(self, row: EntryRow) -> None:
        """Add an entry, which becomes the head."""
        seq, _, _, digest = row
        self._connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?)", row)
        self._connection.execute("UPDATE head SET seq = ?, hash = ?", (seq, digest))

    def block(self, block: str) -> BlockRow | None:
        """Return a block, or None."""
        found: BlockRow | None = self._one(
            "SELECT id, budget, spent, retired FROM block WHERE id = ?", block
        )
        return found

    def blocks(self) -> list[BlockRow]:
        """Return all blocks, by id."""
        return self._all("SELECT id, budget, spent, retired FROM block ORDER BY id")

    def open_blocks(self, most: int) -> list[str]:
        """Return the ids of the first blocks that are not retired, by id."""
        rows = self._all("SELECT id FROM block WHERE retired = 0 ORDER BY id LIMIT ?", most)
        return [row[0] for row in rows]

    def add_block(self, block: str, budget: str, spent: str) -> None:
        """Add a block."""
        self._connection.execute("INSERT INTO block VALUES (?, ?, ?, 0)", (block, budget, spent))

    def spend(self, block: str, total: str, before: str) -> bool:
        """Write what a block has spent; False if it is not what was spent `before`."""
        changed = self._connection.execute(
            "UPDATE block SET spent = ? WHERE id = ? AND spent = ?", (total, block, before)
        )
        return changed.rowcount == 1

    def retire(self, block: str) -> None:
        """Let a block be retired."""
        self._connection.execute("UPDATE block SET retired = 1 WHERE id = ?", (block,))

    def results(self) -> Generator[tuple[str, str], None, None]:
        """Yield charge ids and recorded results."""
        return self._each("SELECT charge_id, result FROM outcome")

    def ids_with_results(self, after: int) -> set[str]:
        """Return the ids of the charges after a place whose results were recorded."""
        found = self._all(
            "SELECT charge_id FROM entry JOIN outcome USING (charge_id) WHERE seq > ?", after
        )
        return {row[0] for row in found}

    def add_result(self, charge_id: str, result: str) -> None:
        """Record the result of a charge."""
        self._connection.execute("INSERT INTO outcome VALUES (?, ?)", (charge_id, result))

    def freeze(self, *, moved: bool = False) -> None:
        """Let nothing be written to this copy any more, once this transaction has ended."""
        self._connection.execute(f"PRAGMA application_id = {MOVED_ID if moved else FROZEN_ID}")

    def thaw(self) -> None:
        """Let this copy be written to again."""
        self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    @property
    def is_frozen(self) -> bool:
        """Whether nothing may be written."""
        return self._kind in (FROZEN_ID, MOVED_ID)

    @property
    def is_moved(self) -> bool:
        """Whether the ledger was moved away from here."""
        return self._kind == MOVED_ID

    @property
    def _kind(self) -> int:
        return int(self._one("PRAGMA application_id")[0])

    def damage(self) -> str:
        """Return what is wrong with the file, or with its head; "" for nothing."""
        if self._one("PRAGMA integrity_check")[0] != "ok":
            return "SQLite finds errors in its file"
        if self._one("PRAGMA user_version")[0] == WITHOUT_HEAD:
            return ""
        heads = self._all("SELECT seq, hash FROM head")
        return "" if heads == [self.last()] else "its head is not its last entry"

    def begin(self, ledger: str) -> None:
        """Write the head of a ledger that has none."""
        self._connection.execute("INSERT INTO head VALUES (?, ?, ?)", (ledger, *self.last()))

    def has_head(self) -> bool:
        """Whether the head of the ledger was written."""
        return self._one("SELECT 1 FROM head") is not None

    def _one(self, query: str, *given: Any) -> Any:
        return self._connection.execute(query, given).fetchone()

    def _all(self, query: str, *given: Any) -> list[Any]:
        return self._connection.execute(query, given).fetchall()

    def _each(self, query: str, *given: Any) -> Generator[Any, None, None]:
        rows = self._connection.execute(query, given)
        try:
            yield from rows
        finally:  # a transaction cannot end before its SELECT has, not even by a ROLLBACK
            rows.close()
