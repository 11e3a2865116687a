# SPDX-License-Identifier: MIT
"""The discrete Gaussian law in floats: sums over the integers, with bounds.

f(k) = exp(-k**2 / (2 sigma**2)). Up to DIRECT its tails are summed; beyond, where f is convex, the
midpoint and trapezoid rules bound them from above and below, and elsewhere that f falls does.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rational import float_of

__all__ = ["cdf", "pmf", "reach", "tail", "variance"]

DIRECT = 200.0
MARGIN = 1e-10  # relative; more than all rounding of floats here
_REACH = 40  # sigmas, beyond which nothing is left of a double


@dataclass(frozen=True, slots=True)
class Bounds:
    """A number from below and above."""

    low: float
    high: float


def mass(sigma: float) -> float:
    """Return the sum of f over all integers."""
    if sigma > 4:
        return math.sqrt(2 * math.pi) * sigma  # but for exp(-2 pi**2 sigma**2)
    return 1 + 2 * float(np.exp(-0.5 * (np.arange(1.0, _REACH * 4) / sigma) ** 2).sum())


def tail(sigma: float, m: int) -> Bounds:
    """Return the sum of f from m on, divided by the sum over all integers."""
    if m <= 0:
        rest = tail(sigma, 1 - m)
        return Bounds(1 - rest.high, 1 - rest.low)
    low, high = _direct(sigma, m) if sigma <= DIRECT else _integrals(sigma, m)
    total = mass(sigma)
    return Bounds(low / total * (1 - MARGIN), high / total * (1 + MARGIN) + sys.float_info.min)


def _direct(sigma: float, m: int) -> tuple[float, float]:
    if m > _REACH * sigma + 1:
        return 0.0, float_tail(sigma, m - 1)
    k = np.arange(float(m), m + _REACH * max(sigma, 1))
    total = float(np.exp(-0.5 * (k / sigma) ** 2).sum())
    return total, total


def _integrals(sigma: float, m: int) -> tuple[float, float]:
    first = math.exp(-0.5 * (m / sigma) ** 2)
    if m - 0.5 < sigma:
        return float_tail(sigma, m), first + float_tail(sigma, m)
    return float_tail(sigma, m) + first / 2, float_tail(sigma, m - 0.5)


def float_tail(sigma: float, x: float) -> float:
    """Return the integral of f from x on."""
    return sigma * math.sqrt(math.pi / 2) * math.erfc(x / (sigma * math.sqrt(2)))


@lru_cache(64)
def variance(sigma2: Fraction) -> float:
    """Return the variance of the law."""
    sigma = math.sqrt(float_of(sigma2))
    if sigma > 4:
        return float_of(sigma2)  # but for a share of exp(-2 pi**2 sigma**2)
    k = np.arange(1.0, _REACH * 4)
    return 2 * float((k**2 * np.exp(-0.5 * (k / sigma) ** 2)).sum()) / mass(sigma)


def pmf(sigma2: Fraction, k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of integers."""
    sigma = math.sqrt(float_of(sigma2))
    density: NDArray[np.float64] = np.exp(-0.5 * (k / sigma) ** 2) / mass(sigma)
    return density


def cdf(sigma2: Fraction, k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of at most k."""
    sigma = math.sqrt(float_of(sigma2))
    steps = np.where(k < 0, -k, k + 1)  # P(X <= k) = P(X >= -k), or 1 - P(X >= k + 1)
    if sigma > DIRECT:
        # Midpoint rule, with its first correction; what is left is below sigma**-4 of it.
        x = steps - 0.5
        f = np.exp(-0.5 * (x / sigma) ** 2)
        z = np.vectorize(math.erfc, otypes=[float])(x / (sigma * math.sqrt(2)))
        above = 0.5 * z - x * f / (24 * sigma**2 * mass(sigma))
    else:
        table = np.exp(-0.5 * (np.arange(_REACH * max(math.ceil(sigma), 1) + 2) / sigma) ** 2)
        sums = np.append(np.cumsum(table[::-1])[::-1], 0.0) / mass(sigma)
        above = sums[np.minimum(steps, len(table)).astype(np.int64)]
    below: NDArray[np.float64] = np.where(k < 0, above, 1 - above)
    return below


def reach(sigma2: Fraction, log_miss: float) -> int:
    """Return the least h with ln P(abs(X) > h) at most `log_miss`, or at times one more.

    Where that has no float, a little more: P(X > h) < exp(-h**2 / (2 sigma**2)).
    """
    sigma = math.sqrt(float_of(sigma2))
    if log_miss < -600:
        return math.ceil(sigma * math.sqrt(2 * (math.log(2) - log_miss)) * (1 + MARGIN))
    miss = math.exp(log_miss)
    low, high = -1, math.ceil(_REACH * max(sigma, 1))
    while high - low > 1:
        middle = (low + high) // 2
        if 2 * tail(sigma, middle + 1).high <= miss:
            high = middle
        else:
            low = middle
    return high
