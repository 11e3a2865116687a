# SPDX-License-Identifier: MIT
"""Blocks of a ledger: their rows, and how these follow from the entries."""

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from cydp.accounting import store
from cydp.accounting.budget import Parts, check_budget, total_of
from cydp.accounting.entries import digest_of, fractions_of, parts_of, text_of, texts_of
from cydp.accounting.errors import LedgerCorruptError, UnknownBlockError
from cydp.accounting.loss import Loss, loss_from

ALL = "all"  # the block of a ledger made without blocks
State: TypeAlias = tuple[Loss, Loss, Loss, bool]


def replayed(entries: Iterable[dict[str, Any]]) -> tuple[set[tuple[Any, ...]], set[Any]]:
    """Return the rows of blocks, and the hash of each charge's result, as the entries give them."""
    blocks: dict[str, tuple[Parts, Parts, int]] = {}
    results = set()
    whole: Parts = ()
    for entry in entries:
        if entry["kind"] == "create":
            whole = fractions_of(entry["budget"])
        elif entry["kind"] == "block":
            budget = fractions_of(entry["budget"]) if "budget" in entry else whole
            blocks[entry["block"]] = (budget, tuple(Fraction(0) for _ in budget), 0)
        elif entry["kind"] == "retire":
            budget, spent, _ = blocks[entry["block"]]
            blocks[entry["block"]] = (budget, spent, 1)
        elif entry["kind"] == "result":
            results.add((entry["result_of"], entry["sha256"]))
        else:
            for block in entry["blocks"]:
                budget, spent, retired = blocks[block]
                total = tuple(map(total_of, spent, fractions_of(entry["cost"])))
                if retired or any(a > b for a, b in zip(total, budget, strict=True)):
                    raise LedgerCorruptError(
                        f"entry {entry['seq']} charges what nothing was left of"
                    )
                blocks[block] = (budget, total, retired)
    rows = {(block, row_of(b), row_of(s), retired) for block, (b, s, retired) in blocks.items()}
    return rows, results


def verify(connection: Any) -> None:
    """Compute everything anew from the entries; a LedgerCorruptError if anything else is stored."""
    if connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
        raise LedgerCorruptError("the file of the ledger is damaged")
    entries = store.entries(connection)
    try:
        blocks, results = replayed(entries)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError("an entry of the ledger is not what is written") from None
    finally:
        entries.close()  # as long as a SELECT has not ended, its transaction has not
    if blocks != set(connection.execute("SELECT id, budget, spent, retired FROM block")):
        raise LedgerCorruptError("the blocks of the ledger are not what its entries say")
    stored = connection.execute("SELECT charge_id, result FROM outcome")
    try:
        found = {(charge_id, digest_of(str(text))) for charge_id, text in stored}
    finally:
        stored.close()
    if results != found:
        raise LedgerCorruptError("the results of the ledger are not what its entries say")


def parts_within(budget: Loss, most: Loss, relation: str) -> Parts:
    """Return the numbers of a block's budget; TypeError or ValueError if the ledger's is less."""
    if type(check_budget(budget, relation)) is not type(most):
        raise TypeError(f"budget must be of the ledger's measure, as {most} is")
    parts = parts_of(budget)
    if any(a > b for a, b in zip(parts, parts_of(most), strict=True)):
        raise ValueError(f"budget must be at most the ledger's, {most}")
    return parts


def block_of(connection: Any, block: str) -> tuple[Parts, Parts, int]:
    """Return budget, spending and state of a block; UnknownBlockError if there is none."""
    row = connection.execute(
        "SELECT budget, spent, retired FROM block WHERE id = ?", (block,)
    ).fetchone()
    if row is None:
        if block == ALL:
            raise UnknownBlockError("blocks must be named: the ledger was made with blocks")
        raise UnknownBlockError(f"block {block!r} is not in the ledger")
    return from_row(row[0]), from_row(row[1]), row[2]


def states(connection: Any, kind: type[Loss]) -> dict[str, State]:
    """Return budget, spending, what may still be charged, and whether it is retired, by block."""
    found = {}
    rows = connection.execute("SELECT id, budget, spent, retired FROM block ORDER BY id")
    for block, *numbers, retired in rows.fetchall():
        budget, spent = map(from_row, numbers)
        left = tuple(a - b for a, b in zip(budget, spent, strict=True))
        try:
            rest = loss_from(kind, left)
            if retired:
                rest = loss_from(kind, tuple(Fraction(0) for _ in left))
            found[block] = loss_from(kind, budget), loss_from(kind, spent), rest, bool(retired)
        except ValueError:  # less than nothing is left
            raise LedgerCorruptError("a block of the ledger is not what was written") from None
    return found


def insert_block(connection: Any, block: str, budget: Parts) -> None:
    """Write a block that nothing was charged for."""
    nothing = tuple(Fraction(0) for _ in budget)
    connection.execute(
        "INSERT INTO block VALUES (?, ?, ?, 0)", (block, row_of(budget), row_of(nothing))
    )


def row_of(parts: Parts) -> str:
    """Return fractions as the table of blocks has them."""
    return json.dumps(texts_of(parts))


def from_row(text: str) -> Parts:
    """Read what `row_of` has written; a LedgerCorruptError for anything else."""
    try:
        return fractions_of(json.loads(text))
    except (TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError("a block of the ledger is not what was written") from None


def block_ids(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return ids; TypeError or ValueError for other things, none, or one twice."""
    if isinstance(blocks, str | Mapping) or not isinstance(blocks, Iterable):
        raise TypeError(f"blocks must be ids of blocks, not {type(blocks).__name__}")
    ids = tuple(text_of(block, "blocks") for block in blocks)
    if not ids or len(set(ids)) < len(ids):
        raise ValueError("blocks must be at least one, and each of them once")
    return ids
