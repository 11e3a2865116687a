# SPDX-License-Identifier: MIT
"""Blocks of a ledger: their rows in the table of blocks, their states, and messages about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cydp._columns.csv_cells import day_of
from cydp._columns.moments import is_time
from cydp.accounting._amounts import Amount, add_amounts, exceeds, loss_of_amount, zero_amount
from cydp.accounting._budget import check_budget
from cydp.accounting._errors import LedgerCorruptError, LedgerError, UnknownBlockError
from cydp.accounting._loss import Loss
from cydp.accounting._words import (
    format_loss,
    format_name,
    format_numbers,
    html_of,
    numbers_of,
)
from cydp.accounting.ledger._balance import DAMAGED, Balance, json_of_amount
from cydp.accounting.ledger._rows import Rows
from cydp.accounting.ledger._serialize import check_dims, own_amount_of, read_block_id

__all__ = [
    "ALL",
    "CLOSED_ID",
    "MOST_SHOWN",
    "BlockState",
    "BlockStates",
    "LossesByBlock",
    "can_pay",
    "check_block_budget",
    "check_block_ids",
    "check_days",
    "check_may_add",
    "format_table",
    "insert_block",
    "match_dims",
    "read_block",
    "read_block_states",
    "read_states",
    "retired_message",
    "unknown_account_message",
    "unknown_message",
    "write_balance",
]


class LossesByBlock(dict[str, Any]):
    """Losses by the id of a block; a day is found by a date, too."""

    def __missing__(self, block: Any) -> Any:
        if not isinstance(block, str) and is_time(block):
            return self[read_block_id(block, "block")]
        raise KeyError(block)


ALL = "all"  # the only block of a ledger that was made without blocks
CLOSED_ID = "cydp: restored without the last charges"  # of a charge after which no block is added
_MOST_NAMED = 5  # blocks in an error
MOST_SHOWN = 60  # lines of a table


@dataclass(frozen=True, slots=True)
class BlockState:
    """A block of a ledger: what it may spend, what it has spent, and the facts about it.

    Attributes
    ----------
    id : str
        The id of the block.
    budget, spent, remaining : loss
        What may be spent in all, what was charged, and what may still be charged without an
        account, in the ledger's measure. Nothing may be charged to a retired block any more: its
        `remaining` is 0.
    set_aside : loss
        What accounts may still spend.
    retired : bool
        Whether the block was retired.
    dims : dict
        The facts that `add_block` was given.

    """

    id: str
    budget: Loss
    spent: Loss
    remaining: Loss
    set_aside: Loss
    retired: bool
    dims: dict[str, Any]

    @property
    def is_used_up(self) -> bool:
        """Whether no epsilon, or no rho, is left, not even for accounts."""
        return not own_amount_of(self.remaining)[0] and not self.has_accounts

    @property
    def has_accounts(self) -> bool:
        """Whether something is set aside."""
        return any(own_amount_of(self.set_aside))


class BlockStates(tuple[BlockState, ...]):
    """The blocks of a ledger, in the order of their addition. Prints itself as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [("block", "state", "budget", "spent", "left", "dims")]
        for block in self[-MOST_SHOWN:]:
            dims = (f"{format_name(name)}={value!r}" for name, value in block.dims.items())
            left = format_numbers(numbers_of(block.remaining), left=True)
            if block.has_accounts:
                left += f" ({format_numbers(numbers_of(block.set_aside), left=True)} set aside)"
            rows.append((
                format_name(block.id), "retired" if block.retired else "open",
                format_numbers(numbers_of(block.budget), left=True),
                format_numbers(numbers_of(block.spent)), left, ", ".join(dims),
            ))  # fmt: skip
        return format_table(rows, len(self) - MOST_SHOWN, "blocks")

    def _repr_html_(self) -> str:
        return html_of(repr(self))


