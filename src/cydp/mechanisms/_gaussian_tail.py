# SPDX-License-Identifier: MIT
"""Tails of the discrete Gaussian distribution in decimals of any number of digits.

Let f(k) = exp(-k**2 / (2 sigma2)). Up to a sigma of 100, f is summed. Beyond, Euler and Maclaurin's
formula at m - 1/2 gives the sum. docs/mechanisms/noise_distribution.md has the formulas.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

__all__ = ["decimal_of", "decimal_tail", "in_digits"]

_MOST_SUMMED = 100**2  # of sigma2
_GUARD = 15  # digits for the rounding of sums
_LN_10 = Decimal(10).ln()


def in_digits(digits: int) -> decimal.Context:
    """Return a context of a precision in which no exponent is too large."""
    return decimal.Context(digits, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


def decimal_of(number: Fraction) -> Decimal:
    """Return a fraction, rounded in the context of the caller."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def decimal_tail(sigma2: Fraction, m: int, digits: int) -> Decimal:
    """Return the probability of m or more, m >= 0, with a relative error below 10**-digits."""
    precision = digits + _GUARD
    with decimal.localcontext(in_digits(precision)):
        square = decimal_of(sigma2)
        if sigma2 <= _MOST_SUMMED:
            return _sum_from(square, m, precision) / _total(sigma2, precision)
        sigma, pi = square.sqrt(), _pi(precision)
        t = Decimal(2 * m - 1) / (2 * sigma)
        corrections, scale, odd = Decimal(0), 1 / sigma, (t, t * t * t - 3 * t)
        for j, coefficient in enumerate(_coefficients(digits)):
            corrections += decimal_of(coefficient) * scale * odd[0]
            n = 2 * j + 1
            # He of order n + 4 from those of n and n + 2, since He' = n He of the order below.
            odd = odd[1], (t * t - 2 * n - 5) * odd[1] - (n + 2) * (n + 1) * odd[0]
            scale /= square
        density = (-t * t / 2).exp() / (sigma * (2 * pi).sqrt())
        return _erfc(t / Decimal(2).sqrt(), digits) / 2 + corrections * density


def _sum_from(square: Decimal, m: int, precision: int) -> Decimal:
    """Return the sum of f from m on: each ratio of neighbours is the last one times one number."""
    value = (-Decimal(m * m) / (2 * square)).exp()
    ratio, factor = (-Decimal(2 * m + 1) / (2 * square)).exp(), (-1 / square).exp()
    total, least = Decimal(0), value.scaleb(-precision)
    while value > least * Decimal("1e-6"):
        total += value
        value *= ratio
        ratio *= factor
    return total


@lru_cache(16)
def _total(sigma2: Fraction, precision: int) -> Decimal:
    with decimal.localcontext(in_digits(precision)):
        return 2 * _sum_from(decimal_of(sigma2), 0, precision) - 1


@lru_cache(8)
def _coefficients(digits: int) -> list[Fraction]:
    """Return the coefficients of x**2, x**4, ... in (x / 2) / sinh(x / 2)."""
    count = digits * 3 // 5 + 8
    inverse = [Fraction(1, 4**i * math.factorial(2 * i + 1)) for i in range(count + 1)]
    series = [Fraction(1)]
    for i in range(1, count + 1):
        series.append(-sum((inverse[j] * series[i - j] for j in range(1, i + 1)), Fraction(0)))
    return series[1:]


def _erfc(x: Decimal, digits: int) -> Decimal:
    """Return 1 - erf(x), of which erf has as many more digits as its series of sums loses."""
    lost = int(x * x / _LN_10) + 5 if x > 0 else 0
    precision = digits + _GUARD + lost
    with decimal.localcontext(in_digits(precision)):
        term = 2 * x * (-x * x).exp() / _pi(precision).sqrt()
        total, n, twice = Decimal(0), 0, 2 * x * x
        least = Decimal(1).scaleb(-precision)
        while abs(term) > least:
            total += term
            n += 1
            term = term * twice / (2 * n + 1)
        return 1 - total


@lru_cache(16)
def _pi(precision: int) -> Decimal:
    """Return pi by Machin's formula."""
    with decimal.localcontext(in_digits(precision + 5)):
        return 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)


def _arctan_of_inverse(n: int) -> Decimal:
    power, total, k = 1 / Decimal(n), Decimal(0), 0
    least = Decimal(1).scaleb(-decimal.getcontext().prec)
    while power > least:
        total += (power if k % 2 == 0 else -power) / (2 * k + 1)
        power /= n * n
        k += 1
    return total
