# SPDX-License-Identifier: MIT
"""Blocks of a ledger: their rows, and how these follow from the entries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from cydp.accounting._amounts import (
    Amount,
    add_amounts,
    exceeds,
    loss_of_amount,
    subtract_amounts,
    zero_amount,
)
from cydp.accounting._budget import check_budget
from cydp.accounting._errors import LedgerCorruptError, UnknownBlockError
from cydp.accounting._format import format_loss
from cydp.accounting._loss import Loss
from cydp.accounting.ledger import _store
from cydp.accounting.ledger._entries import digest_of, fractions_of, parts_of, text_of, texts_of

__all__ = [
    "ALL",
    "State",
    "block_ids",
    "block_of",
    "insert_block",
    "parts_within",
    "row_of",
    "states",
    "told_retired",
    "told_unknown",
    "verify",
]

ALL = "all"  # the block of a ledger made without blocks
_NAMED = 5  # blocks in an error
_DAMAGED = "the ledger is damaged: a block is not what was written"
State: TypeAlias = tuple[Loss, Loss, Loss, bool]


def replayed(entries: Iterable[dict[str, Any]]) -> tuple[set[tuple[Any, ...]], set[Any]]:
    """Return the rows of blocks, and the hash of each charge's result, as the entries give them."""
    blocks: dict[str, tuple[Amount, Amount, int]] = {}
    results = set()
    whole: Amount = ()
    for entry in entries:
        if entry["kind"] == "create":
            whole = fractions_of(entry["budget"])
        elif entry["kind"] == "block":
            budget = fractions_of(entry["budget"]) if "budget" in entry else whole
            blocks[entry["block"]] = (budget, zero_amount(budget), 0)
        elif entry["kind"] == "retire":
            budget, spent, _ = blocks[entry["block"]]
            blocks[entry["block"]] = (budget, spent, 1)
        elif entry["kind"] == "result":
            results.add((entry["result_of"], entry["sha256"]))
        else:
            for block in entry["blocks"]:
                budget, spent, retired = blocks[block]
                total = add_amounts(spent, fractions_of(entry["cost"]))
                if retired or exceeds(total, budget):
                    raise LedgerCorruptError(
                        f"the ledger is damaged: entry {entry['seq']} charges more than was left"
                    )
                blocks[block] = (budget, total, retired)
    rows = {(block, row_of(b), row_of(s), retired) for block, (b, s, retired) in blocks.items()}
    return rows, results


def verify(connection: Any) -> None:
    """Compute everything anew from the entries; a LedgerCorruptError if anything else is stored."""
    if connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
        raise LedgerCorruptError("the ledger is damaged: SQLite finds errors in its file")
    entries = _store.entries(connection)
    try:
        blocks, results = replayed(entries)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError(
            "the ledger is damaged: an entry is not what was written"
        ) from None
    finally:
        entries.close()  # as long as a SELECT has not ended, its transaction has not
    if blocks != set(connection.execute("SELECT id, budget, spent, retired FROM block")):
        raise LedgerCorruptError("the ledger is damaged: its blocks are not what its entries say")
    stored = connection.execute("SELECT charge_id, result FROM outcome")
    try:
        found = {(charge_id, digest_of(str(text))) for charge_id, text in stored}
    finally:
        stored.close()
    if results != found:
        raise LedgerCorruptError("the ledger is damaged: its results are not what its entries say")


def parts_within(budget: Loss, most: Loss, relation: str) -> Amount:
    """Return the numbers of a block's budget; TypeError or ValueError if the ledger's is less."""
    if type(check_budget(budget, relation)) is not type(most):
        raise TypeError(
            f"budget must be {type(most).__name__}, as the ledger's budget is, not "
            f"{type(budget).__name__}"
        )
    parts = parts_of(budget)
    if exceeds(parts, parts_of(most)):
        whole = format_loss(most, left=True)
        raise ValueError(f"budget must be at most the ledger's, {whole}, not {format_loss(budget)}")
    return parts


