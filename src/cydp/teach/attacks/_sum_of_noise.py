# SPDX-License-Identifier: MIT
"""The law of a sum of discrete Laplace noise, and how often it tells two sums apart."""

from __future__ import annotations

import math

import numpy as np

from cydp._numbers.rational import float_of
from cydp.mechanisms._laplace import DiscreteLaplace

__all__ = ["success_of_sum"]

_LOG_ERROR = 42.0  # exp(-42) is below 2**-60: what the two truncations leave out
_LARGEST_RATE = 700.0  # beyond it noise is 0, but for events of probability exp(-700)


def success_of_sum(noise: DiscreteLaplace, count: int, gap: int) -> float:
    """Return the probability that a sum of noisy values is nearer to the true of two sums.

    At equal distance a coin decides.

    Parameters
    ----------
    noise : DiscreteLaplace
        The noise of each value, which is added or subtracted.
    count : int >= 1
        The number of values.
    gap : int >= 1
        How far apart the two exact sums are: `count` for the mean of answers to one question.

    Notes
    -----
    It is exact but for about 1e-14: docs/teach/attacks.md, "The law of a sum".

    Examples
    --------
    >>> noise = DiscreteLaplace(epsilon=1, sensitivity=1)
    >>> [round(success_of_sum(noise, count, count), 4) for count in (1, 2, 100)]
    [0.7311, 0.7311, 0.9999]

    """
    half = gap // 2
    if gap % 2:
        return (1 + _within(noise, count, half)) / 2
    return (2 + _within(noise, count, half) + _within(noise, count, half - 1)) / 4


def _within(noise: DiscreteLaplace, count: int, h: int) -> float:
    """Return P(abs(S) <= h) of a sum S of `count` draws, by inversion of its Fourier series."""
    rate = float_of(1 / noise.scale)
    if rate > _LARGEST_RATE:
        return 1.0
    if count == 1:
        return 1 - 2 * math.exp(-rate * (h + 1)) / (1 + math.exp(-rate))
    s = math.sinh(rate / 2) ** -2
    # Beyond `tail` S has a probability below exp(-42), by Chernoff's bound at any t < rate.
    ts = rate * 0.9 * np.geomspace(1e-5, 1, 200)
    tail = float(((_LOG_ERROR - count * np.log1p(-s * np.sinh(ts / 2) ** 2)) / ts).min())
    period = max(math.ceil(tail) + h, 2 * h + 1) | 1
    # Frequencies whose coefficient is below exp(-42) are left out.
    most = math.sqrt(math.expm1(_LOG_ERROR / count) / s)
    kept = period if most >= 1 else math.ceil(math.asin(most) / math.pi * period)
    j = np.arange(1, min(kept, (period - 1) // 2) + 1)
    sine = np.sin(math.pi * j / period)
    # The argument is reduced as an integer, so that the sine of a large one is accurate.
    kernel = np.sin(math.pi * ((2 * h + 1) * j % (2 * period)) / period) / sine
    terms = np.exp(-count * np.log1p(s * sine**2)) * kernel
    return min(max((2 * h + 1 + 2 * float(terms.sum())) / period, 0), 1)
