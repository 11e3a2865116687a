# SPDX-License-Identifier: MIT
"""How often an error bound may be missed."""

from __future__ import annotations

import math
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._numbers.rational import format_number, log_of, read_exact, read_integer

__all__ = ["miss_of"]


def miss_of(confidence: Number, count: Integer) -> float:
    """Return ln of how likely one of `count` draws may miss a bound that all must keep to.

    Raises
    ------
    TypeError, ValueError
        If confidence or count is outside its range.

    Examples
    --------
    >>> round(miss_of("0.95", 1), 6) == round(math.log(0.05), 6)
    True

    """
    draws = read_integer(count, "count")
    if not 1 <= draws <= 2**62:
        raise ValueError(f"count must be from 1 to 2**62, not {format_number(Fraction(draws))}")
    share = read_exact(confidence, "confidence")
    if not 0 < share < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {format_number(share)}")
    if draws == 1:
        return log_of(1 - share)
    each = -math.expm1(log_of(share) / draws)
    if each > 0:
        return math.log(each)
    return log_of(1 - share) - math.log(draws)  # a little less: 1 - share**(1 / n) is at least that