def block_of(connection: Any, block: str, name: str = "blocks") -> tuple[Amount, Amount, int]:
    """Return budget, spending and state of a block; UnknownBlockError if there is none.

    `name` is the argument by which the caller was given the block, for the error.
    """
    row = connection.execute(
        "SELECT budget, spent, retired FROM block WHERE id = ?", (block,)
    ).fetchone()
    if row is None:
        raise UnknownBlockError(told_unknown(connection, block, name))
    return from_row(row[0]), from_row(row[1]), row[2]


def told_unknown(connection: Any, block: str, name: str) -> str:
    """Return the message for a block that the ledger does not have."""
    if connection.execute("SELECT 1 FROM block WHERE id = ?", (ALL,)).fetchone() is not None:
        if name == "blocks":
            return "blocks must be left out, since this ledger was made without blocks"
        return f"{name} must be in the ledger, which was made without blocks, not {block!r}"
    rows = connection.execute(
        "SELECT id FROM block WHERE retired = 0 ORDER BY id LIMIT ?", (_NAMED + 1,)
    ).fetchall()
    there = ", ".join(repr(row[0]) for row in rows[:_NAMED]) or "no open block"
    there += " and others" if len(rows) > _NAMED else ""
    if block == ALL and name == "blocks":
        return (
            f"{name} must name the blocks that are read, since this ledger keeps a budget for each "
            f"block: it has {there}"
        )
    return (
        f"{name} must be in the ledger, and {block!r} is not: it has {there}; name one of its "
        "blocks, or add the block first"
    )


def states(
    connection: Any, kind: type[Loss], blocks: Iterable[str] | None = None
) -> dict[str, State]:
    """Return budget, spending, what may still be charged, and whether it is retired, by block.

    Of all blocks, or of some; UnknownBlockError if the ledger lacks one of these.
    """
    if blocks is not None:
        return {block: _state(kind, *block_of(connection, block)) for block in blocks}
    rows = connection.execute("SELECT id, budget, spent, retired FROM block ORDER BY id")
    return {
        block: _state(kind, from_row(budget), from_row(spent), retired)
        for block, budget, spent, retired in rows.fetchall()
    }


def _state(kind: type[Loss], budget: Amount, spent: Amount, retired: int) -> State:
    left = subtract_amounts(budget, spent)
    try:
        rest = loss_of_amount(kind, left)
        if retired:
            rest = loss_of_amount(kind, zero_amount(left))
        return loss_of_amount(kind, budget), loss_of_amount(kind, spent), rest, bool(retired)
    except ValueError:  # less than nothing is left
        raise LedgerCorruptError(_DAMAGED) from None


def told_retired(block: str) -> str:
    """Return the message for a block that was retired."""
    return f"block {block!r} was retired: nothing can be charged to it any more"


def insert_block(connection: Any, block: str, budget: Amount) -> None:
    """Write a block that nothing was charged for."""
    connection.execute(
        "INSERT INTO block VALUES (?, ?, ?, 0)",
        (block, row_of(budget), row_of(zero_amount(budget))),
    )


def row_of(parts: Amount) -> str:
    """Return fractions as the table of blocks has them."""
    return json.dumps(texts_of(parts))


def from_row(text: str) -> Amount:
    """Read what `row_of` has written; a LedgerCorruptError for anything else."""
    try:
        return fractions_of(json.loads(text))
    except (TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError(_DAMAGED) from None


def block_ids(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return the ids in a list; TypeError or ValueError for another list, or anything else."""
    if isinstance(blocks, str | bytes | Mapping) or not isinstance(blocks, Iterable):
        one = blocks if isinstance(blocks, str) and len(blocks) <= 40 else "mon"
        raise TypeError(
            f"blocks must be a list of block ids, not {type(blocks).__name__}: "
            f"blocks=[{json.dumps(one, ensure_ascii=False)}]"
        )
    ids = tuple(blocks)
    for block in ids:
        if not isinstance(block, str):
            raise TypeError(
                f"blocks must be a list of block ids, which are text, and one is "
                f'{type(block).__name__}: blocks=["mon"]'
            )
        text_of(block, "each of blocks")
    if not ids:
        raise ValueError(
            "blocks must name at least one block, or be left out if the ledger has no blocks"
        )
    if len(set(ids)) < len(ids):
        raise ValueError("blocks must name each of them once")
    return ids
