# SPDX-License-Identifier: MIT
"""The power-of-two grids that real numbers are rounded to."""

from __future__ import annotations

import math
from fractions import Fraction

from cydp._arguments import Number
from cydp._numbers.rational import format_number, read_binary, read_exact

__all__ = [
    "FINEST",
    "LEAST_EXPONENT",
    "MOST_EXPONENT",
    "ceil_log2",
    "default_exponent",
    "float_up",
    "given_exponent",
]

LEAST_EXPONENT, MOST_EXPONENT = -1021, 896  # cydp.h
_COARSEST = 2**40  # steps in the scale of the noise, at least
FINEST = 2**52  # and at most
_ROUNDING = 1024  # times the norm that rounding adds is at most the norm, if the finest grid allows


def default_exponent(scale2: Fraction, spread2: Fraction, least2: Fraction) -> int:
    """Return the exponent of the coarsest grid that costs the noise hardly anything.

    Parameters
    ----------
    scale2 : Fraction
        Square of the scale of the noise.
    spread2 : Fraction
        Square of the sensitivity, divided by the norm that rounding adds in steps of the grid.
    least2 : Fraction
        Square of what the grid may not be below, whatever else.

    Raises
    ------
    ValueError
        For a scale that has no grid.

    """
    if not Fraction(1, 4**981) <= scale2 <= 4**936:
        raise ValueError(
            "sensitivity must give a scale between 2**-981 and 2**936, where step is not given"
        )
    wanted = -ceil_log2(1 / min(spread2 / _ROUNDING**2, scale2 / _COARSEST**2)) // 2
    finest = -(-ceil_log2(least2) // 2)
    return max(wanted, finest, LEAST_EXPONENT)


def given_exponent(step: Number) -> int:
    """Return the exponent of a grid that was given.

    Raises
    ------
    TypeError, ValueError
        For what is no power of two from 2**-1021 to 2**896.

    """
    width = read_binary(step, "step")
    if width <= 0 or Fraction(2) ** (exponent := ceil_log2(width)) != width:
        near = f", such as 2.0**{ceil_log2(width)}" if width > 0 else ""
        raise ValueError(
            f"step must be a power of two{near}, not {format_number(read_exact(step, 'step'))}"
        )
    if not LEAST_EXPONENT <= exponent <= MOST_EXPONENT:
        raise ValueError(f"step must be from 2**-1021 to 2**896, not 2**{exponent}")
    return exponent


def ceil_log2(number: Fraction) -> int:
    """Return the least e with 2**e >= number > 0.

    >>> ceil_log2(Fraction(1, 4)), ceil_log2(Fraction(5))
    (-2, 3)
    """
    e = number.numerator.bit_length() - number.denominator.bit_length() - 1
    while Fraction(2) ** e < number:
        e += 1
    return e


def float_up(number: Fraction) -> float:
    """Return the least float at or above a number >= 0."""
    try:
        nearest = number.numerator / number.denominator
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
