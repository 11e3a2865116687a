# SPDX-License-Identifier: MIT
"""The tables of ledgers on a PostgreSQL server, and all SQL that reads and writes their rows.

Rows are only added: what a block has spent is a new row of `state`, so that those who charge need
no right to update or delete.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from cydp.accounting._errors import LedgerError
from cydp.accounting.ledger._rows import BlockRow, ChargeRow, EntryRow
from cydp.accounting.ledger._serialize import sha256_of

__all__ = ["FIND", "LOCK", "ONE_AFTER_ANOTHER", "SCHEMA", "VERSION", "PostgresRows", "grants"]

VERSION = 1
_TABLES = ("about", "ledger", "entry", "block", "state", "outcome")
_MOVED = 2  # in the column frozen, which is 1 for a backup
_LONGEST_NAME = 63  # bytes, of what PostgreSQL does not cut
# Keys are SHA-256 of ids: an index holds no text of 1,000 characters.
SCHEMA = f"""
CREATE SCHEMA cydp;
CREATE TABLE cydp.about (version integer NOT NULL);
INSERT INTO cydp.about VALUES ({VERSION});
CREATE TABLE cydp.ledger (
    key text PRIMARY KEY, name text NOT NULL UNIQUE, lock integer NOT NULL DEFAULT 0,
    frozen integer NOT NULL DEFAULT 0
);
CREATE TABLE cydp.entry (
    ledger text NOT NULL REFERENCES cydp.ledger, seq bigint NOT NULL, charge_key text,
    charge_id text, body text NOT NULL, hash text NOT NULL,
    PRIMARY KEY (ledger, seq), UNIQUE (ledger, charge_key)
);
CREATE TABLE cydp.block (
    ledger text NOT NULL REFERENCES cydp.ledger, key text NOT NULL, id text NOT NULL,
    budget text NOT NULL, PRIMARY KEY (ledger, key)
);
CREATE TABLE cydp.state (
    ledger text NOT NULL, key text NOT NULL, step bigint NOT NULL, spent text NOT NULL,
    retired integer NOT NULL,
    PRIMARY KEY (ledger, key, step), FOREIGN KEY (ledger, key) REFERENCES cydp.block
);
CREATE TABLE cydp.outcome (
    ledger text NOT NULL, charge_key text NOT NULL, charge_id text NOT NULL, result text NOT NULL,
    PRIMARY KEY (ledger, charge_key),
    FOREIGN KEY (ledger, charge_key) REFERENCES cydp.entry (ledger, charge_key)
);
CREATE FUNCTION cydp.refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'append-only'; END $$;
CREATE TRIGGER same_ledger BEFORE UPDATE OF key, name ON cydp.ledger
    EXECUTE FUNCTION cydp.refuse();
