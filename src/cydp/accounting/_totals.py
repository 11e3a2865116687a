# SPDX-License-Identifier: MIT
"""Totals: what a budget in memory adds up, as integers over one denominator.

They are the same numbers as amounts. Fractions would be reduced at every charge, which takes most
of the time of a charge.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TypeAlias

from cydp.accounting._amounts import MOST_BITS, Amount, add_amounts

__all__ = [
    "NOTHING",
    "Total",
    "add_totals",
    "amount_of_total",
    "exceeds_total",
    "repeat_total",
    "total_of",
]

Total: TypeAlias = tuple[int, int, int]
"""A denominator, and the numerators of an amount; the second is 0 if the amount has one number."""

NOTHING: Total = (1, 0, 0)


def total_of(amount: Amount) -> Total:
    """Return an amount over the least denominator that its numbers have in common.

    >>> total_of((Fraction(1, 2), Fraction(1, 3))), total_of((Fraction(1, 2),))
    ((6, 3, 2), (2, 1, 0))
    """
    if len(amount) == 1:
        return amount[0].denominator, amount[0].numerator, 0
    first, second = amount
    common = lcm(first.denominator, second.denominator)
    return (
        common,
        first.numerator * (common // first.denominator),
        second.numerator * (common // second.denominator),
    )


def amount_of_total(total: Total, length: int) -> Amount:
    """Return the amount of one number or of two, in lowest terms.

    >>> amount_of_total((6, 3, 2), 2)
    (Fraction(1, 2), Fraction(1, 3))
    """
    denominator, first, second = total
    return (Fraction(first, denominator), Fraction(second, denominator))[:length]


def repeat_total(total: Total, count: int) -> Total:
    """Return a total `count` times."""
    denominator, first, second = total
    return denominator, count * first, count * second


def add_totals(spent: Total, requested: Total) -> Total:
    """Return the sum, in which a number that would be too long is rounded up as in `add_amounts`.

    >>> add_totals((2, 1, 0), (3, 1, 1))
    (6, 5, 2)
    """
    denominator, first, second = spent
    part, more_first, more_second = requested
    if denominator == part:
        total = denominator, first + more_first, second + more_second
    else:
        common = denominator if denominator % part == 0 else lcm(denominator, part)
        scale, scale_more = common // denominator, common // part
        total = (
            common,
            scale * first + scale_more * more_first,
            scale * second + scale_more * more_second,
        )
    # If all three are short, then so are the numbers in lowest terms. The union has the bits of
    # the longest.
    if (total[0] | total[1] | total[2]).bit_length() <= MOST_BITS:
        return total
    return total_of(add_amounts(amount_of_total(spent, 2), amount_of_total(requested, 2)))


def exceeds_total(total: Total, limit: Total) -> bool:
    """Whether any number of a total is above that of a limit."""
    denominator, first, second = total
    part, most_first, most_second = limit
    return first * part > most_first * denominator or second * part > most_second * denominator
