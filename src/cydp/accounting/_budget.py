# SPDX-License-Identifier: MIT
"""What all budgets have in common: their members, and which loss can be a budget."""

from __future__ import annotations

from typing import Any, Protocol

from cydp._arguments import Integer
from cydp._relations import check_relation
from cydp.accounting._cost import Cost
from cydp.accounting._describe_argument import describe_wrong_loss
from cydp.accounting._errors import AdaptivityError, RelationMismatchError
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP

__all__ = ["Spendable", "check_budget"]


class Spendable(Protocol):
    """What every budget has: a `PrivacyFilter`, a `BudgetLedger`, a `LedgerScope`.

    `budget`, `spent` and `remaining` are losses of one measure. Where several blocks of a ledger
    have budgets of their own, `spent` and `remaining` are dicts of losses by block id.
    """

    @property
    def budget(self) -> Any:
        """What may be spent in all."""

    @property
    def relation(self) -> str:
        """The relation of neighbours that the budget is kept under."""

    @property
    def spent(self) -> Any:
        """What was charged."""

    @property
    def remaining(self) -> Any:
        """What may still be charged."""

    def would_exceed(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand."""

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> Any:
        """Spend a loss `count` times, or raise and spend nothing."""


def check_budget(budget: Loss, relation: str | None = None) -> Loss:
    """Return a loss that can be a budget, kept under a relation.

    Raises a TypeError for what is no loss, an AdaptivityError for a plan, and a
    RelationMismatchError if the budget is stated under another relation.
    """
    if hasattr(budget, "as_loss"):
        raise AdaptivityError(
            "budget must not be a Plan, since to stop when the total of a plan is reached "
            "guarantees nothing: charge plan.as_loss(delta) to a budget ApproxDP(epsilon, delta) "
            "before the first release"
        )
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise TypeError(
            "budget must be PureDP(epsilon), ApproxDP(epsilon, delta) or ZCDP(rho), not "
            f"{describe_wrong_loss(budget)}"
        )
    if relation is not None and budget.relation not in (None, check_relation(relation)):
        raise RelationMismatchError(
            f"budget is stated under {budget.relation!r} and cannot be kept under {relation!r}: "
            f"pass relation={budget.relation!r}, or state the budget under {relation!r}"
        )
    return budget