CREATE TRIGGER for_ever BEFORE DELETE OR TRUNCATE ON cydp.ledger EXECUTE FUNCTION cydp.refuse();
""" + "".join(
    f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cydp.{table} "
    "EXECUTE FUNCTION cydp.refuse();\n"
    for table in _TABLES
    if table != "ledger"
)
FIND = "SELECT key, frozen FROM cydp.ledger WHERE name = %s"
LOCK = f"{FIND} FOR UPDATE"
_BLOCKS = (
    "SELECT id, budget, spent, retired FROM cydp.block CROSS JOIN LATERAL "
    "(SELECT spent, retired FROM cydp.state WHERE state.ledger = block.ledger "
    "AND state.key = block.key ORDER BY step DESC LIMIT 1) AS latest WHERE block.ledger = %s"
)
_LATEST = "SELECT * FROM cydp.state WHERE ledger = %s AND key = %s ORDER BY step DESC LIMIT 1"
# Those who make ledgers, or let copies be written to.
ONE_AFTER_ANOTHER = "SELECT pg_advisory_xact_lock(hashtext('cydp'))"
_BY_ID = ' ORDER BY id COLLATE "C"'  # by bytes, as in a file


class PostgresRows:
    """The rows of one ledger on a PostgreSQL server, in one transaction.

    Nobody else changes them meanwhile, as who writes holds the lock, and who reads sees one state.
    So the server is asked once for the head, and never whether the ledger is frozen.
    """

    __slots__ = ("_connection", "_frozen", "_head", "_ledger")

    def __init__(self, connection: Any, ledger: str, frozen: int = 0) -> None:
        self._connection, self._ledger, self._frozen = connection, ledger, frozen
        self._head: tuple[int, str] | None = None

    def last(self) -> tuple[int, str]:
        """Return the place and the hash of the last entry; (0, "") if there is none."""
        if self._head is None:
            row = self._one(
                "SELECT seq, hash FROM cydp.entry WHERE ledger = %s ORDER BY seq DESC LIMIT 1"
            )
            self._head = (0, "") if row is None else (row[0], row[1])
        return self._head

    def entry(self, seq: int) -> EntryRow | None:
        """Return the entry at a place, or None."""
        found: EntryRow | None = self._one(
            "SELECT seq, charge_id, body, hash FROM cydp.entry WHERE ledger = %s AND seq = %s", seq
        )
        return found

    def entries(self, after: int = 0) -> Generator[EntryRow, None, None]:
        """Yield the entries after a place, oldest first."""
        return self._each(
            "SELECT seq, charge_id, body, hash FROM cydp.entry WHERE ledger = %s AND seq > %s "
            "ORDER BY seq",
            after,
        )

    def entries_that_begin(self, key: str) -> list[str]:
        """Return the JSON of the entries that begin with a key, oldest first."""
        rows = self._all(
            "SELECT body FROM cydp.entry WHERE ledger = %s AND starts_with(body, %s) ORDER BY seq",
            f'{{"{key}": ',
        )
        return [row[0] for row in rows]

    def charge(self, charge_id: str) -> ChargeRow | None:
        """Return the charge of an id, or None."""
        found: ChargeRow | None = self._one(
            "SELECT seq, body, hash, result FROM cydp.entry LEFT JOIN cydp.outcome "
            "USING (ledger, charge_key) WHERE ledger = %s AND charge_key = %s",
            sha256_of(charge_id),
        )
        return found

    def count_charges(self) -> int:
        """Return how many entries have a charge id."""
        return int(self._one("SELECT count(charge_key) FROM cydp.entry WHERE ledger = %s")[0])

    def last_charges(self, most: int) -> list[tuple[EntryRow, str]]:
        """Return the last entries with a charge id, latest first, and the hash before each."""
        rows = self._all(
            "SELECT entry.seq, entry.charge_id, entry.body, entry.hash, before.hash "
            "FROM cydp.entry JOIN cydp.entry AS before ON before.ledger = entry.ledger "
            "AND before.seq = entry.seq - 1 WHERE entry.ledger = %s "
            "AND entry.charge_id IS NOT NULL ORDER BY entry.seq DESC LIMIT %s",
            most,
        )
        return [((seq, id_, body, digest), before) for seq, id_, body, digest, before in rows]

    def append(self, row: EntryRow) -> None:
        """Add an entry, which becomes the head."""
        seq, charge_id, body, digest = row
        key = None if charge_id is None else sha256_of(charge_id)
        self._add("entry", seq, key, charge_id, body, digest)
        self._head = seq, digest

    def block(self, block: str) -> BlockRow | None:
        """Return a block, or None."""
        found: BlockRow | None = self._one(f"{_BLOCKS} AND block.key = %s", sha256_of(block))
        return found

    def blocks(self) -> list[BlockRow]:
        """Return all blocks, by id."""
        return self._all(_BLOCKS + _BY_ID)

    def open_blocks(self, most: int) -> list[str]:
        """Return the ids of the first blocks that are not retired, by id."""
        rows = self._all(f"{_BLOCKS} AND retired = 0{_BY_ID} LIMIT %s", most)
        return [row[0] for row in rows]

    def add_block(self, block: str, budget: str, spent: str) -> None:
        """Add a block."""
        key = sha256_of(block)
        self._add("block", key, block, budget)
        self._add("state", key, 0, spent, 0)

    def spend(self, block: str, total: str, before: str) -> bool:
        """Write what a block has spent; False if it is not what was spent `before`."""
        added = self._connection.execute(
            f"INSERT INTO cydp.state SELECT ledger, key, step + 1, %s, retired FROM ({_LATEST}) "
            "AS latest WHERE spent = %s",
            (total, self._ledger, sha256_of(block), before),
        )
        return bool(added.rowcount == 1)

    def retire(self, block: str) -> None:
        """Let a block be retired."""
        self._connection.execute(
            f"INSERT INTO cydp.state SELECT ledger, key, step + 1, spent, 1 FROM ({_LATEST}) "
            "AS latest",
            (self._ledger, sha256_of(block)),
        )

    def results(self) -> Generator[tuple[str, str], None, None]:
        """Yield charge ids and recorded results."""
        return self._each("SELECT charge_id, result FROM cydp.outcome WHERE ledger = %s")

    def ids_with_results(self, after: int) -> set[str]:
        """Return the ids of the charges after a place whose results were recorded."""
        found = self._all(
            "SELECT entry.charge_id FROM cydp.entry JOIN cydp.outcome USING (ledger, charge_key) "
            "WHERE ledger = %s AND seq > %s",
            after,
        )
        return {row[0] for row in found}

    def add_result(self, charge_id: str, result: str) -> None:
        """Record the result of a charge."""
        self._add("outcome", sha256_of(charge_id), charge_id, result)

    def freeze(self, *, moved: bool = False) -> None:
        """Let nothing be written to this copy any more, once this transaction has ended."""
        self._frozen = _MOVED if moved else 1
        self._connection.execute(
            "UPDATE cydp.ledger SET frozen = %s WHERE key = %s", (self._frozen, self._ledger)
        )

    def thaw(self) -> None:
        """Let this copy be written to again; a LedgerError if another one in the database may be.

        The first entry, and so its hash, is that of one ledger.
        """
        self._connection.execute(ONE_AFTER_ANOTHER)
        other = self._one(
            "SELECT name FROM cydp.entry JOIN cydp.ledger ON key = ledger, "
            "(SELECT ledger AS own, hash AS first FROM cydp.entry WHERE ledger = %s AND seq = 1) "
            "AS this WHERE seq = 1 AND hash = first AND ledger <> own AND frozen = 0"
        )
        if other is not None:
            raise LedgerError(
                f"{other[0]!r} in this database is the same ledger, and can be charged: use it, "
                "since each of two copies would spend the rest of the budget"
            )
        self._connection.execute(
            "UPDATE cydp.ledger SET frozen = 0 WHERE key = %s", (self._ledger,)
        )
        self._frozen = 0

    @property
    def is_frozen(self) -> bool:
        """Whether nothing may be written."""
        return bool(self._frozen)

    @property
    def is_moved(self) -> bool:
        """Whether the ledger was moved away from here."""
        return self._frozen == _MOVED

    def damage(self) -> str:
        """Return ids that are not those of their keys; "" if there are none."""
        pairs = [("entry", "charge_key", "charge_id"), ("outcome", "charge_key", "charge_id"),
                 ("block", "key", "id")]  # fmt: skip
        for table, key, text in pairs:
            wrong = self._one(
                f"SELECT 1 FROM cydp.{table} WHERE ledger = %s AND {key} IS DISTINCT FROM "
                f"encode(sha256(convert_to({text}, 'UTF8')), 'hex') LIMIT 1"
            )
            if wrong is not None:
                return f"an id in the table {table} is not what was written"
        return ""

    def begin(self, name: str) -> None:
        """Write the row of a new ledger, without entries."""
        self._add("ledger", name)

    def _add(self, table: str, *values: Any) -> None:
        places = ", ".join(["%s"] * (1 + len(values)))
        self._connection.execute(
            f"INSERT INTO cydp.{table} VALUES ({places})", (self._ledger, *values)
        )

    def _one(self, query: str, *given: Any) -> Any:
        return self._connection.execute(query, (self._ledger, *given)).fetchone()

    def _all(self, query: str, *given: Any) -> list[Any]:
        found: list[Any] = self._connection.execute(query, (self._ledger, *given)).fetchall()
        return found

    def _each(self, query: str, *given: Any) -> Generator[Any, None, None]:
        with self._connection.cursor("rows") as cursor:  # the server keeps what is not read yet
            cursor.execute(query, (self._ledger, *given))
            yield from cursor


def grants(role: str, *, read_only: bool = False) -> str:
    """Return the SQL that gives a role the rights to charge the ledgers of a database, or to read.

    Raises a ValueError for what is no name of a role. Nothing is executed.

    >>> print(grants("auditor", read_only=True), end="")
    GRANT USAGE ON SCHEMA cydp TO "auditor";
    GRANT SELECT ON ALL TABLES IN SCHEMA cydp TO "auditor";
    """
    if not 0 < len(role.encode()) <= _LONGEST_NAME or "\0" in role:
        raise ValueError(f"role must have 1 to {_LONGEST_NAME} bytes, without the character NUL")
    name = '"' + role.replace('"', '""') + '"'
    rights = ["USAGE ON SCHEMA cydp", "SELECT ON ALL TABLES IN SCHEMA cydp"]
    if not read_only:  # the owner alone makes ledgers
        added = ", ".join(f"cydp.{table}" for table in _TABLES if table not in ("about", "ledger"))
        rights += [f"INSERT ON {added}", "UPDATE (lock) ON cydp.ledger"]
    return "".join(f"GRANT {right} TO {name};\n" for right in rights)
