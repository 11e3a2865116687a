# SPDX-License-Identifier: MIT
"""Intervals that contain exp, ln and sqrt of fractions.

The module decimal rounds these correctly, so a neighbour on each side is a bound:
https://docs.python.org/3/library/decimal.html#decimal.Decimal.exp
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

__all__ = [
    "Interval",
    "directed_contexts",
    "exp_below",
    "exp_bounds",
    "exp_interval",
    "ln_bounds",
    "quotients",
    "sqrt_bounds",
]

DIGITS = 60

Interval: TypeAlias = tuple[Decimal, Decimal]  # a lower bound and an upper bound


def exp_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least exp(x), of about `digits` digits.

    >>> low, high = exp_bounds(Fraction(1))
    >>> low < high, high - low < Fraction(1, 10**58)
    (True, True)
    """
    low, high = exp_interval(x, digits)
    return Fraction(low), Fraction(high)


def exp_interval(x: Fraction, digits: int = DIGITS) -> Interval:
    """Return decimals at most and at least exp(x), of about `digits` digits.

    Unlike `exp_bounds`, it can return a number that is too small or too large for a fraction.

    >>> low, high = exp_interval(Fraction(-(10**9)))
    >>> 0 < low < high < Decimal("1e-434294481")
    True
    """
    context, (low, high) = _context(digits), quotients(x, digits)
    below = context.exp(low)
    above = below if low == high else context.exp(high)
    return below.next_minus(context), above.next_plus(context)


def directed_contexts(digits: int = DIGITS) -> tuple[decimal.Context, decimal.Context]:
    """Return two contexts, for sums, products and quotients: one rounds down, the other up."""
    return _context(digits, decimal.ROUND_FLOOR), _context(digits, decimal.ROUND_CEILING)


def exp_below(x: Fraction) -> Fraction:
    """Return a fraction above 1 and at most exp(x), x > 0.

    Its difference to 1 is exp(x) - 1 with a relative error of at most 1e-28, and has 128
    significant bits, whatever the length of x.

    >>> exp_below(Fraction(1, 10**100)) > 1
    True
    """
    above = max(exp_bounds(x)[0] - 1, x)  # 1 + x <= exp(x) is the better bound close to 0
    shift = above.denominator.bit_length() - above.numerator.bit_length() + 128
    if shift > 0:
        return 1 + Fraction((above.numerator << shift) // above.denominator, 1 << shift)
    return 1 + Fraction(above.numerator // (above.denominator << -shift) << -shift)


def ln_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least ln(x), x > 0, of about `digits` digits.

    >>> low, high = ln_bounds(Fraction(2))
    >>> low < high, high - low < Fraction(1, 10**58)
    (True, True)
    """
    context, (low, high) = _context(digits), quotients(x, digits)
    below = context.ln(low)
    above = below if low == high else context.ln(high)
    return (  # ln(1) is exactly 0: its neighbours are decimals too small to be fractions
        Fraction(below.next_minus(context) if below else 0),
        Fraction(above.next_plus(context) if above else 0),
    )


def sqrt_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least the square root of x >= 0.

    >>> sqrt_bounds(Fraction(9, 4))
    (Fraction(3, 2), Fraction(3, 2))
    """
    context, (low, high) = _context(digits), quotients(x, digits)
    below, above = context.sqrt(low), context.sqrt(high)
    if low == high and Fraction(below) ** 2 == x:
        return Fraction(below), Fraction(above)
    return Fraction(max(below.next_minus(context), Decimal(0))), Fraction(above.next_plus(context))


def quotients(x: Fraction, digits: int = DIGITS) -> Interval:
    """Return x as decimals of `digits` digits, rounded down and rounded up."""
    down, up = directed_contexts(digits)
    over, under = Decimal(x.numerator), Decimal(x.denominator)  # exact, of any length
    return down.divide(over, under), up.divide(over, under)


@lru_cache(64)
def _context(digits: int, rounding: str = decimal.ROUND_HALF_EVEN) -> decimal.Context:
    traps = [decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
    return decimal.Context(digits, rounding, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=traps)
