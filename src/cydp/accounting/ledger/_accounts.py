# SPDX-License-Identifier: MIT
"""Accounts of a ledger: what each may spend in a block, and the table of all that are open."""

from __future__ import annotations

from dataclasses import dataclass

from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name, format_numbers, html_of, numbers_of
from cydp.accounting.ledger._blocks import MOST_SHOWN, format_table

__all__ = ["AccountState", "AccountStates"]


@dataclass(frozen=True, slots=True)
class AccountState:
    """What an open account may spend in a block, and what it has spent.

    Attributes
    ----------
    name : str
        The name of the account.
    block : str or None
        The id of the block; None for a ledger without blocks.
    budget, spent, remaining : loss
        What was set aside, what was charged to it, and what it may still spend.

    """

    name: str
    block: str | None
    budget: Loss
    spent: Loss
    remaining: Loss


class AccountStates(tuple[AccountState, ...]):
    """The open accounts of a ledger. Prints itself as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [("account", "block", "budget", "spent", "left")]
        rows += [
            (
                format_name(state.name), "" if state.block is None else format_name(state.block),
                format_numbers(numbers_of(state.budget), left=True),
                format_numbers(numbers_of(state.spent)),
                format_numbers(numbers_of(state.remaining), left=True),
            )
            for state in self[-MOST_SHOWN:]
        ]  # fmt: skip
        return format_table(rows, len(self) - MOST_SHOWN, "accounts")

    def _repr_html_(self) -> str:
        return html_of(repr(self))
