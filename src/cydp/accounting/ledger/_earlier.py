# SPDX-License-Identifier: MIT
"""What earlier versions have written otherwise of a release that is the same today."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from cydp.accounting._loss_numbers import half_square, rho_of_pure

__all__ = ["with_half_squares"]


def with_half_squares(packed: Any) -> Any:
    """Return the JSON of a query as it was when the rho of a pure loss was epsilon**2 / 2.

    >>> with_half_squares({"query": [1, None]})
    {'query': [1, None]}
    """
    if isinstance(packed, list):
        return [with_half_squares(each) for each in packed]
    if not isinstance(packed, dict):
        return packed
    match packed:
        case {"$object": ["PureDP", [{"$fraction": epsilon}, {"$fraction": rho}, relation]]}:
            if Fraction(rho) == rho_of_pure(Fraction(epsilon)):  # else it was claimed
                before = {"$fraction": str(half_square(Fraction(epsilon)))}
                return {"$object": ["PureDP", [{"$fraction": epsilon}, before, relation]]}
    return {name: with_half_squares(each) for name, each in packed.items()}
