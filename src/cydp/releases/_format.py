# SPDX-License-Identifier: MIT
"""How releases write their cost, their numbers and their parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import format_number, literal_of
from cydp.accounting._loss import ZCDP, Loss, PureDP
from cydp.exact._grid import Grid

__all__ = ["format_cost", "format_estimate", "format_parameter"]


def format_cost(loss: Loss) -> str:
    """Return a loss as the parameters that a release takes.

    >>> format_cost(PureDP("0.1")), format_cost(ZCDP(2))
    ('epsilon=0.1', 'rho=2')
    """
    if isinstance(loss, ZCDP):
        return f"rho={format_number(loss.rho)}"
    cost = f"epsilon={format_number(loss.epsilon)}"
    return cost if isinstance(loss, PureDP) else f"{cost}, delta={format_number(loss.delta)}"


def format_estimate(value: float, bound: float) -> tuple[str, str]:
    """Return a number and its error bound, to two digits of the bound.

    >>> format_estimate(31188540.25, 599146.5), format_estimate(0.123456, 0.0123)
    (('31,190,000', '600,000'), ('0.123', '0.012'))
    """
    if not (0 < bound < math.inf) or not math.isfinite(value):
        return f"{value:,.6g}", f"{bound:,.6g}"
    digits = 1 - math.floor(math.log10(bound))
    shown = max(digits, 0)
    return f"{round(value, digits):,.{shown}f}", f"{round(bound, digits):,.{shown}f}"


def format_parameter(value: Any) -> str:
    """Return a parameter of a query as a text that is the same in every process.

    >>> print(format_parameter((Fraction(1, 2), Grid(-1, 0, 20), None)))
    (0.5, Grid(bounds=(0, 10), step=2**-1), None)
    """
    if isinstance(value, Fraction):
        return literal_of(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(format_parameter, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Mapping):
        items = (f"{name!r}: {format_parameter(each)}" for name, each in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, Grid):
        return f"Grid(bounds={format_parameter(value.bounds)}, step=2**{value.exponent})"
    return repr(value)
