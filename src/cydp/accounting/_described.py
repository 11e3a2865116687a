# SPDX-License-Identifier: MIT
"""What a history says of a cost."""

from __future__ import annotations

from typing import Any

from cydp._numbers.rational import quoted
from cydp.accounting._loss import ApproxDP

__all__ = ["described"]


def described(cost: Any) -> str:
    """Return what a cost is: nothing that was released, and no address.

    Parameters
    ----------
    cost : loss, mechanism or release
        One that was checked. The loss of a plan is told by the plan.

    Examples
    --------
    >>> from cydp import Plan, PureDP
    >>> described(PureDP(1)), described(Plan([(PureDP("0.1"), 3)]).as_loss(0))
    ('PureDP(epsilon=1)', 'Plan([(PureDP(epsilon=0.1), 3)]).as_loss(0)')

    """
    plan = cost.plan if isinstance(cost, ApproxDP) else None
    if plan is not None:
        items = ", ".join(f"({described(item)}, {count})" for item, count in plan.items)
        return f"Plan([{items}]).as_loss({quoted(cost.delta)})"
    mechanism = getattr(cost, "mechanism", cost)  # of a release
    says: Any = type(mechanism).__repr__
    return repr(cost.loss if says is object.__repr__ else mechanism)
