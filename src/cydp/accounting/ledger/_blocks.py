# SPDX-License-Identifier: MIT
"""Blocks of a ledger: their rows in the table of blocks, and the messages about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from cydp.accounting._amounts import (
    Amount,
    exceeds,
    loss_of_amount,
    subtract_amounts,
    zero_amount,
)
from cydp.accounting._budget import check_budget
from cydp.accounting._errors import LedgerCorruptError, UnknownBlockError
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_loss
from cydp.accounting.ledger._fields import amount_from, check_string, own_amount_of, strings_of

__all__ = [
    "ALL",
    "State",
    "check_block_budget",
    "check_block_ids",
    "insert_block",
    "json_of_amount",
    "read_block",
    "read_states",
    "retired_message",
    "unknown_message",
]

ALL = "all"  # the only block of a ledger that was made without blocks
_MOST_NAMED = 5  # blocks in an error
_DAMAGED = "the ledger is damaged: a block is not what was written"
State: TypeAlias = tuple[Loss, Loss, Loss, bool]  # budget, spent, remaining, and whether retired


def check_block_budget(budget: Loss, most: Loss, relation: str) -> Amount:
    """Return the amount of a block's budget, which must not exceed the ledger's budget `most`.

    Raises a TypeError for another measure, and a ValueError for a larger budget.
    """
    if type(check_budget(budget, relation)) is not type(most):
        raise TypeError(
            f"budget must be {type(most).__name__}, as the ledger's budget is, not "
            f"{type(budget).__name__}"
        )
    amount = own_amount_of(budget)
    if exceeds(amount, own_amount_of(most)):
        allowed = format_loss(most, left=True)
        raise ValueError(
            f"budget must be at most the ledger's, {allowed}, not {format_loss(budget)}"
        )
    return amount


def read_block(connection: Any, block: str, name: str = "blocks") -> tuple[Amount, Amount, int]:
    """Return the budget of a block, what was spent, and 1 if it is retired, else 0.

    Raises UnknownBlockError if there is no such block. `name` is the parameter that named the
    block, for the error.
    """
    row = connection.execute(
        "SELECT budget, spent, retired FROM block WHERE id = ?", (block,)
    ).fetchone()
    if row is None:
        raise UnknownBlockError(unknown_message(connection, block, name))
    return amount_from_json(row[0]), amount_from_json(row[1]), row[2]


def unknown_message(connection: Any, block: str, name: str) -> str:
    """Return the message for a block that the ledger does not have."""
    if connection.execute("SELECT 1 FROM block WHERE id = ?", (ALL,)).fetchone() is not None:
        if name == "blocks":
            return "blocks must be left out, since this ledger was made without blocks"
        return f"{name} must be in the ledger, which was made without blocks, not {block!r}"
    rows = connection.execute(
        "SELECT id FROM block WHERE retired = 0 ORDER BY id LIMIT ?", (_MOST_NAMED + 1,)
    ).fetchall()
    there = ", ".join(repr(row[0]) for row in rows[:_MOST_NAMED]) or "no open block"
    there += " and others" if len(rows) > _MOST_NAMED else ""
    if block == ALL and name == "blocks":
        return (
            f"{name} must name the blocks that are read, since this ledger keeps a budget for each "
            f"block: it has {there}"
        )
    return (
        f"{name} must be in the ledger, and {block!r} is not: it has {there}; name one of its "
        "blocks, or add the block first"
    )


def read_states(
    connection: Any, kind: type[Loss], blocks: Iterable[str] | None = None
) -> dict[str, State]:
    """Return what each block has and has spent, by block id.

    `blocks` are the ids of the blocks; None: all blocks. Raises UnknownBlockError if the ledger
    lacks one of these.
    """
    if blocks is not None:
        return {block: _state_of(kind, *read_block(connection, block)) for block in blocks}
    rows = connection.execute("SELECT id, budget, spent, retired FROM block ORDER BY id")
    alike: dict[tuple[Any, ...], State] = {}  # most blocks have equal budgets, and spend alike
    found = {}
    for block, *row in rows.fetchall():
        budget, spent, retired = key = tuple(row)
        if key not in alike:
            amounts = amount_from_json(budget), amount_from_json(spent)
            alike[key] = _state_of(kind, *amounts, retired)
        found[block] = alike[key]
    return found


def _state_of(kind: type[Loss], budget: Amount, spent: Amount, retired: int) -> State:
    left = subtract_amounts(budget, spent)
    try:
        remaining = loss_of_amount(kind, left)
        if retired:
            remaining = loss_of_amount(kind, zero_amount(left))
        return loss_of_amount(kind, budget), loss_of_amount(kind, spent), remaining, bool(retired)
    except ValueError:  # more was spent than there was
        raise LedgerCorruptError(_DAMAGED) from None


def retired_message(block: str) -> str:
    """Return the message for a block that was retired."""
    return f"block {block!r} was retired: nothing can be charged to it any more"


def insert_block(connection: Any, block: str, budget: Amount) -> None:
    """Write a block to which nothing was charged."""
    connection.execute(
        "INSERT INTO block VALUES (?, ?, ?, 0)",
        (block, json_of_amount(budget), json_of_amount(zero_amount(budget))),
    )


def json_of_amount(amount: Amount) -> str:
    """Return an amount as the table of blocks has it."""
    return json.dumps(strings_of(amount))


def amount_from_json(text: str) -> Amount:
    """Return the amount of which this is the JSON; a LedgerCorruptError for anything else."""
    try:
        return amount_from(json.loads(text))
    except (TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError(_DAMAGED) from None


def check_block_ids(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return the ids in a list of block ids; TypeError or ValueError for anything else."""
    if isinstance(blocks, str | bytes | Mapping) or not isinstance(blocks, Iterable):
        example = blocks if isinstance(blocks, str) and len(blocks) <= 40 else "mon"
        raise TypeError(
            f"blocks must be a list of block ids, not {type(blocks).__name__}: "
            f"blocks=[{json.dumps(example, ensure_ascii=False)}]"
        )
    ids = tuple(blocks)
    for block in ids:
        if not isinstance(block, str):
            raise TypeError(
                f"blocks must be a list of block ids, which are text, and one is "
                f'{type(block).__name__}: blocks=["mon"]'
            )
        check_string(block, "each of blocks")
    if not ids:
        raise ValueError(
            "blocks must name at least one block, or be left out if the ledger has no blocks"
        )
    if len(set(ids)) < len(ids):
        raise ValueError("blocks must name each of them once")
    return ids
