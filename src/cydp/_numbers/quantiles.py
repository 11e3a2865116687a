# SPDX-License-Identifier: MIT
"""Which quantile is meant: a fraction from 0 to 1."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Number
from cydp._numbers.rational import format_number, read_exact

__all__ = ["read_quantile"]

_MOST_DENOMINATOR = 2**64 - 1


def read_quantile(q: Number, name: str = "q") -> Fraction:
    """Return which quantile is meant.

    Raises
    ------
    TypeError, ValueError
        If it is no number from 0 to 1, or if its denominator is 2**64 or more.

    Examples
    --------
    >>> read_quantile(0.95)
    Fraction(19, 20)

    """
    number = read_exact(q, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be from 0 to 1, not {format_number(number)}")
    if number.denominator > _MOST_DENOMINATOR:
        raise ValueError(f"{name} must have a denominator below 2**64")
    return number
