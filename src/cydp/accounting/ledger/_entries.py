# SPDX-License-Identifier: MIT
"""The entries of a ledger: how they are written, read and verified.

Each entry has the hash of itself and of the entry before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from cydp.accounting._amounts import Amount, zero_amount
from cydp.accounting._errors import LedgerCorruptError
from cydp.accounting.ledger._balance import Balance, json_of_amount
from cydp.accounting.ledger._rows import EntryRow, Rows
from cydp.accounting.ledger._serialize import amount_from, sha256_of

__all__ = [
    "Entry",
    "Seen",
    "append_entry",
    "read_entries",
    "read_hash",
    "read_last_charges",
    "verify",
]


Entry: TypeAlias = dict[str, Any]


class Seen:
    """The head of a ledger that this process has seen, by which an older copy is noticed."""

    __slots__ = ("_first", "last")

    def __init__(self) -> None:
        self._first = ""  # the hash of the first entry
        self.last = 0, ""  # place and hash of the last entry

    def compare(self, rows: Rows) -> str:
        """Return "another" for another ledger than was seen, "older" for an older copy, or ""."""
        seq, digest = self.last
        if seq == 0:
            self._first = read_hash(rows, 1)
            return ""
        if read_hash(rows, seq) == digest:
            return ""
        return "older" if read_hash(rows, 1) == self._first else "another"


def append_entry(rows: Rows, entry: Entry, charge_id: str | None = None) -> Entry:
    """Write an entry after the last entry, and return it with its place and its hash."""
    seq, last = rows.last()
    body = json.dumps(entry, sort_keys=True)
    digest = _hash_of(last, seq + 1, charge_id, body)
    rows.append((seq + 1, charge_id, body, digest))
    return {**entry, "seq": seq + 1, "charge_id": charge_id, "hash": digest}


def read_hash(rows: Rows, seq: int) -> str:
    """Return the hash of the entry at a place; "" if there is none."""
    found = rows.entry(seq)
    return "" if found is None else str(found[3])


def read_entries(rows: Rows, after: int = 0) -> Generator[Entry, None, None]:
    """Yield the entries after a place, oldest first, and check the chain of their hashes.

    The generator must be closed inside the transaction.
    """
    last, found = read_hash(rows, after), rows.entries(after)
    try:
        for expected, row in enumerate(found, after + 1):
            if row[0] != expected:
                raise _damaged(expected)
            yield _checked(row, last)
            last = row[3]
    finally:
        found.close()


def read_last_charges(rows: Rows, most: int) -> list[Entry]:
    """Return the last charges, oldest first, each checked by its hash and the one before."""
    return [_checked(row, before) for row, before in reversed(rows.last_charges(most))]


def _checked(row: EntryRow, before: str) -> Entry:
    """Return an entry; a LedgerCorruptError unless its hash follows from the hash before."""
    seq, charge_id, body, digest = row
    if digest != _hash_of(before, seq, charge_id, body):
        raise _damaged(seq)
    return {**json.loads(body), "seq": seq, "charge_id": charge_id, "hash": digest}


def _damaged(seq: int) -> LedgerCorruptError:
    return LedgerCorruptError(f"the ledger is damaged: entry {seq} is not what was written")


def _hash_of(previous: str, seq: int, charge_id: str | None, body: str) -> str:
    """Return the hash of an entry, which depends on all entries before it."""
    # A damaged file may give bytes for text, which are hashed by their repr.
    text = json.dumps([previous, seq, charge_id, body], default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def _replay(
    entries: Iterable[dict[str, Any]],
) -> tuple[set[tuple[Any, ...]], set[Any], set[str]]:
    """Compute the rows of the blocks, and the hash of each result, from the entries.

    Also return the ids of charges whose results may have no hash: the first version that wrote
    ledgers stored them without an entry.

    Raises LedgerCorruptError for an entry that charges more than was left, and many kinds of errors
    for an entry that nothing in this package has written.
    """
    blocks: dict[str, Balance] = {}
    results, unhashed = set(), set()
    budget_of_ledger: Amount = ()
    for entry in entries:
        kind = entry["kind"]
        if kind == "create":
            budget_of_ledger = amount_from(entry["budget"])
        elif kind == "block":
            budget = amount_from(entry["budget"]) if "budget" in entry else budget_of_ledger
            blocks[entry["block"]] = Balance(budget, zero_amount(budget))
        elif kind == "result":
            results.add((entry["result_of"], entry["sha256"]))
        elif kind != "about":
            for block in entry.get("blocks", [entry.get("block")]):
                blocks[block] = _after(blocks[block], entry)
            if not results and "fingerprint" in entry and "function" not in entry:
                unhashed.add(entry["charge_id"])
    rows = {
        (block, json_of_amount(balance.budget), balance.state, int(balance.is_retired))
        for block, balance in blocks.items()
    }
    return rows, results, unhashed


def _after(balance: Balance, entry: Entry) -> Balance:
    """Return a block after an entry about it."""
    kind, account = entry["kind"], entry.get("account", "")
    if kind == "retire":
        return replace(balance, is_retired=True)
    if kind == "close account":
        return balance.without_share(account)
    if kind == "open account":
        after = balance.with_share(account, amount_from(entry["budget"]))
        is_overdrawn = account in balance.shares or after.is_overdrawn()
    else:
        after = balance.charged(amount_from(entry["cost"]), account or None)
        is_overdrawn = after.is_overdrawn(account or None)
    if balance.is_retired or is_overdrawn:
        raise LedgerCorruptError(
            f"the ledger is damaged: entry {entry['seq']} charges more than was left"
        )
    return after


def verify(rows: Rows) -> None:
    """Raise a LedgerCorruptError unless the blocks and results follow from the entries."""
    if damage := rows.damage():
        raise LedgerCorruptError(f"the ledger is damaged: {damage}")
    entries = read_entries(rows)
    try:
        blocks, results, unhashed = _replay(entries)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError(
            "the ledger is damaged: an entry is not what was written"
        ) from None
    finally:
        entries.close()
    if blocks != set(rows.blocks()):
        raise LedgerCorruptError("the ledger is damaged: its blocks are not what its entries say")
    stored = rows.results()
    try:
        found = {(charge_id, sha256_of(str(text))) for charge_id, text in stored}
    finally:
        stored.close()
    extra = {charge_id for charge_id, _ in found - results}
    if not results <= found or not extra <= unhashed:
        raise LedgerCorruptError("the ledger is damaged: its results are not what its entries say")