def format_table(rows: Sequence[Sequence[str]], more: int, what: str) -> str:
    """Write rows of cells below each other, and how many rows of what are left out before them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([f"{more:,} {what}, and then", *lines] if more > 0 else lines)


def check_block_budget(budget: Loss, most: Loss, relation: str) -> Amount:
    """Return the amount of a part of the ledger's budget `most`, such as a block's budget.

    Raises a TypeError for another measure, and a ValueError for more than the ledger has.
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


def read_block(rows: Rows, block: str, name: str = "blocks") -> Balance:
    """Return the balance of a block.

    Raises UnknownBlockError if there is no such block. `name` is the parameter that named the
    block, for the error.
    """
    row = rows.block(block)
    if row is None:
        raise UnknownBlockError(unknown_message(rows, block, name))
    return Balance.of_row(row)


def unknown_message(rows: Rows, block: str, name: str) -> str:
    """Return the message for a block that the ledger does not have."""
    if rows.block(ALL) is not None:
        if name == "blocks":
            return "blocks must be left out, since this ledger was made without blocks"
        return f"{name} must be in the ledger, which was made without blocks, not {block!r}"
    ids = rows.open_blocks(_MOST_NAMED + 1)
    there = ", ".join(map(repr, ids[:_MOST_NAMED])) or "no open block"
    there += " and others" if len(ids) > _MOST_NAMED else ""
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
    rows: Rows, kind: type[Loss], blocks: Iterable[str] | None = None
) -> dict[str, BlockState]:
    """Return what each block has and has spent, by block id. The states have no `dims`.

    `blocks` are the ids of the blocks; None: all blocks. Raises UnknownBlockError if the ledger
    lacks one of these.
    """
    if blocks is not None:
        return {block: _state_of(kind, block, read_block(rows, block)) for block in blocks}
    alike: dict[tuple[Any, ...], BlockState] = {}  # most blocks have equal budgets, and spend alike
    found = {}
    for row in rows.blocks():
        block, key = row[0], row[1:]
        if key not in alike:
            alike[key] = _state_of(kind, block, Balance.of_row(row))
        found[block] = replace(alike[key], id=block)
    return found


def _state_of(kind: type[Loss], block: str, balance: Balance) -> BlockState:
    amounts = balance.budget, balance.spent, balance.left, balance.set_aside
    try:
        budget, spent, left, kept = (loss_of_amount(kind, amount) for amount in amounts)
    except ValueError:  # more was spent than there was
        raise LedgerCorruptError(DAMAGED) from None
    return BlockState(block, budget, spent, left, kept, balance.is_retired, {})


def unknown_account_message(block: str, balance: Balance, account: str) -> str:
    """Return the message for an account that has no budget in a block."""
    place = "the ledger" if block == ALL else f"block {block!r}"
    there = ", ".join(map(repr, sorted(balance.shares)[:_MOST_NAMED])) or "no account"
    there += " and others" if len(balance.shares) > _MOST_NAMED else ""
    return (
        f"account must be open in {place}, and {account!r} is not: it has {there}; open it by "
        "open_account"
    )


def retired_message(block: str) -> str:
    """Return the message for a block that was retired."""
    return f"block {block!r} was retired: nothing can be charged to it any more"


def check_may_add(rows: Rows) -> None:
    """Raise a LedgerError for a ledger that was restored without its last charges.

    A block that was charged since would have its budget once more.
    """
    if rows.charge(CLOSED_ID) is not None:
        raise LedgerError(
            "no block can be added to a ledger that was restored with retire=True, since nobody "
            "knows which blocks were charged after the backup: make another ledger for new data"
        )


def insert_block(rows: Rows, block: str, budget: Amount) -> None:
    """Write a new block, with nothing spent."""
    balance = Balance(budget, zero_amount(budget))
    rows.add_block(block, json_of_amount(budget), balance.state)


