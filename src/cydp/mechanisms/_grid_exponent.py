# SPDX-License-Identifier: MIT
"""The exponents of the power-of-two grids that real numbers are rounded to."""

from __future__ import annotations

import math
from fractions import Fraction

from cydp._arguments import Number
from cydp._numbers.rational import format_number, read_binary, read_exact

__all__ = [
    "LEAST_EXPONENT",
    "MOST_EXPONENT",
    "MOST_STEPS",
    "ceil_log2",
    "default_exponent",
    "float_up",
    "read_exponent",
]

LEAST_EXPONENT, MOST_EXPONENT = -1021, 896  # those of cydp.h
_LEAST_STEPS = 2**40  # the scale of the noise is at least this number of steps
MOST_STEPS = 2**52  # and at most this number
_ROUNDING = 1024  # the sensitivity is at least this multiple of what rounding adds, if possible


def default_exponent(scale2: Fraction, rounding2: Fraction, least2: Fraction) -> int:
    """Return the exponent of the coarsest grid whose rounding adds hardly any noise.

    Parameters
    ----------
    scale2 : Fraction
        Square of the scale of the noise.
    rounding2 : Fraction
        Square of the step at which rounding would double the sensitivity.
    least2 : Fraction
        Square of the least step that is allowed.

    Raises
    ------
    ValueError
        If no grid fits the scale.

    """
    if not Fraction(1, 4**981) <= scale2 <= 4**936:
        raise ValueError(
            "sensitivity must give a scale between 2**-981 and 2**936, where step is not given"
        )
    wanted = -ceil_log2(1 / min(rounding2 / _ROUNDING**2, scale2 / _LEAST_STEPS**2)) // 2
    finest = -(-ceil_log2(least2) // 2)
    return max(wanted, finest, LEAST_EXPONENT)


def read_exponent(step: Number) -> int:
    """Return the exponent of a step.

    Raises
    ------
    TypeError, ValueError
        If step is not a power of two from 2**-1021 to 2**896.

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
