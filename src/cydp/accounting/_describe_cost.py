# SPDX-License-Identifier: MIT
"""How the history of a budget describes a cost."""

from __future__ import annotations

from typing import Any

from cydp._numbers.rational import literal_of
from cydp.accounting._loss import LOSSES, ApproxDP

__all__ = ["describe_cost", "name_mechanism", "query_of"]


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
    described = _asked(cost)
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
    described = _asked(cost)
    return str(getattr(described, "mechanism_name", type(described).__name__))


def query_of(cost: Any) -> Any:
    """Return the query of a release, or of what was made of one; None for what has none."""
    described = _asked(cost)
    return described if hasattr(described, "arguments_before") else None


def _asked(cost: Any) -> Any:
    """Return the query of a release or of what was made of one, which has no released value in it.

    Another cost is returned itself.
    """
    if hasattr(type(cost), "_pairs"):  # a mechanism, if only one on a sample for another
        return cost
    for name in ("query", "release", "mechanism"):
        part = getattr(cost, name, None)
        if part is not None and not callable(part):  # a mechanism has a method `release`
            return _asked(part) if name == "release" else part
    return cost
