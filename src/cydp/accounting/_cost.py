# SPDX-License-Identifier: MIT
"""What can be charged: a loss, or a mechanism or a release, which has one."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from cydp._relations import check_optional_relation, implies
from cydp.accounting._combine_relations import combine_relations
from cydp.accounting._describe_argument import describe_wrong_loss
from cydp.accounting._errors import RelationMismatchError
from cydp.accounting._loss import LOSSES, Loss

__all__ = [
    "Cost",
    "HasLoss",
    "check_loss",
    "check_relation_of_cost",
    "is_made",
    "loss_of",
    "note_release",
    "relation_of",
]


@runtime_checkable
class HasLoss(Protocol):
    """A mechanism or a release."""

    @property
    def loss(self) -> Loss:
        """Privacy cost."""


Cost: TypeAlias = Loss | HasLoss


def check_loss(loss: object, name: str) -> Loss:
    """Return a loss; a TypeError for anything else, a mechanism included."""
    if not isinstance(loss, LOSSES):
        raise TypeError(f"{name} must be PureDP, ApproxDP or ZCDP, not {describe_wrong_loss(loss)}")
    return loss


def loss_of(cost: Cost, name: str = "cost") -> Loss:
    """Return a loss, or that of a mechanism or a release; a TypeError for anything else.

    `name` is the parameter that the cost was given as, for the error.
    """
    if isinstance(cost, LOSSES):
        return cost
    loss = getattr(cost, "loss", None)
    if not isinstance(loss, LOSSES):
        if hasattr(cost, "as_loss") and not isinstance(cost, type):
            raise TypeError(
                f"{name} must not be a Plan, which is charged as a whole, at a delta: charge "
                "plan.as_loss(delta)"
            )
        raise TypeError(
            f"{name} must be a loss or a mechanism, such as PureDP(0.1), not "
            f"{describe_wrong_loss(cost)}"
        )
    return loss


def relation_of(cost: Cost) -> str | None:
    """Return the relation that a cost is stated under; None: the cost states none.

    Raises RelationMismatchError for a mechanism that is stated under another relation than its
    loss.
    """
    if isinstance(cost, LOSSES):
        return cost.relation
    return combine_relations(
        "a mechanism and its loss", getattr(cost, "relation", None), loss_of(cost).relation
    )


def check_relation_of_cost(
    cost: Cost, relation: str | None, kept: str, use: str = "be paid from a budget"
) -> None:
    """Raise a RelationMismatchError unless a cost's relation implies that of a budget.

    Parameters
    ----------
    cost : loss, mechanism or release
        It may state its relation itself.
    relation : {"add-remove", "change-one", "add-remove-or-change", None}
        The relation that the caller states for the cost.
    kept : {"add-remove", "change-one", "add-remove-or-change"}
        The relation that the budget is kept under.
    use : str
        What the cost is for, in the error.

    """
    for stated in (relation_of(cost), check_optional_relation(relation)):
        if not implies(stated, kept):
            raise RelationMismatchError(
                f"the cost is stated under {stated!r} and cannot {use} that is kept under "
                f"{kept!r}: state both under one relation"
            )


def note_release(error: BaseException, *costs: Cost) -> None:
    """Note on the refusal of charges that what was released before them is out all the same.

    A loss, a release and what is made of one may be charged afterwards. A mechanism, or the query
    of a release that a budget pays for, has released nothing yet.
    """
    if any(isinstance(cost, LOSSES) or is_made(cost) for cost in costs):
        error.add_note(
            "if this was released already, it is out, and the budget does not count it: pass "
            "budget= to a release, so that it is charged first"
        )


def is_made(cost: Cost) -> bool:
    """Whether a cost is that of a release, or of what is made of one, and stands for no loss."""
    return hasattr(cost, "query") or not callable(getattr(cost, "release", callable))
