# SPDX-License-Identifier: MIT
"""Rounding of bounds to short decimals, always outward: a bound stays a bound."""

from __future__ import annotations

import math
import sys
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from cydp._numbers.intervals import directed_contexts, sqrt_bounds
from cydp._numbers.rational import Exact, float_of, format_number

__all__ = [
    "DIGITS",
    "as_float",
    "decimal_above",
    "decimal_below",
    "delta_above",
    "delta_float_above",
    "float_above",
    "float_below",
    "percent_of",
    "root_above",
    "words_above",
]

DIGITS = 6
_UP, _DOWN = (
    Context(prec=DIGITS, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)
    for rounding in (ROUND_CEILING, ROUND_FLOOR)
)
_MOST_PERCENT = Fraction("99.9999")  # of six digits, below 100
_LEAST_STEP = Decimal("1e-323")  # between decimals that are different floats


def decimal_above(number: Fraction, digits: int = DIGITS) -> Exact:
    """Return the least decimal of so many digits that is at least as large as a number >= 0.

    >>> decimal_above(Fraction(2, 3)), decimal_above(Fraction(2, 3), 2)
    (Fraction(666667, 1000000), Fraction(67, 100))
    """
    return Exact(_divide(_UP if digits == DIGITS else directed_contexts(digits)[1], number))


def root_above(square: Fraction) -> Fraction:
    """Return the square root of a number >= 0, rounded up to six digits if it is irrational.

    >>> root_above(Fraction(9, 4)), root_above(Fraction(2))
    (Fraction(3, 2), Fraction(70711, 50000))
    """
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above**2 == square.numerator and below**2 == square.denominator:
        return Fraction(above, below)
    return decimal_above(sqrt_bounds(square)[1])


def decimal_below(number: Fraction) -> Exact:
    """Return the largest decimal of six digits that is at most as large as a number >= 0.

    >>> decimal_below(Fraction(2, 3))
    Fraction(333333, 500000)
    """
    return Exact(_divide(_DOWN, number))


def delta_above(number: Fraction) -> Exact:
    """Return a short decimal that is at least as large as a delta, and below 1 if the delta is.

    If six digits would make it 1, its difference to 1 has six digits.

    >>> float(delta_above(1 - Fraction(1, 3 * 10**7)))
    0.9999999666667
    """
    above = decimal_above(number)
    return Exact(1 - decimal_below(1 - number)) if number < 1 <= above else above


def float_above(number: Fraction) -> float:
    """Return the float that prints as a decimal of six digits, no less than a number >= 0.

    People see the repr, and this library reads it. So 3/10 becomes 0.3, although the binary value
    of that float is less by 1e-17. A number above 0 never becomes 0. A number beyond the largest
    float becomes infinity.

    >>> [float_above(Fraction(number)) for number in ("1/3", "1/2", "1e-400")]
    [0.333334, 0.5, 1e-323]
    """
    if not number:
        return 0.0
    decimal = _divide(_UP, number)
    step = max(Decimal((0, (1,), decimal.adjusted() + 1 - DIGITS)), _LEAST_STEP)
    while (value := float(decimal)) < math.inf and not _is_above(value, number):
        decimal = _UP.add(decimal, step)
    return value


def float_below(number: Fraction) -> float:
    """Return a float of six digits that neither is nor prints above a number >= 0.

    >>> [float_below(Fraction(number)) for number in ("1/3", "1/2", "0")]
    [0.333333, 0.5, 0.0]
    """
    value = min(float_of(decimal_below(number)), sys.float_info.max) if number else 0.0
    while value and (Fraction(value) > number or Fraction(repr(value)) > number):
        value = math.nextafter(value, 0)
    return value


def delta_float_above(number: Fraction) -> float:
    """Return a float as `float_above` does, for a probability: below 1 if the probability is.

    Above 0.999999 it has as many digits as needed. It is 1.0 only if the probability is above the
    largest float below 1.

    >>> delta_float_above(Fraction(1, 3)), delta_float_above(1 - Fraction(1, 3 * 10**7))
    (0.333334, 0.9999999666667)
    >>> delta_float_above(1 - Fraction(1, 10**20))
    1.0
    """
    value = float_above(number)
    if value < 1 or number >= 1:
        return value
    value = float(delta_above(number))
    while not _is_above(value, number):
        value = math.nextafter(value, 2)
    return value


def words_above(bound: float) -> str:
    """Write a bound >= 0 in six digits, rounded up.

    >>> words_above(0.12345649), words_above(0.3), words_above(1234567.0), words_above(math.inf)
    ('0.123457', '0.3', '1.23457e+06', 'inf')
    """
    if math.isfinite(bound):
        bound = float_above(Fraction(repr(float(bound))))
    return f"{bound:,.6g}"


def percent_of(confidence: Fraction) -> str:
    """Return a confidence in percent; a long one is rounded down to six digits.

    >>> [percent_of(p) for p in (Fraction(19, 20), Fraction(2, 3), 1 - Fraction(1, 10**25))]
    ['95 %', '66.6666 %', 'more than 99.9999 %']
    """
    percent = format_number(confidence * 100)
    if not percent.replace(".", "").isdigit():  # a quotient, or a long number
        below = decimal_below(confidence * 100)
        if below == _MOST_PERCENT:
            return "more than 99.9999 %"
        percent = f"{float(below):.6g}"
    return f"{percent} %"


def as_float(number: Fraction) -> float | None:
    """Return the float that prints as a number exactly, else the next float of six digits above it.

    It stands beside the exact number in JSON. None beyond the largest float.

    >>> as_float(Fraction(3, 10)), as_float(Fraction(1, 3)), as_float(Fraction(10**400))
    (0.3, 0.333334, None)
    """
    try:
        near = float(number)
    except OverflowError:
        return None
    if near < math.inf and Fraction(repr(near)) == number:
        return near
    above = delta_float_above(number)
    return above if above < math.inf else None


def _divide(context: Context, number: Fraction) -> Decimal:
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _is_above(value: float, number: Fraction) -> bool:
    return Fraction(repr(value)) >= number
