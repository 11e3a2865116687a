# SPDX-License-Identifier: MIT
"""How commands write the numbers, blocks and heads of ledgers, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, TypeAlias

from cydp._numbers.rational import format_number
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._words import format_name
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._ledger import BudgetLedger

__all__ = [
    "Numbers",
    "format_block",
    "format_dims",
    "format_numbers",
    "head_of",
    "json_of",
    "left_of",
    "names_of",
    "numbers_by_block",
    "numbers_of",
]

Numbers: TypeAlias = dict[str, Fraction]  # the numbers of a loss in its own measure, by name

_NAMES = {PureDP: ("epsilon",), ApproxDP: ("epsilon", "delta"), ZCDP: ("rho",)}


def names_of(loss: Loss) -> tuple[str, ...]:
    """Return the names of the numbers of a loss."""
    return _NAMES[type(loss)]


def numbers_of(loss: Loss) -> Numbers:
    """Return the numbers of a loss, by name."""
    return {name: getattr(loss, name) for name in names_of(loss)}


def numbers_by_block(losses: Any) -> dict[str, Numbers]:
    """Return the numbers of the losses of blocks; for a ledger without blocks, those of "all"."""
    by_block = losses if isinstance(losses, dict) else {ALL: losses}
    return {block: numbers_of(loss) for block, loss in by_block.items()}


def left_of(ledger: BudgetLedger) -> dict[str, Numbers]:
    """Return what is left in each block; for a ledger without blocks, in "all"."""
    return numbers_by_block(ledger.remaining)


def head_of(ledger: BudgetLedger) -> str:
    """Return the head of a ledger, as ``--head`` takes it."""
    seq, digest = ledger.head()
    return f"{seq}:{digest}"


def format_numbers(numbers: Numbers, *, left: bool = False) -> str:
    """Write a loss for people: ``epsilon=0.1, delta=1e-06``.

    Long numbers are written in six digits. Those of a cost are rounded up. Those of what may still
    be spent (`left`) are rounded down.
    """
    rounding = ROUND_FLOOR if left else ROUND_CEILING
    return ", ".join(
        f"{name}={format_number(number, rounding)}" for name, number in numbers.items()
    )


def format_block(block: str) -> str:
    """Return the id of a block in quotes, since it may have spaces and commas."""
    return block if block == ALL else repr(block)


def format_dims(dims: Mapping[str, Any]) -> list[str]:
    """Write the dims of a block for people."""
    return [f"{format_name(name)}={format_name(str(value))}" for name, value in dims.items()]


def json_of(what: dict[str, Any]) -> str:
    """Return JSON in one line, in which fractions are strings, however long they are."""
    return json.dumps(what, default=_string_of)


def _string_of(number: Fraction) -> str:
    short = format_number(number)
    return str(number) if short.startswith("about") else short
