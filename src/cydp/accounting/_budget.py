# SPDX-License-Identifier: MIT
"""What all budgets share: which loss can be one, what they are asked to pay, what they answer.

docs/releases.md, "One way", follows a release through it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from cydp._relations import check_relation
from cydp.accounting._amounts import Amount, loss_like, repeat_amount
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._errors import AdaptivityError, RelationMismatchError
from cydp.accounting._loss import LOSSES, Loss
from cydp.accounting._renyi import divergence_of
from cydp.accounting._renyi_dp import AnyLoss, RenyiDP
from cydp.accounting._words import describe_wrong_loss

__all__ = [
    "Asked", "Paid", "PaidInMemory", "amount_of_cost", "check_budget", "check_budget_in_memory",
    "note_charge",
]  # fmt: skip


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
    if not isinstance(budget, LOSSES):
        wrong = describe_wrong_loss(budget)
        if isinstance(budget, RenyiDP):
            wrong += ", which is a budget of a PrivacyFilter alone"
        raise TypeError(
            "budget must be PureDP(epsilon), ApproxDP(epsilon, delta), ZCDP(rho) or "
            f"ApproxZCDP(rho, delta), not {wrong}"
        )
    _check_stated(budget, relation)
    return budget


def check_budget_in_memory(budget: AnyLoss, relation: str) -> AnyLoss:
    """Return a loss that can be a budget in memory, as `check_budget` does for all budgets."""
    if not isinstance(budget, RenyiDP):
        return check_budget(budget, relation)
    _check_stated(budget, relation)
    return budget


def _check_stated(budget: AnyLoss, relation: str | None) -> None:
    if relation is not None and budget.relation not in (None, check_relation(relation)):
        raise RelationMismatchError(
            f"budget is stated under {budget.relation!r} and cannot be kept under {relation!r}: "
            f"pass relation={budget.relation!r}, or state the budget under {relation!r}"
        )


def amount_of_cost(cost: Cost | RenyiDP, count: int, budget: AnyLoss) -> Amount:
    """Return what `count` releases cost in the measure of a budget; else MeasureMismatchError."""
    if isinstance(cost, RenyiDP):
        return repeat_amount(cost, count, budget)
    if not isinstance(budget, RenyiDP):
        return repeat_amount(loss_of(cost), count, budget)
    return (count * divergence_of(cost, budget.order),)


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that a budget is asked to pay for, before it reads data.

    Attributes
    ----------
    cost : mechanism or query
        What is charged is its loss.
    function : str
        The name of what releases.
    count : int
        The number of times that the loss is charged.
    arguments : callable or None
        Returns the public arguments that `cost` does not hold, as JSON can hold them. A repetition
        of a charge with an id must have the same. None: a query holds all of them.
    nbytes : int
        How many bytes the arrays of the result have, if that is known.
    answers : list of Paid
        What budgets have answered, so that an interruption of `_pay` loses nothing.

    """

    cost: Cost
    function: str
    count: int = 1
    arguments: Callable[[], Any] | None = None
    nbytes: int = 0
    answers: list[Paid] = field(default_factory=list, compare=False)


class Paid(Protocol):
    """What a budget returns when it has paid, or had paid for the same call before."""

    @property
    def cost(self) -> AnyLoss:
        """What was charged, in the measure of the budget."""

    @property
    def fresh(self) -> bool:
        """Whether this call was charged. Else `result` is what was recorded for it."""

    @property
    def result(self) -> Any:
        """The recorded result of a call that was charged before."""

    @property
    def stands(self) -> bool:
        """Whether the charge was made, if `_pay` was interrupted; True where nobody can tell."""

    def keep(self, result: Any) -> Any:
        """Record a result if the charge has an id, and return it as it is read back."""

    def note(self, error: BaseException) -> None:
        """Note on an exception that came after the charge what became of the charge."""


class PaidInMemory:
    """What a `PrivacyFilter` returns: it records nothing."""

    __slots__ = ("_asked", "_budget")

    fresh = True
    result = None
    stands = True

    def __init__(self, asked: Asked, budget: AnyLoss) -> None:
        self._asked, self._budget = asked, budget

    @property
    def cost(self) -> AnyLoss:
        """What was charged, in the measure of the budget."""
        amount = amount_of_cost(self._asked.cost, self._asked.count, self._budget)
        return loss_like(self._budget, amount)

    def keep(self, result: Any) -> Any:
        """Return the result."""
        return result

    def note(self, error: BaseException) -> None:
        """Note on an exception that the budget has paid."""
        note_charge(error, self, "was charged to the budget")


def note_charge(
    error: BaseException, paid: Paid, words: str, end: str = "nothing was released"
) -> None:
    """Note on an exception what was charged before it, and what became of the release."""
    error.add_note(f"{paid.cost} {words}; {end}")
