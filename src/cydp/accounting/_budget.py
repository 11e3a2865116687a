# SPDX-License-Identifier: MIT
"""Which loss can be a budget."""

from __future__ import annotations

from cydp._relations import check_relation
from cydp.accounting._describe_argument import describe_wrong_loss
from cydp.accounting._errors import AdaptivityError, RelationMismatchError
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP

__all__ = ["check_budget"]


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
