# SPDX-License-Identifier: MIT
"""The failure probability that a confidence allows."""

from __future__ import annotations

import math
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._numbers.rational import format_number, log_of, read_exact, read_integer

__all__ = ["log_failure_probability", "read_level"]


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


def read_level(confidence: Number) -> Fraction:
    """Return a confidence as a Fraction between 0 and 1, or raise a TypeError or ValueError."""
    level = read_exact(confidence, "confidence")
    if not 0 < level < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {format_number(level)}")
    return level
