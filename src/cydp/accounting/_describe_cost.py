# SPDX-License-Identifier: MIT
"""How the history of a budget describes a cost."""

from __future__ import annotations

from typing import Any

from cydp._numbers.rational import literal_of
from cydp.accounting._loss import ApproxDP

__all__ = ["describe_cost"]


def describe_cost(cost: Any) -> str:
    """Return a string that describes a cost, and contains neither a released value nor an address.

    Parameters
    ----------
    cost : loss, mechanism or release
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
    mechanism = getattr(cost, "mechanism", cost)  # a release has one
    its_repr: Any = type(mechanism).__repr__
    # The repr that Python gives to every object shows an address.
    return repr(cost.loss if its_repr is object.__repr__ else mechanism)
