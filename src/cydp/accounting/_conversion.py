# SPDX-License-Identifier: MIT
"""Between rho and (epsilon, delta), by one formula that holds for every order alpha.

Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, corollary 13:
rho-zCDP implies (epsilon, delta) for every epsilon and alpha = 1 + x, x > 0, with
ln(delta) = x ((1 + x) rho - epsilon) + x ln(x) - (1 + x) ln(1 + x).
Floats choose x. The formula is then evaluated by fractions and by bounds of logarithms, so that
what is returned holds whatever x is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from cydp._numbers.intervals import exp_interval, ln_bounds
from cydp._numbers.rational import MAX_BITS, float_of, log_of

__all__ = ["delta_of", "epsilon_of", "rho_of"]

_FAR = Fraction(10**20)  # of x, and of 1 / x, where the logarithms would lose their digits
_HAIR = Fraction(1, 2**36)  # of a rho: where it is written with 12 digits, that holds as well
_NO_FLOAT = -700  # a logarithm


def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon that rho-zCDP gives at a delta > 0, next to the least.

    >>> round(float(epsilon_of(Fraction(1, 2), Fraction(1, 10**6))), 6)
    5.221534
    """
    if rho == 0:
        return Fraction(0)
    log_delta, r = log_of(delta), _float(rho)
    x = _order(lambda x: -x * r * x - math.log1p(x) - log_delta)
    return _short(max((1 + x) * rho + (_rest(x) - _ln_below(delta)) / x, Fraction(0)), up=True)


def delta_of(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta that rho-zCDP gives at an epsilon, next to the least; at most 1.

    Where that is below e**-700, a power of two above it; 0 only for a rho of 0.

    >>> round(float(delta_of(Fraction(1, 2), Fraction(5))), 12)
    2.896123e-06
    """
    if rho == 0:
        return Fraction(0)
    r, gap = _float(rho), float_of(epsilon - rho)
    x = _order(lambda x: gap - 2 * x * r + math.log1p(1 / x))
    log_delta = x * ((1 + x) * rho - epsilon) + _rest(x)
    if log_delta >= 0:
        return Fraction(1)
    if log_delta < _NO_FLOAT:
        bits = -log_delta / ln_bounds(Fraction(2))[1]
        return Fraction(1, 2 ** min(math.floor(bits), MAX_BITS - 1))
    return min(_short(Fraction(exp_interval(log_delta)[1]), up=True), Fraction(1))


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho whose zCDP gives (epsilon, delta), both > 0, next to the largest.

    >>> round(float(rho_of(Fraction(1), Fraction(1, 10**6))), 10)
    0.0243559704
    """
    log_delta, e = log_of(delta), _float(epsilon)

    def falls(x: float) -> float:
        rho = (e + math.log1p(1 / x)) / (1 + 2 * x)
        return -x * rho * x - math.log1p(x) - log_delta

    x = _order(falls)
    rho = epsilon / (1 + x) + (_ln_below(delta) - _rest(x)) / (x * (1 + x))
    if rho <= 0:
        raise ValueError("epsilon and delta must be larger: no rho above 0 gives so little")
    return _short(rho * (1 - _HAIR), up=False)


def _ln_below(delta: Fraction) -> Fraction:
    return max(ln_bounds(delta)[0], 1 - 1 / delta)  # the latter next to 1


def _rest(x: Fraction) -> Fraction:
    """Return x ln(x) - (1 + x) ln(1 + x), or a little more."""
    if x > _FAR:  # x ln(1 + 1 / x) is at least 1 - 1 / (2 x)
        return -ln_bounds(1 + x)[0] - 1 + 1 / (2 * x)
    if x < 1 / _FAR:  # (1 + x) ln(1 + x) is at least x
        return x * ln_bounds(x)[1] - x
    return x * ln_bounds(x)[1] - (1 + x) * ln_bounds(1 + x)[0]


def _order(falls: Callable[[float], float]) -> Fraction:
    """Return about where a function of x > 0 that falls is 0."""
    low, high = -700.0, 700.0  # of ln(x)
    for _ in range(64):
        middle = (low + high) / 2
        if falls(math.exp(middle)) > 0:
            low = middle
        else:
            high = middle
    return Fraction(math.exp(low))


def _float(number: Fraction) -> float:
    value = float_of(number)
    if not 1e-290 < value < 1e290:
        raise ValueError("rho and epsilon must be between 1e-290 and 1e290 to be converted")
    return value


def _short(number: Fraction, *, up: bool) -> Fraction:
    """Return 53 bits of a number, rounded up or down."""
    unit = Fraction(2) ** (number.numerator.bit_length() - number.denominator.bit_length() - 53)
    return unit * (math.ceil(number / unit) if up else math.floor(number / unit))