def write_balance(rows: Rows, block: str, before: Balance, after: Balance) -> None:
    """Write what has become of a balance; a LedgerCorruptError if it is not what it was before."""
    if not rows.spend(block, after.state, before.state):
        raise LedgerCorruptError(f"the ledger is damaged: block {block!r} is not what was written")


def check_block_ids(blocks: Iterable[Any]) -> tuple[str, ...]:
    """Return the ids in a list of block ids; TypeError or ValueError for anything else."""
    if isinstance(blocks, str | bytes | Mapping) or not isinstance(blocks, Iterable):
        example = blocks if isinstance(blocks, str) and len(blocks) <= 40 else "mon"
        raise TypeError(
            f"blocks must be a list of block ids, not {type(blocks).__name__}: "
            f"blocks=[{json.dumps(example, ensure_ascii=False)}]"
        )
    given = tuple(blocks)
    for block in given:
        if not isinstance(block, str) and not is_time(block):
            raise TypeError(
                f"blocks must be a list of block ids, which are text or days, and one is "
                f'{type(block).__name__}: blocks=["mon"]'
            )
    ids = tuple(read_block_id(block, "each of blocks") for block in given)
    if not ids:
        raise ValueError(
            "blocks must name at least one block, or be left out if the ledger has no blocks"
        )
    if len(set(ids)) < len(ids):
        raise ValueError("blocks must name each of them once")
    return ids


def check_days(blocks: Iterable[str]) -> None:
    """Raise a ValueError for a day that is not written as the blocks of rows are."""
    for block in blocks:
        day = day_of(block)
        if day not in (None, block):
            raise ValueError(
                f"block {block!r} must be written {day!r}: so are the days of rows, which the "
                "ledger compares with it"
            )


def read_block_states(rows: Rows, kind: type[Loss]) -> BlockStates:
    """Return the blocks of a ledger that was made for blocks, in the order of their entries.

    Raises
    ------
    LedgerError
        If the ledger was made without blocks.
    LedgerCorruptError
        If its entries and its table have other blocks.

    """
    states = read_states(rows, kind)
    if ALL in states:
        raise LedgerError(
            "this ledger was made without blocks: make another ledger with by_block=True"
        )
    try:
        entries = [json.loads(body) for body in rows.entries_that_begin("block")]
        dims = {
            each["block"]: dict(each.get("dims", {})) for each in entries if each["kind"] == "block"
        }
    except (TypeError, KeyError, ValueError):
        dims = {}
    if dims.keys() != states.keys():
        raise LedgerCorruptError("the ledger is damaged: its blocks are not what its entries say")
    return BlockStates(replace(states[block], dims=facts) for block, facts in dims.items())


def can_pay(block: BlockState, requested: Amount | None) -> bool:
    """Whether a charge to an open block would be accepted, by the sum that it would write."""
    if requested is None:
        return True
    total = add_amounts(own_amount_of(block.spent), requested)
    together = tuple(a + b for a, b in zip(total, own_amount_of(block.set_aside), strict=True))
    return not exceeds(together, own_amount_of(block.budget))


def match_dims(states: Iterable[BlockState], wanted: Mapping[str, Any]) -> list[BlockState]:
    """Return the blocks with the dims that are wanted: equal values, or values a function accepts.

    Raises
    ------
    ValueError
        For a dim that no block has, if there are blocks.
    TypeError
        For a value that JSON cannot hold, and so no block has.

    """
    found = list(states)
    known = {name for state in found for name in state.dims}
    if found and (unknown := [name for name in wanted if name not in known]):
        there = ", ".join(sorted(map(format_name, known))) or "none"
        raise ValueError(
            f"dims must be those of the ledger's blocks, and no block has {unknown[0]!r}: "
            f"there is {there}"
        )
    for name, value in wanted.items():
        if callable(value):
            found = [each for each in found if name in each.dims and value(each.dims[name])]
        else:
            text = _canonical(check_dims({name: value})[name])
            found = [
                each for each in found if name in each.dims and _canonical(each.dims[name]) == text
            ]
    return found


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
