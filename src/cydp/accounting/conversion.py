# SPDX-License-Identifier: MIT
"""Between rho and (epsilon, delta), by one formula that holds for every order alpha.

Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, corollary 13:
rho-zCDP implies (epsilon, delta) for every epsilon and alpha > 1, with
ln(delta) = (alpha - 1) (alpha rho - epsilon) - ln(alpha - 1) + alpha ln(1 - 1/alpha).
Floats choose alpha, and then evaluate the formula; what is returned is moved by MARGIN to the
safe side, which is far more than their rounding.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from cydp.rational import float_of, log_of

MARGIN = 1e-10


def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon that rho-zCDP gives at a delta > 0, next to the least.

    >>> round(float(epsilon_of(Fraction(1, 2), Fraction(1, 10**6))), 6)
    5.221534
    """
    if rho == 0:
        return Fraction(0)
    log_delta, r = log_of(delta), _float(rho)
    alpha = _order(lambda a: -((a - 1) ** 2) * r + _log_rest(a) - log_delta)
    gain = math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)
    return _up(alpha * r + (-log_delta - gain) / (alpha - 1))


def delta_of(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta that rho-zCDP gives at an epsilon, next to the least; at most 1.

    >>> round(float(delta_of(Fraction(1, 2), Fraction(5))), 12)
    2.896123e-06
    """
    if rho == 0:
        return Fraction(0)
    r, e = _float(rho), _float(epsilon) if epsilon else 0.0
    alpha = _order(lambda a: e - (2 * a - 1) * r - math.log1p(-1 / a))
    gain = math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)
    log_delta = (alpha - 1) * (alpha * r - e) - gain
    slack = 1e-13 * (1 + (alpha - 1) * (alpha * r + e))
    return _up(min(math.exp(log_delta + slack), 1.0)) if log_delta < 0 else Fraction(1)


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho whose zCDP gives (epsilon, delta), both > 0, next to the largest.

    >>> round(float(rho_of(Fraction(1), Fraction(1, 10**6))), 10)
    0.0243559704
    """
    log_delta, e = log_of(delta), _float(epsilon)

    def rho_at(a: float) -> float:
        return (e - math.log1p(-1 / a)) / (2 * a - 1)

    alpha = _order(lambda a: -((a - 1) ** 2) * rho_at(a) + _log_rest(a) - log_delta)
    gain = math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)
    rho = e / alpha + (log_delta + gain) / (alpha * (alpha - 1))
    if not rho > 0:
        raise ValueError("epsilon and delta must not be so small that no rho gives them")
    return Fraction(rho * (1 - MARGIN))


def _log_rest(alpha: float) -> float:
    return math.log1p(-1 / alpha) - math.log(alpha - 1)


def _order(falls: Callable[[float], float]) -> float:
    """Return about where a function of alpha > 1 that falls is 0."""
    low, high = -34.0, 700.0  # of ln(alpha - 1); below, alpha would be 1
    for _ in range(100):
        middle = (low + high) / 2
        if falls(1 + math.exp(middle)) > 0:
            low = middle
        else:
            high = middle
    return 1 + math.exp(low)


def _float(number: Fraction) -> float:
    value = float_of(number)
    if not 1e-290 < value < 1e290:
        raise ValueError("rho and epsilon must be between 1e-290 and 1e290 to be converted")
    return value


def _up(number: float) -> Fraction:
    return Fraction(max(number, 0.0) * (1 + MARGIN))
