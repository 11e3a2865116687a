# SPDX-License-Identifier: MIT
"""What can be charged: a loss, or a mechanism or a release, which has a loss.

Also what the history of a budget says of a cost, and the privacy units that a cost protects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias, runtime_checkable

from cydp._numbers.rational import literal_of
from cydp._relations import check_optional_relation, implies
from cydp.accounting._errors import RelationMismatchError, UnitMismatchError
from cydp.accounting._loss import LOSSES, ApproxDP, Loss
from cydp.accounting._measure import Measure, combine_relations
from cydp.accounting._words import describe_wrong_loss

__all__ = [
    "Cost",
    "HasLoss",
    "check_loss",
    "check_relation_of_cost",
    "describe_cost",
    "is_made",
    "kept_units",
    "loss_of",
    "name_mechanism",
    "note_release",
    "query_of",
    "relation_of",
    "units_of",
]

# The attributes by which a cost names its sources.
_MADE_OF = ("query", "release", "mechanism", "plan")


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
        raise TypeError(
            f"{name} must be PureDP, ApproxDP, ZCDP or ApproxZCDP, not {describe_wrong_loss(loss)}"
        )
    return loss


def loss_of(cost: Cost, name: str = "cost") -> Loss:
    """Return the loss of anything that a budget takes: of a mechanism, of a release, or itself.

    With it, a function of your own can take the same costs as `PrivacyFilter.charge`.

    Parameters
    ----------
    cost : loss, mechanism or release
    name : str, default "cost"
        What your function calls the argument, for the error.

    Returns
    -------
    PureDP, ApproxDP, ZCDP or ApproxZCDP

    Raises
    ------
    TypeError
        For anything else, and for a `Plan`, which has a loss only at a given delta.

    Notes
    -----
    Privacy cost: none by itself.

    Examples
    --------
    >>> import cydp
    >>> loss_of(cydp.DiscreteLaplace(epsilon="0.5", sensitivity=1))
    PureDP(epsilon=0.5)

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
    if isinstance(cost, Measure):
        return cost.relation
    return combine_relations(
        "a mechanism and its loss", getattr(cost, "relation", None), loss_of(cost).relation
    )


def check_relation_of_cost(
    cost: Cost, relation: str | None, kept: str, use: str = "be paid from a budget"
) -> None:
    """Raise a RelationMismatchError unless a cost's relation implies the budget's relation.

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
    """Note on the refusal of charges that an earlier release is out all the same.

    A loss, and a release, may be charged after the release. A mechanism, or the query of a release
    that a budget pays for, has released nothing yet.
    """
    if any(isinstance(cost, Measure) or is_made(cost) for cost in costs):
        error.add_note(
            "if this was released already, it is out, and the budget does not count it: pass "
            "budget= to a release, so that it is charged first"
        )


def is_made(cost: Cost) -> bool:
    """Whether a cost is a release, or was made of a release."""
    return hasattr(cost, "query") or not callable(getattr(cost, "release", callable))


def describe_cost(cost: Any) -> str:
    """Return a string that describes a cost, and contains neither a released value nor an address.

    Parameters
    ----------
    cost : loss, mechanism, query or release
        It was checked before. The loss of a plan is described by the plan.

    Examples
    --------
    >>> from cydp import Plan, PureDP
    >>> describe_cost(PureDP(1)), describe_cost(Plan([(PureDP("0.1"), 3)]).as_loss(0))
    ('PureDP(epsilon=1)', 'Plan([(PureDP(epsilon=0.1), 3)]).as_loss(0)')

    """
    plan = cost.plan if isinstance(cost, ApproxDP) else None
    if plan is not None:
        items = ", ".join(f"({describe_cost(item)}, {count})" for item, count in plan.items)
        return f"Plan([{items}]).as_loss({literal_of(cost.delta)})"
    described = _without_values(cost)
    its_repr: Any = type(described).__repr__
    # The repr that Python gives to every object shows an address.
    return repr(cost.loss if its_repr is object.__repr__ else described)


def name_mechanism(cost: Any) -> str | None:
    """Return what the history calls the mechanisms of a cost; None for a loss without one.

    Examples
    --------
    >>> import cydp
    >>> name_mechanism(cydp.mean([1], (0, 10), epsilon=1)), name_mechanism(cydp.PureDP(1))
    ('DiscreteLaplace', None)

    """
    if isinstance(cost, LOSSES):
        return "Plan" if isinstance(cost, ApproxDP) and cost.plan is not None else None
    described = _without_values(cost)
    return str(getattr(described, "mechanism_name", type(described).__name__))


def query_of(cost: Any) -> Any:
    """Return the query of a release, or of what was made of a release; None for other costs."""
    described = _without_values(cost)
    return described if hasattr(described, "arguments_before") else None


def _without_values(cost: Any) -> Any:
    """Return the query of a release, or of what was made of a release; another cost itself.

    A query has no released value in it.
    """
    if hasattr(type(cost), "_pairs"):  # a mechanism, if only one on a sample for another
        return cost
    for name in ("query", "release", "mechanism"):
        part = getattr(cost, name, None)
        if part is not None and not callable(part):  # a mechanism has a method `release`
            return _without_values(part) if name == "release" else part
    return cost


def units_of(cost: object) -> list[Any]:
    """Return the privacy units that a cost and its sources state.

    Parameters
    ----------
    cost : object
        A loss, a mechanism, a query, a release, what was made of a release, or a plan of these.

    Returns
    -------
    list of cydp.releases._unit.Unit
        Each one once. Empty for a loss or mechanism that knows of no unit.

    Examples
    --------
    >>> import cydp
    >>> table = cydp.value_counts(["a", "b"], ["a", "b"], epsilon=1).nonnegative()
    >>> [unit.name for unit in units_of(cydp.Plan([(table, 3)]).as_loss(0))]
    ['row']

    """
    found: dict[Any, None] = {}
    for source in _sources_of(cost):
        unit = getattr(source, "unit", None)
        # By name, since releases and their units are in a layer above this one.
        if hasattr(unit, "check_kept"):
            found[unit] = None
    return list(found)


def kept_units(cost: object, kept: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the units that a budget in memory protects after a charge.

    Losses of releases that protect different units do not add up to a loss of any of them.

    Parameters
    ----------
    cost : object
        As in `units_of`.
    kept : tuple of str
        The units that the budget is for, and all charges before it protect; () if none is named.

    Raises
    ------
    UnitMismatchError
        If the cost protects none of these units.

    """
    for unit in units_of(cost):
        names = unit.protected
        if kept and names and not set(kept) & set(names):
            raise UnitMismatchError(
                f"the budget is for releases that protect {kept[0]!r}, and this release "
                f"protects {unit.name!r}: if that contains it, say so by "
                f"unit=({unit.name!r}, {kept[0]!r}); else keep one budget for each unit"
            )
        kept = tuple(name for name in kept if name in names) if kept and names else kept or names
    return kept


def _sources_of(cost: Any) -> Iterator[Any]:
    """Yield a cost, and all its sources."""
    yield cost
    items = getattr(cost, "items", ())  # of a plan: a mapping has a method of this name
    parts = [item for item, _ in items] if isinstance(items, tuple) else []
    for part in [getattr(cost, name, None) for name in _MADE_OF] + parts:
        if part is not None and not callable(part):  # a mechanism has a method `release`
            yield from _sources_of(part)
