# SPDX-License-Identifier: MIT
"""How every pair of bounds is read."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from cydp._arguments import Bounds
from cydp._numbers.rational import format_binary, read_binary

__all__ = ["Pair", "check_order", "check_pair", "read_bounds"]


class Pair(Sequence[float]):
    """A pair of bounds that is no tuple or list, such as released bounds."""

    __slots__ = ()


def check_pair(bounds: Any, name: str = "bounds") -> tuple[Any, Any]:
    """Return the two entries of a pair, which are not checked.

    Raises
    ------
    TypeError
        If it is no tuple or list, such as an array.
    ValueError
        If it does not have two entries.

    Examples
    --------
    >>> check_pair([0, None])
    (0, None)

    """
    wanted = f"{name} must be a pair of numbers, {name}=(lower, upper)"
    if not isinstance(bounds, tuple | list | Pair):
        raise TypeError(f"{wanted}, not {type(bounds).__name__}")
    if len(bounds) != 2:
        raise ValueError(f"{wanted}, not a {type(bounds).__name__} of {len(bounds)}")
    return bounds[0], bounds[1]


def read_bounds(bounds: Bounds, name: str = "bounds") -> tuple[Fraction, Fraction]:
    """Read a pair of finite numbers exactly: a float means its binary value.

    Raises
    ------
    TypeError, ValueError
        If it is no pair of finite numbers with lower <= upper.

    Examples
    --------
    >>> read_bounds((0, 0.5))
    (Fraction(0, 1), Fraction(1, 2))

    """
    lower, upper = check_pair(bounds, name)
    ends = (
        read_binary(lower, f"lower in {name}=(lower, upper)"),
        read_binary(upper, f"upper in {name}=(lower, upper)"),
    )
    check_order(*ends, name)
    return ends


def check_order(lower: Fraction, upper: Fraction, name: str = "bounds") -> None:
    """Raise a ValueError unless `lower` is at most `upper`."""
    if lower > upper:
        raise ValueError(
            f"{name}=(lower, upper) must have lower <= upper, not ({format_binary(lower)}, "
            f"{format_binary(upper)})"
        )
