# SPDX-License-Identifier: MIT
"""The privacy that a caller asks for: epsilon=, rho=, or epsilon= with delta=."""

from __future__ import annotations

from cydp._arguments import Number
from cydp._numbers.rational import read_positive
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP

__all__ = ["read_privacy"]


def read_privacy(
    epsilon: Number | None, rho: Number | None, delta: Number | None, relation: str
) -> Loss:
    """Return the loss of a whole release, under a relation.

    Raises
    ------
    TypeError, ValueError
        Unless exactly one of epsilon, rho, and the pair of epsilon and delta is given, and each
        number is positive, and delta below 1.

    Examples
    --------
    >>> read_privacy(1, None, None, "add-remove")
    PureDP(epsilon=1, relation='add-remove')

    """
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise TypeError("rho must be given alone: epsilon and delta would ask for other noise")
        return ZCDP(read_positive(rho, "rho"), relation=relation)
    if epsilon is None:
        given = "" if delta is None else " with delta"
        raise TypeError(f"epsilon must be given{given}, or rho: it is what the release may cost")
    if delta is None:
        return PureDP(read_positive(epsilon, "epsilon"), relation=relation)
    return ApproxDP(
        read_positive(epsilon, "epsilon"), read_positive(delta, "delta"), relation=relation
    )
