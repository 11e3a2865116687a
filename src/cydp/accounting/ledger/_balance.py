# SPDX-License-Identifier: MIT
"""What a block has, has spent, and has set aside for accounts: its row, and its arithmetic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, Self

from cydp.accounting._amounts import Amount, add_amounts, exceeds, subtract_amounts, zero_amount
from cydp.accounting._errors import LedgerCorruptError
from cydp.accounting.ledger._rows import BlockRow
from cydp.accounting.ledger._serialize import amount_from, strings_of

__all__ = ["DAMAGED", "Balance", "json_of_amount"]

DAMAGED = "the ledger is damaged: a block is not what was written"


class Share(NamedTuple):
    """What is set aside in a block for an account: how much in all, and how much of it is spent."""

    budget: Amount
    spent: Amount

    @property
    def left(self) -> Amount:
        """What the account may still spend."""
        return subtract_amounts(self.budget, self.spent)


@dataclass(frozen=True, slots=True)
class Balance:
    """The amounts of one block.

    Attributes
    ----------
    budget, spent : tuple of Fraction
        What may be spent in all, and what was spent, by accounts too.
    is_retired : bool
    shares : mapping
        What is set aside, by the name of the account.

    """

    budget: Amount
    spent: Amount
    is_retired: bool = False
    shares: Mapping[str, Share] = field(default_factory=dict)

    @classmethod
    def of_row(cls, row: BlockRow) -> Self:
        """Read the row of a block; a LedgerCorruptError for anything that was not written."""
        _, budget, state, retired = row
        try:
            return cls(_amount_of(budget), *_state_of(state, bool(retired)))
        except (AttributeError, TypeError, ValueError, LookupError, ArithmeticError):
            raise LedgerCorruptError(DAMAGED) from None

    @property
    def state(self) -> str:
        """The text of what was spent and set aside. Without accounts it is that of an amount."""
        if not self.shares:
            return json_of_amount(self.spent)
        accounts = {name: list(map(strings_of, share)) for name, share in self.shares.items()}
        return json.dumps({"accounts": accounts, "spent": strings_of(self.spent)}, sort_keys=True)

    @property
    def set_aside(self) -> Amount:
        """What all accounts may still spend."""
        total = zero_amount(self.budget)
        if self.is_retired:
            return total
        for share in self.shares.values():
            total = tuple(a + b for a, b in zip(total, share.left, strict=True))
        return total

    @property
    def left(self) -> Amount:
        """What may still be spent without an account."""
        if self.is_retired:
            return zero_amount(self.budget)
        left = subtract_amounts(subtract_amounts(self.budget, self.spent), self.set_aside)
        # What was spent from an account may have been rounded up.
        return tuple(max(number, 0 * number) for number in left) if self.shares else left

    def left_of(self, account: str) -> Amount:
        """Return what an account may still spend; KeyError without it."""
        return zero_amount(self.budget) if self.is_retired else self.shares[account].left

    def charged(self, cost: Amount, account: str | None = None) -> Self:
        """Return the balance after a charge, whether it fits or not; KeyError without the account.

        >>> from fractions import Fraction as F
        >>> half = Balance((F(1),), (F(0),)).with_share("nightly", (F(1, 2),))
        >>> half.charged((F(1, 4),), "nightly").left, half.charged((F(1, 4),)).left
        ((Fraction(1, 2),), (Fraction(1, 4),))
        """
        shares = self.shares
        if account is not None:
            budget, spent = shares[account]
            shares = {**shares, account: Share(budget, add_amounts(spent, cost))}
        return replace(self, spent=add_amounts(self.spent, cost), shares=shares)

    def is_overdrawn(self, account: str | None = None) -> bool:
        """Whether the last charge, to this account, did not fit."""
        if exceeds(self.spent, self.budget):
            return True
        if account is not None:
            share = self.shares[account]
            return exceeds(share.spent, share.budget)
        together = tuple(a + b for a, b in zip(self.spent, self.set_aside, strict=True))
        return exceeds(together, self.budget)

    def with_share(self, account: str, budget: Amount) -> Self:
        """Return the balance with a budget set aside for an account."""
        return replace(self, shares={**self.shares, account: Share(budget, zero_amount(budget))})

    def without_share(self, account: str) -> Self:
        """Return the balance without an account; KeyError if it has none of this name."""
        shares = {**self.shares}
        del shares[account]
        return replace(self, shares=shares)


def json_of_amount(amount: Amount) -> str:
    """Return an amount as the table of blocks has it."""
    return json.dumps(strings_of(amount))


@lru_cache(256)
def _amount_of(text: str) -> Amount:
    return amount_from(json.loads(text))


@lru_cache(256)
def _state_of(text: str, is_retired: bool) -> tuple[Amount, bool, Mapping[str, Share]]:
    found = json.loads(text)
    if isinstance(found, list):
        return amount_from(found), is_retired, {}
    shares = {name: Share(*map(amount_from, each)) for name, each in found["accounts"].items()}
    return amount_from(found["spent"]), is_retired, shares
