# SPDX-License-Identifier: MIT
"""How a ledger is verified: its entries are replayed, and compared with what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cydp.accounting._amounts import Amount, add_amounts, exceeds, zero_amount
from cydp.accounting._errors import LedgerCorruptError
from cydp.accounting.ledger._blocks import json_of_amount
from cydp.accounting.ledger._entries import read_entries, read_head
from cydp.accounting.ledger._fields import amount_from, sha256_of

__all__ = ["verify"]


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
