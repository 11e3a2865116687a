# SPDX-License-Identifier: MIT
"""Accounts of a ledger: what each may spend in a block, and the table of all that are open."""

from __future__ import annotations

from dataclasses import dataclass

from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name, format_numbers, html_of, numbers_of
from cydp.accounting.ledger._balance import Balance
from cydp.accounting.ledger._blocks import ALL, MOST_SHOWN, format_table
from cydp.accounting.ledger._rows import Rows

__all__ = ["AccountState", "AccountStates", "account_of", "read_accounts"]


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


def account_of(kind: type[Loss], name: str, block: str, balance: Balance) -> AccountState:
    """Return the state of an account in a block with this balance; KeyError without it."""
    share = balance.shares[name]
    amounts = share.budget, share.spent, balance.left_of(name)
    budget, spent, left = (loss_of_amount(kind, amount) for amount in amounts)
    return AccountState(name, None if block == ALL else block, budget, spent, left)


def read_accounts(rows: Rows, kind: type[Loss]) -> AccountStates:
    """Return the open accounts, by block and name."""
    balances = ((row[0], Balance.of_row(row)) for row in rows.blocks())
    return AccountStates(
        account_of(kind, name, block, balance)
        for block, balance in balances
        for name in sorted(balance.shares)
    )
