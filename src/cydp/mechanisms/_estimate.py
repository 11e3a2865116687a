# SPDX-License-Identifier: MIT
"""True counts, estimated from the reports of randomized response."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp.accounting.ledger._serialize import register
from cydp.mechanisms._confidence import log_failure_probability

__all__ = ["Estimate", "normal_quantile"]

Floats = NDArray[np.float64]


class Estimate(tuple[Floats, Floats]):
    """True counts of categories, estimated from reports. It unpacks to counts and variance.

    `RandomizedResponse.estimate` returns it.

    Attributes
    ----------
    counts : ndarray of float64, shape (n_categories,)
        Unbiased estimates of the counts, in reports. They may be negative.
    variance : ndarray of float64, shape (n_categories,)
        Unbiased estimates of the variances of `counts`.

    """

    _slope: float
    _skew: float

    def __new__(cls, counts: Floats, variance: Floats, slope: float, skew: float) -> Estimate:
        """Take what one more report adds to a count, and 1 - p - w, from `RandomizedResponse`."""
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
        """Return confidence intervals of the true counts among the people who reported.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The confidence of each interval by itself. For all k categories together, pass
            1 - 0.05 / k.

        Returns
        -------
        (lower, upper) : ndarrays of float64, shape (n_categories,)
            The ends of the intervals, in reports. They may lie outside 0 to n; to clamp them loses
            no true count. They are infinite if epsilon is too small for float64.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        They are score intervals [1]_ with a continuity correction. An interval of 95 % covers the
        true count in 95 to 96 % of all cases if the number of reports of a category has a variance
        of 100 or more, and in 93.8 % to all of the cases if the variance is less:
        docs/mechanisms/randomized_response.md, "Intervals".

        References
        ----------
        .. [1] Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

        Examples
        --------
        >>> from cydp import RandomizedResponse
        >>> low, high = RandomizedResponse(epsilon=2).estimate([0] * 300 + [1] * 700).interval()
        >>> low.round(1), high.round(1)
        (array([210.4, 735.6]), array([264.4, 789.6]))

        """
        z, slope = normal_quantile(confidence), np.float64(self._slope)
        with np.errstate(over="ignore", invalid="ignore"):  # epsilon may be close to 0
            bend = z * slope * self._skew / 2
            half = slope / 2
            below = self.counts - half  # the estimate with half a report less
            above = self.counts + half
            change = half * slope * self._skew
            low = below + z * (bend - np.sqrt(np.maximum(bend**2 + self.variance - change, 0)))
            high = above + z * (bend + np.sqrt(bend**2 + self.variance + change))
            # If no true count fits so few reports, the root is 0, and the end is `below`.
            low = np.minimum(low, below)
        return np.where(np.isfinite(low), low, -np.inf), np.where(np.isfinite(high), high, np.inf)

    def __repr__(self) -> str:
        return f"<Estimate: counts {self.counts}, variance {self.variance}>"


def normal_quantile(confidence: Number) -> float:
    """Return z with P(abs(Z) <= z) = confidence for a standard normal Z, or a larger z.

    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    log_failure = log_failure_probability(confidence, 1)
    if log_failure < -700:  # the tail beyond z is at most exp(-z**2 / 2) / 2
        return math.sqrt(-2 * log_failure)
    return -NormalDist().inv_cdf(math.exp(log_failure) / 2)


register(Estimate, lambda estimate: [*estimate.__getnewargs__()], lambda parts: Estimate(*parts))
