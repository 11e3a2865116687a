# SPDX-License-Identifier: MIT
"""Guesses, by floats, of the Gaussian noise for an (epsilon, delta).

They promise nothing: `_gaussian_calibration` proves that a guess is enough, or searches itself.
"""

from __future__ import annotations

import math
import sys

import numpy as np

__all__ = ["guess_normal", "log_discrete_delta"]

_FAR = 26  # beyond it, math.erfc(x / sqrt(2)) loses digits and then is 0
_CLOSE = 0.2  # a distance at which R(u) - R(v) loses digits
_GAUSS = ((-math.sqrt(0.6), 5 / 18), (0.0, 8 / 18), (math.sqrt(0.6), 5 / 18))
_LOG_ROOT_OF_TWO_PI = math.log(2 * math.pi) / 2
_WIDE = 13  # sigmas, beyond which a sum has nothing that a float would show


def guess_normal(epsilon: float, log_delta: float, margin: float) -> float | None:
    """Return u of `normal_delta`, or None, for noise that is a little more than the least.

    The derivative of delta by mu is phi(u), so that Newton's method on ln(delta) as a function of
    ln(mu) needs R(u) - R(v) alone.

    >>> round(guess_normal(1.0, math.log(1e-6), 1e-12), 6)
    4.106327
    """
    mu = math.sqrt(2) * epsilon / (math.sqrt(-log_delta + epsilon) + math.sqrt(-log_delta))
    for _ in range(20):
        u = epsilon / mu - mu / 2
        if not -_FAR < u < u + mu < _FAR:
            return None
        between = _integral(u, u + mu)
        if not between > 0:
            return None
        gap = math.log(between) - u * u / 2 - _LOG_ROOT_OF_TWO_PI - log_delta
        step = gap * between / mu
        if abs(step) < margin / 10:
            mu *= 1 - margin
            return epsilon / mu - mu / 2
        mu *= math.exp(-step)
    return None


def _integral(u: float, v: float) -> float:
    """Return R(u) - R(v), the integral of 1 - x R(x)."""
    if v - u > _CLOSE:
        return _mills_ratio(u) - _mills_ratio(v)
    middle, half = (u + v) / 2, (v - u) / 2
    points = ((middle + half * at, weight) for at, weight in _GAUSS)
    return (v - u) * sum(weight * (1 - x * _mills_ratio(x)) for x, weight in points)


def _mills_ratio(x: float) -> float:
    return math.sqrt(math.pi / 2) * math.exp(x * x / 2) * math.erfc(x * math.sqrt(0.5))


def log_discrete_delta(sigma2: float, steps: int, epsilon: float) -> float:
    """Return about the logarithm of `discrete_delta`.

    >>> round(math.exp(log_discrete_delta(25, 1, 0.5)), 9)
    0.000497763
    """
    wide = math.ceil(_WIDE * math.sqrt(sigma2)) + 1
    first = math.floor(epsilon * sigma2 / steps - steps / 2) + 1
    if first < -wide:
        return 0.0
    rate, largest = 1 / (2 * sigma2), max(first, 0)
    k, all_above = np.arange(first, largest + wide), np.arange(1, wide)
    terms = np.exp((largest - k) * (largest + k) * rate)  # over the largest
    above = -np.expm1(epsilon - steps * (2 * k + steps) * rate)
    mass = 1 + 2 * np.exp(-all_above * all_above * rate).sum()
    return math.log(max(terms @ above / mass, sys.float_info.min)) - largest * largest * rate
