# SPDX-License-Identifier: MIT
"""Bounds of exp and ln of fractions, on both sides.

The standard library's decimal rounds both correctly, so a neighbour on each side is a bound:
https://docs.python.org/3/library/decimal.html#decimal.Decimal.exp
"""

import decimal
from decimal import Decimal
from fractions import Fraction

DIGITS = 60


def exp_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least exp(x), of about so many digits.

    >>> low, high = exp_bounds(Fraction(1))
    >>> low < high, high - low < Fraction(1, 10**58)
    (True, True)
    """
    context, (low, high) = _context(digits), _decimals(x, digits)
    below, above = context.exp(low), context.exp(high)
    return Fraction(below.next_minus(context)), Fraction(above.next_plus(context))


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
    context, (low, high) = _context(digits), _decimals(x, digits)
    below, above = context.ln(low), context.ln(high)
    return Fraction(below.next_minus(context)), Fraction(above.next_plus(context))


def sqrt_bounds(x: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
    """Return fractions at most and at least the root of x >= 0.

    >>> sqrt_bounds(Fraction(9, 4))
    (Fraction(3, 2), Fraction(3, 2))
    """
    context, (low, high) = _context(digits), _decimals(x, digits)
    below, above = context.sqrt(low), context.sqrt(high)
    if low == high and Fraction(below) ** 2 == x:
        return Fraction(below), Fraction(above)
    return Fraction(max(below.next_minus(context), Decimal(0))), Fraction(above.next_plus(context))


def _context(digits: int, rounding: str = decimal.ROUND_HALF_EVEN) -> decimal.Context:
    traps = [decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
    return decimal.Context(digits, rounding, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=traps)


def _decimals(x: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Return x rounded down and up."""
    over, under = Decimal(x.numerator), Decimal(x.denominator)  # exact, of any length
    return (
        _context(digits, decimal.ROUND_FLOOR).divide(over, under),
        _context(digits, decimal.ROUND_CEILING).divide(over, under),
    )
