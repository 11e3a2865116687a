# SPDX-License-Identifier: MIT
"""Bounds of exp and ln of fractions, on both sides.

The standard library's decimal rounds both correctly, so a neighbour on each side is a bound:
https://docs.python.org/3/library/decimal.html#decimal.Decimal.exp
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "Interval",
    "directed",
    "exp_below",
    "exp_bounds",
    "exp_interval",
    "ln_bounds",
    "quotients",
    "sqrt_bounds",
]

DIGITS = 60

Interval: TypeAlias = tuple[Decimal, Decimal]  # a bound from below, and one from above


def exp_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least exp(x), of about so many digits.

    >>> low, high = exp_bounds(Fraction(1))
    >>> low < high, high - low < Fraction(1, 10**58)
    (True, True)
    """
    low, high = exp_interval(x, digits)
    return Fraction(low), Fraction(high)


def exp_interval(x: Fraction, digits: int = DIGITS) -> Interval:
    """Return decimals at most and at least exp(x), of about so many digits.

    As `exp_bounds`, for a number too small or too large to be a fraction.

    >>> low, high = exp_interval(Fraction(-(10**9)))
    >>> 0 < low < high < Decimal("1e-434294481")
    True
    """
    context, (low, high) = _context(digits), quotients(x, digits)
    return context.exp(low).next_minus(context), context.exp(high).next_plus(context)


def directed(digits: int = DIGITS) -> tuple[decimal.Context, decimal.Context]:
    """Return contexts whose sums, products and quotients are rounded down, and up."""
    return _context(digits, decimal.ROUND_FLOOR), _context(digits, decimal.ROUND_CEILING)


def exp_below(x: Fraction) -> Fraction:
    """Return a fraction above 1, at most exp(x) for x > 0: exp(x) - 1 within 1e-28 of itself.

    Its difference to 1 has 128 significant bits, whatever the length of x.

    >>> exp_below(Fraction(1, 10**100)) > 1
    True
    """
    above = max(exp_bounds(x)[0] - 1, x)  # 1 + x <= exp(x), which is the better bound next to 0
    shift = above.denominator.bit_length() - above.numerator.bit_length() + 128
    if shift > 0:
        return 1 + Fraction((above.numerator << shift) // above.denominator, 1 << shift)
    return 1 + Fraction(above.numerator // (above.denominator << -shift) << -shift)


def ln_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least ln(x), x > 0, of about so many digits.

    >>> low, high = ln_bounds(Fraction(2))
    >>> low < high, high - low < Fraction(1, 10**58)
    (True, True)
    """
    context, (low, high) = _context(digits), quotients(x, digits)
    below, above = context.ln(low), context.ln(high)
    return (  # ln(1) is exact, and next to 0 is no decimal that could be a fraction
        Fraction(below.next_minus(context) if below else 0),
        Fraction(above.next_plus(context) if above else 0),
    )


def sqrt_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least the root of x >= 0.

    >>> sqrt_bounds(Fraction(9, 4))
    (Fraction(3, 2), Fraction(3, 2))
    """
    context, (low, high) = _context(digits), quotients(x, digits)
    below, above = context.sqrt(low), context.sqrt(high)
    if low == high and Fraction(below) ** 2 == x:
        return Fraction(below), Fraction(above)
    return Fraction(max(below.next_minus(context), Decimal(0))), Fraction(above.next_plus(context))


def quotients(x: Fraction, digits: int = DIGITS) -> Interval:
    """Return decimals of so many digits: x rounded down, and up."""
    down, up = directed(digits)
    over, under = Decimal(x.numerator), Decimal(x.denominator)  # exact, of any length
    return down.divide(over, under), up.divide(over, under)


def _context(digits: int, rounding: str = decimal.ROUND_HALF_EVEN) -> decimal.Context:
    traps = [decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
    return decimal.Context(digits, rounding, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=traps)
