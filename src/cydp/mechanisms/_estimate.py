# SPDX-License-Identifier: MIT
"""True counts, estimated from the reports of randomized response."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp.accounting.ledger._serialize import register
from cydp.mechanisms._confidence import miss_of

__all__ = ["Estimate", "quantile_of"]

Floats = NDArray[np.float64]


class Estimate(tuple[Floats, Floats]):
    """True counts of categories, estimated from reports. Unpacks to counts and variance.

    Attributes
    ----------
    counts : ndarray of float64, shape (n_categories,)
        Unbiased; any of them may be negative.
    variance : ndarray of float64, shape (n_categories,)
        Unbiased estimates of the variances of `counts`.

    """

    _slope: float
    _skew: float

    def __new__(cls, counts: Floats, variance: Floats, slope: float, skew: float) -> Estimate:
        """Take what one report more adds to a count, and 1 - p - w; for `RandomizedResponse`."""
        new = super().__new__(cls, (counts, variance))
        new._slope, new._skew = slope, skew
        return new

    def __getnewargs__(self) -> tuple[Floats, Floats, float, float]:
        return (*self, self._slope, self._skew)

    @property
    def counts(self) -> Floats:
        """Estimated counts."""
        return self[0]

    @property
    def variance(self) -> Floats:
        """Estimated variances of the counts."""
        return self[1]

    def interval(self, confidence: Number = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals of the true counts of those who reported.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Of each interval by itself. For all k categories at once, give 1 - 0.05 / k.

        Returns
        -------
        tuple of two ndarrays of float64, shape (n_categories,)
            Lower and upper ends. They may lie outside 0 to n: cutting them to that loses no true
            count. Infinite where epsilon is so small that float64 does not hold them.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        Score intervals (Wilson, "Probable inference, the law of succession, and statistical
        inference", 1927) with a continuity correction. An interval of 95 % covers the true count
        in 95 to 96 % of all cases where the number of reports of a category has a variance of 100
        or more, and in 93.8 % or more, up to all, where it has less:
        docs/mechanisms/randomized_response.md, "Intervals".

        Examples
        --------
        >>> from cydp import RandomizedResponse
        >>> low, high = RandomizedResponse(epsilon=2).estimate([0] * 300 + [1] * 700).interval()
        >>> low.round(1), high.round(1)
        (array([210.4, 735.6]), array([264.4, 789.6]))

        """
        z, slope = quantile_of(confidence), np.float64(self._slope)
        with np.errstate(over="ignore", invalid="ignore"):  # of an epsilon next to 0
            bend = z * slope * self._skew / 2
            half = slope / 2
            below = self.counts - half  # as half a report fewer gives
            above = self.counts + half
            change = half * slope * self._skew
            low = below + z * (bend - np.sqrt(np.maximum(bend**2 + self.variance - change, 0)))
            high = above + z * (bend + np.sqrt(bend**2 + self.variance + change))
            # Where no count has as few reports, the root is 0: what `below` says counts.
            low = np.minimum(low, below)
        return np.where(np.isfinite(low), low, -np.inf), np.where(np.isfinite(high), high, np.inf)

    def __repr__(self) -> str:
        return f"<Estimate: counts {self.counts}, variance {self.variance}>"


def quantile_of(confidence: Number) -> float:
    """Return z with P(abs(Z) <= z) = confidence for a standard normal Z, or a little more.

    >>> round(quantile_of(0.95), 3)
    1.96
    """
    log_miss = miss_of(confidence, 1)
    if log_miss < -700:  # exp(-z**2 / 2) / 2 is a bound of the tail
        return math.sqrt(-2 * log_miss)
    return -NormalDist().inv_cdf(math.exp(log_miss) / 2)


register(Estimate, lambda estimate: [*estimate.__getnewargs__()], lambda parts: Estimate(*parts))
