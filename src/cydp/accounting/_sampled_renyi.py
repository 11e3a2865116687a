# SPDX-License-Identifier: MIT
"""Renyi divergences of normal noise on Poisson samples: the moments accountant.

Mironov, Talwar, Zhang, "Renyi differential privacy of the sampled Gaussian mechanism", 2019.
docs/sampling.md, "A plan of sampled mechanisms", has the argument.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rational import float_of, log_of

__all__ = ["RenyiCurve"]

# Any integers above 1 do. Large orders are for tiny deltas and shares.
_ORDERS = [*range(2, 65), *(round(64 * 1.1**i) for i in range(1, 45))]
_MARGIN = 1e-9  # relative; more than the rounding of sums of positive numbers
_SHIFT = 1e-12  # of epsilon: by more than discrete noise on a grid may cost above normal noise
_UP, _UP_BY = 1 + Fraction(_MARGIN), Fraction(_SHIFT)
_LEAST_LOG = -700  # the logarithm of a delta that is still a float
_LEAST_SHARE = 1e-300  # a larger share costs no less
_BELOW_1 = 1 - 2.0**-53  # the largest float below 1, with which logarithms of 1 - q are finite


class RenyiCurve:
    """The least epsilon at each delta, and the least delta at each epsilon, of all orders.

    Parameters
    ----------
    sampled : sequence of (rho, share, count)
        Normal noise of this rho on Poisson samples of this share, so many times.
    rho : Fraction
        Of everything else, in zCDP.

    """

    __slots__ = ("_constants", "_orders", "_times")

    @np.errstate(over="ignore")  # an order whose moments are infinite gives no bound
    def __init__(self, sampled: Sequence[tuple[Fraction, Fraction, int]], rho: Fraction) -> None:
        orders = np.array(_ORDERS, np.float64)
        self._orders = orders
        moments = orders * (orders - 1) * float_of(rho)
        for each, share, count in sampled:
            q = min(max(float_of(share), _LEAST_SHARE), _BELOW_1)
            moments = moments + count * np.array(
                [_log_moment(n, float_of(each), q) for n in _ORDERS]
            )
        self._times = moments * (1 + _MARGIN)  # divergence times (order - 1)
        # Canonne, Kamath, Steinke 2020, proposition 12:
        # ln(delta) = (n - 1) (divergence - epsilon) + n ln(1 - 1/n) - ln(n - 1)
        self._constants = orders * np.log1p(-1 / orders) - np.log(orders - 1)

    def epsilon(self, delta: Fraction) -> Fraction | None:
        """Return an epsilon at a delta; None beyond floats."""
        found = (self._times + self._constants - log_of(delta)) / (self._orders - 1)
        least = max(float(np.min(found)), 0.0)
        return Fraction(least) * _UP + _UP_BY if math.isfinite(least) else None

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon."""
        at = float_of((epsilon - _UP_BY) / _UP)
        with np.errstate(invalid="ignore"):  # infinite losses at an infinite epsilon: no bound
            least = float(np.min(self._times - (self._orders - 1) * at + self._constants))
        return Fraction(math.exp(max(least, _LEAST_LOG))) * _UP if least < 0 else Fraction(1)


@np.errstate(over="ignore", divide="ignore")
def _log_moment(order: int, rho: float, share: float) -> float:
    """Return ln E (1 - q + q r)**n, r the likelihood ratio, whose k-th moment is e^(rho k (k-1)).

    The moments of order 0 and 1 are 1. What is left beside them is a sum of positive terms, which
    loses no digits, however small it is.
    """
    k = np.arange(2, order + 1, dtype=np.float64)
    power = rho * k * (k - 1)
    logs = (
        _log_binomials(order)
        + k * math.log(share)
        + (order - k) * math.log1p(-share)
        + np.where(power > 1, power + np.log1p(-np.exp(-power)), np.log(np.expm1(power)))
    )
    return float(np.logaddexp(0, np.logaddexp.reduce(logs)))


@cache
def _log_binomials(order: int) -> NDArray[np.float64]:
    """Return the logarithms of the numbers of ways to choose 2, 3, ..., n of n."""
    whole = math.lgamma(order + 1)
    ways = [whole - math.lgamma(k + 1) - math.lgamma(order - k + 1) for k in range(2, order + 1)]
    return np.array(ways)
