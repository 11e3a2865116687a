# SPDX-License-Identifier: MIT
"""What is known of each block of a ledger, and which blocks can pay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

from cydp.accounting._amounts import Amount, add_amounts, exceeds
from cydp.accounting._errors import LedgerCorruptError, LedgerError
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_loss, format_name, html_of
from cydp.accounting.ledger._blocks import ALL, read_states
from cydp.accounting.ledger._fields import check_dims, own_amount_of

__all__ = [
    "BlockState",
    "BlockStates",
    "can_pay",
    "match_dims",
    "read_block_states",
]

_MOST_SHOWN = 60  # blocks of a table


@dataclass(frozen=True, slots=True)
class BlockState:
    """A block of a ledger: what it may spend, what it has spent, and the facts about it.

    Attributes
    ----------
    id : str
        The id of the block.
    budget, spent, remaining : loss
        What may be spent in all, what was charged, and what may still be charged, in the ledger's
        measure. Nothing may be charged to a retired block any more: its `remaining` is 0.
    retired : bool
        Whether the block was retired.
    dims : dict
        The facts that `add_block` was given.

    """

    id: str
    budget: Loss
    spent: Loss
    remaining: Loss
    retired: bool
    dims: dict[str, Any]

    @property
    def is_used_up(self) -> bool:
        """Whether no epsilon, or no rho, is left."""
        return not own_amount_of(self.remaining)[0]


class BlockStates(tuple[BlockState, ...]):
    """The blocks of a ledger, in the order in which they were added. Prints itself as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [("block", "state", "budget", "spent", "left", "dims")]
        for block in self[-_MOST_SHOWN:]:
            dims = (f"{format_name(name)}={value!r}" for name, value in block.dims.items())
            rows.append((
                format_name(block.id), "retired" if block.retired else "open",
                _numbers(block.budget, left=True), _numbers(block.spent),
                _numbers(block.remaining, left=True), ", ".join(dims),
            ))  # fmt: skip
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        more = len(self) - _MOST_SHOWN
        return "\n".join([f"{more:,} blocks, and then", *lines] if more > 0 else lines)

    def _repr_html_(self) -> str:
        return html_of(repr(self))


def read_block_states(connection: Connection, kind: type[Loss]) -> BlockStates:
    """Return the blocks of a ledger that was made for blocks, in the order of their entries.

    Raises
    ------
    LedgerError
        If the ledger was made without blocks.
    LedgerCorruptError
        If its entries and its table have other blocks.

    """
    states = read_states(connection, kind)
    if ALL in states:
        raise LedgerError(
            "this ledger was made without blocks: make another ledger with by_block=True"
        )
    # An entry is JSON with sorted keys: those of blocks, and when they retire, begin so.
    rows = connection.execute(
        """SELECT body FROM entry WHERE substr(body, 1, 10) = '{"block": ' ORDER BY seq"""
    ).fetchall()
    try:
        entries = [json.loads(body) for (body,) in rows]
        dims = {
            each["block"]: dict(each.get("dims", {})) for each in entries if each["kind"] == "block"
        }
    except (TypeError, KeyError, ValueError):
        dims = {}
    if dims.keys() != states.keys():
        raise LedgerCorruptError("the ledger is damaged: its blocks are not what its entries say")
    return BlockStates(
        BlockState(block, *states[block], dims=facts) for block, facts in dims.items()
    )


def can_pay(block: BlockState, requested: Amount | None) -> bool:
    """Whether a charge to an open block would be accepted, by the sum that it would write."""
    if requested is None:
        return True
    total = add_amounts(own_amount_of(block.spent), requested)
    return not exceeds(total, own_amount_of(block.budget))


def match_dims(states: Iterable[BlockState], wanted: Mapping[str, Any]) -> list[BlockState]:
    """Return the blocks whose dims have the values that are wanted, or satisfy its functions.

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


def _numbers(loss: Loss, *, left: bool = False) -> str:
    """Return the numbers of a loss without the name of its measure."""
    return format_loss(loss, left=left).partition("(")[2][:-1]
