# SPDX-License-Identifier: MIT
"""Intervals of ratios of noisy numbers, from intervals of the numbers. docs/releases/means.md."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from cydp._numbers.intervals import sqrt_bounds

__all__ = ["Interval", "mean_within", "unrounded_mean", "unrounded_variance", "variance_within"]

Interval: TypeAlias = tuple[Fraction, Fraction]

_ONE, _HALF = Fraction(1), Fraction(1, 2)


def mean_within(total: Interval, rows: Interval) -> Interval:
    """Return the least and the largest total / rows, for rows >= 1.

    Examples
    --------
    >>> low, high = mean_within((Fraction(-1), Fraction(6)), (Fraction(2), Fraction(3)))
    >>> str(low), str(high)
    ('-1/2', '3')

    """
    fewest, most = _at_least_one(rows)
    lower, upper = total
    return lower / (fewest if lower < 0 else most), upper / (most if upper < 0 else fewest)


def variance_within(squares: Interval, total: Interval, rows: Interval) -> Interval:
    """Return bounds of squares / rows - (total / rows)**2, for rows >= 1.

    Examples
    --------
    >>> eight, two = Fraction(8), Fraction(2)
    >>> low, high = variance_within((eight, eight), (two, Fraction(4)), (two, two))
    >>> str(low), str(high)
    ('0', '3')

    """
    largest = max(abs(total[0]), abs(total[1]))
    smallest = max(total[0], -total[1], Fraction(0))  # of abs(total)
    return (
        min(_extremes(squares[0], largest**2, rows)),
        max(_extremes(squares[1], smallest**2, rows)),
    )


def unrounded_mean(mean: Interval) -> Interval:
    """Return an interval of the mean of numbers, from that of their mean rounded to integers.

    Examples
    --------
    >>> low, high = unrounded_mean((Fraction(1), Fraction(2)))
    >>> str(low), str(high)
    ('1/2', '5/2')

    """
    return mean[0] - _HALF, mean[1] + _HALF


def unrounded_variance(variance: Interval) -> Interval:
    """Return an interval of the variance of numbers, from that of them rounded to integers.

    Rounding changes a standard deviation by 1/2 at most: docs/releases/means.md.

    Examples
    --------
    >>> low, high = unrounded_variance((Fraction(4), Fraction(9)))
    >>> str(low), str(high)
    ('9/4', '49/4')

    """
    low, high = (max(end, Fraction(0)) for end in variance)
    least = Fraction(0)
    if low > _HALF**2:
        least = low - sqrt_bounds(low)[1] + _HALF**2
    return least, high + sqrt_bounds(high)[1] + _HALF**2


def _extremes(a: Fraction, b: Fraction, rows: Interval) -> list[Fraction]:
    """Return a / n - b / n**2 where it may be least or largest for n within rows."""
    fewest, most = _at_least_one(rows)
    places = [fewest, most]
    # The derivative is 0 at n = 2 b / a.
    if a > 0 and fewest < (turn := 2 * b / a) < most:
        places.append(turn)
    return [a / n - b / n**2 for n in places]


def _at_least_one(rows: Interval) -> Interval:
    return max(rows[0], _ONE), max(rows[1], _ONE)
