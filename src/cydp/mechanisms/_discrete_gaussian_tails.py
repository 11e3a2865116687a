# SPDX-License-Identifier: MIT
"""Tails of the discrete Gaussian distribution, bounded in floats, and in decimals of any precision.

Let f(k) = exp(-k**2 / (2 sigma**2)). In floats, tails of f are summed for a sigma up to
MOST_SUMMED. For a larger sigma, integrals bound them: the midpoint and trapezoid rules do so where
f is convex, and elsewhere f is bounded because it decreases. In decimals f is summed up to a sigma
of 100; beyond, Euler and Maclaurin's formula at m - 1/2 gives the sum.
docs/mechanisms/noise_distribution.md has the formulas.
"""

from __future__ import annotations

import decimal
import math
import sys
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from cydp._numbers.rational import float_of

__all__ = [
    "FAR",
    "MOST_SUMMED",
    "decimal_of",
    "decimal_tail",
    "error_bound",
    "in_digits",
    "tail",
    "total_mass",
]

MOST_SUMMED = 200.0  # sigma, in floats
_MARGIN = 1e-10  # relative; more than all rounding of floats here
FAR = 40  # sigmas, beyond which f is 0 in float64
_MOST_SUMMED_IN_DECIMALS = 100**2  # of sigma2
_GUARD = 15  # digits for the rounding of sums
_LN_10 = Decimal(10).ln()


@dataclass(frozen=True, slots=True)
class Bounds:
    """A number from below and above."""

    low: float
    high: float


def total_mass(sigma: float) -> float:
    """Return the sum of f over all integers."""
    if sigma > 4:
        return math.sqrt(2 * math.pi) * sigma  # relative error: exp(-2 pi**2 sigma**2)
    return 1 + 2 * float(np.exp(-0.5 * (np.arange(1.0, FAR * 4) / sigma) ** 2).sum())


def tail(sigma: float, m: int) -> Bounds:
    """Return the probability of m or more."""
    if m <= 0:
        above = tail(sigma, 1 - m)  # the distribution is symmetric
        return Bounds(1 - above.high, 1 - above.low)
    low, high = _sum_tail(sigma, m) if sigma <= MOST_SUMMED else _integrate_tail(sigma, m)
    total = total_mass(sigma)
    return Bounds(low / total * (1 - _MARGIN), high / total * (1 + _MARGIN) + sys.float_info.min)


def _sum_tail(sigma: float, m: int) -> tuple[float, float]:
    if m > FAR * sigma + 1:
        return 0.0, _integral_from(sigma, m - 1)
    k = np.arange(float(m), m + FAR * max(sigma, 1))
    total = float(np.exp(-0.5 * (k / sigma) ** 2).sum())
    return total, total


def _integrate_tail(sigma: float, m: int) -> tuple[float, float]:
    first = math.exp(-0.5 * (m / sigma) ** 2)
    if m - 0.5 < sigma:
        return _integral_from(sigma, m), first + _integral_from(sigma, m)
    return _integral_from(sigma, m) + first / 2, _integral_from(sigma, m - 0.5)


def _integral_from(sigma: float, x: float) -> float:
    """Return the integral of f from x on."""
    return sigma * math.sqrt(math.pi / 2) * math.erfc(x / (sigma * math.sqrt(2)))


def error_bound(sigma2: Fraction, log_failure: float) -> int:
    """Return the least h with ln P(abs(X) > h) <= log_failure, or sometimes h + 1.

    If the probability is too small for a float, h is a little larger: it is computed from
    P(X > h) < exp(-h**2 / (2 sigma**2)).
    """
    sigma = math.sqrt(float_of(sigma2))
    if log_failure < -600:
        return math.ceil(sigma * math.sqrt(2 * (math.log(2) - log_failure)) * (1 + _MARGIN))
    failure = math.exp(log_failure)
    low, high = -1, math.ceil(FAR * max(sigma, 1))
    while high - low > 1:
        middle = (low + high) // 2
        if 2 * tail(sigma, middle + 1).high <= failure:
            high = middle
        else:
            low = middle
    return high


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
        if sigma2 <= _MOST_SUMMED_IN_DECIMALS:
            return _sum_from(square, m, precision) / _total(sigma2, precision)
        sigma, pi = square.sqrt(), _pi(precision)
        t = Decimal(2 * m - 1) / (2 * sigma)
        corrections, scale, odd = Decimal(0), 1 / sigma, (t, t * t * t - 3 * t)
        for j, coefficient in enumerate(_coefficients(digits)):
            corrections += decimal_of(coefficient) * scale * odd[0]
            n = 2 * j + 1
            # He of order n + 4 follows from n and n + 2, since He' = n He of the order below.
            odd = odd[1], (t * t - 2 * n - 5) * odd[1] - (n + 2) * (n + 1) * odd[0]
            scale /= square
        density = (-t * t / 2).exp() / (sigma * (2 * pi).sqrt())
        return _erfc(t / Decimal(2).sqrt(), digits) / 2 + corrections * density


def _sum_from(square: Decimal, m: int, precision: int) -> Decimal:
    """Return the sum of f from m on: the ratios of neighbouring terms are a geometric sequence."""
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
    """Return 1 - erf(x); erf is computed with as many more digits as its series loses."""
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
