# SPDX-License-Identifier: MIT
"""The parameters that many mechanisms have: how they are read, held and written."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._numbers.rational import (
    format_number,
    log_of,
    read_integer,
    read_level,
    read_positive,
    read_upward,
)
from cydp._sensitivity import Sensitivity, Unbounded, norm_order, upward_literal_of

__all__ = [
    "format_sensitivity",
    "log_failure_probability",
    "read_coordinates",
    "read_norm",
    "set_fields",
]


def log_failure_probability(confidence: Number, count: Integer) -> float:
    """Return ln of the probability with which one of `count` independent draws may miss a bound.

    All draws then keep to the bound with a probability of at least `confidence`.

    Raises
    ------
    TypeError, ValueError
        If confidence or count is outside its range.

    Examples
    --------
    >>> round(log_failure_probability("0.95", 1), 6) == round(math.log(0.05), 6)
    True

    """
    draws = read_integer(count, "count")
    if not 1 <= draws <= 2**62:
        raise ValueError(f"count must be from 1 to 2**62, not {format_number(Fraction(draws))}")
    level = read_level(confidence)
    if draws == 1:
        return log_of(1 - level)
    failure = -math.expm1(log_of(level) / draws)
    if failure > 0:
        return math.log(failure)
    # 1 - level**(1 / n) is at least (1 - level) / n.
    return log_of(1 - level) - math.log(draws)


def read_norm(sensitivity: Number, order: int = 1) -> Fraction:
    """Return a sensitivity > 0 in the L1 norm or, if `order` is 2, in the L2 norm.

    A float means the larger of its shortest repr and its binary value.

    >>> read_norm("0.5"), read_norm(0.1) > Fraction(1, 10)
    (Fraction(1, 2), True)
    >>> read_norm(Sensitivity(100, l2=10), 2)
    Fraction(10, 1)
    """
    if isinstance(sensitivity, (float, np.floating)) and math.isinf(sensitivity):
        missing = sensitivity.missing_bound if isinstance(sensitivity, Unbounded) else "bound"
        raise ValueError(
            f"sensitivity must be finite: the data has no {missing}, so clamp it to "
            "bounds=(lower, upper) first"
        )
    if norm_order(sensitivity) > order:
        raise ValueError(
            "sensitivity must bound the L1 norm of a change, as norm=1 gives: this one bounds the "
            "L2 norm, which is for Gaussian mechanisms"
        )
    if order == 2 and isinstance(sensitivity, Sensitivity):
        sensitivity = sensitivity.l2
    norm = read_positive(sensitivity, "sensitivity")
    is_float = isinstance(sensitivity, (float, np.floating))
    return read_upward(sensitivity, "sensitivity") if is_float else norm


def format_sensitivity(norm: Fraction, relation: str | None) -> str:
    """Return a sensitivity, with its relation if it has one, as a Python expression.

    >>> format_sensitivity(Fraction(1, 2), None), format_sensitivity(Fraction(2), "change-one")
    ('0.5', "Sensitivity(2, relation='change-one')")
    """
    return (
        upward_literal_of(norm) if relation is None else repr(Sensitivity(norm, relation=relation))
    )


def read_coordinates(coordinates: Integer | None) -> int | None:
    """Return the number of entries, or None for all; raise a TypeError or ValueError otherwise."""
    if coordinates is None:
        return None
    count = read_integer(coordinates, "coordinates")
    if not 1 <= count < 2**60:
        raise ValueError(
            f"coordinates must be from 1 to 2**60 - 1, not {format_number(Fraction(count))}"
        )
    return count


def set_fields(instance: object, **values: Any) -> None:
    """Set fields of a frozen instance, in its ``__init__``."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
