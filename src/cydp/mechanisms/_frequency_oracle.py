# SPDX-License-Identifier: MIT
"""Frequency oracles: randomized reports of categories, and the true counts estimated from them.

docs/mechanisms/randomized_response.md and docs/local.md have the formulas.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.intervals import exp_below
from cydp._numbers.rational import float_of, format_number, literal_of, read_integer
from cydp.accounting._loss import PureDP
from cydp.accounting.ledger._serialize import register
from cydp.mechanisms._parameters import log_failure_probability

__all__ = [
    "Estimate",
    "FrequencyOracle",
    "ReportOdds",
    "likelihood_ratio",
    "normal_quantile",
    "read_categories",
]

# A larger epsilon counts as this one, at which reports of another category than the true one, or
# bits of it, have a probability below 2**-834.
_MOST_EPSILON = Fraction(600)

Floats = NDArray[np.float64]


class Estimate(tuple[Floats, Floats]):
    """True counts of categories, estimated from reports. It unpacks to counts and variance.

    `RandomizedResponse.estimate` and `cydp.local.UnaryEncoding.estimate` return it.

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
        """Take what one more report adds to a count, and 1 - p - w, from `ReportOdds`."""
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
        of 100 or more, and in 93.8 % to all of the cases if the variance is less.

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


class ReportOdds(NamedTuple):
    """How likely a report supports the person's own category, and any other one."""

    p_true: Fraction
    p_other: Fraction

    @property
    def slope(self) -> float:
        """What one more report adds to an estimated count."""
        return float_of(1 / (self.p_true - self.p_other))

    @property
    def variance(self) -> float:
        """The largest variance that one report can add to an estimated count."""
        largest = max(p * (1 - p) for p in self)
        return float_of(largest / (self.p_true - self.p_other) ** 2)

    def estimate(self, h: Floats, n: float) -> Estimate:
        """Return true counts, where h of n reports support each category."""
        p, w = self
        with np.errstate(over="ignore", invalid="ignore"):  # epsilon may be close to 0
            slope, skew = np.float64(self.slope), float_of(1 - p - w)
            counts = (h - n * float_of(w)) * slope
            variance = (float_of(w) * float_of(p) * n + skew * h) * slope * slope
        return Estimate(counts, variance, float(slope), skew)


class FrequencyOracle(ABC):
    """A mechanism by which each person randomizes their category before they send it (local DP)."""

    __slots__ = ()

    epsilon: Fraction
    n_categories: int

    @property
    @abstractmethod
    def _odds(self) -> ReportOdds:
        """How likely a report supports a category."""

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one report, under "change-one": that a person reports is not hidden."""
        return PureDP(self.epsilon, relation=self.relation)

    @property
    def relation(self) -> str:
        """The relation that the loss is stated under: "change-one", as every person reports."""
        return "change-one"

    @property
    def variance(self) -> float:
        """The largest variance that one report can add to an estimated count.

        >>> from cydp import RandomizedResponse
        >>> round(RandomizedResponse(epsilon=1).variance, 4)
        0.9207
        """
        return self._odds.variance

    def error_bound(self, confidence: Number = 0.95, *, reports: Integer) -> float:
        """Return the approximate distance within which an estimated count is from the true count.

        It is for planning, before there are reports. Afterwards, `Estimate.interval` is narrower.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The approximate probability that it is, for the true counts at which the estimates have
            the largest variance.
        reports : int >= 1
            The number of reports.

        Returns
        -------
        float
            In reports.

        Raises
        ------
        TypeError, ValueError
            If confidence or reports is outside its range.

        Notes
        -----
        It is the normal approximation with a continuity correction. At 95 % it covers 95 to 96 % of
        all cases at those true counts, if the number of reports of a category has a variance of 100
        or more. `hoeffding_bound` is proved, and wider.

        Examples
        --------
        >>> from cydp import RandomizedResponse
        >>> round(RandomizedResponse(epsilon=1).error_bound(0.95, reports=1000), 1)
        60.6

        """
        n, odds = _read_reports(reports), self._odds
        return normal_quantile(confidence) * math.sqrt(n * odds.variance) + odds.slope / 2

    def hoeffding_bound(self, confidence: Number = 0.95, *, reports: Integer) -> float:
        """Return a distance within which an estimated count is from the true count, with proof.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that it is. At 95 % the true probability is at least 99.3 %.
        reports : int >= 1
            The number of reports.

        Returns
        -------
        float
            In reports.

        Raises
        ------
        TypeError, ValueError
            If confidence or reports is outside its range.

        References
        ----------
        .. [1] Hoeffding, "Probability inequalities for sums of bounded random variables", 1963.

        Examples
        --------
        >>> from cydp import RandomizedResponse
        >>> round(RandomizedResponse(epsilon=1).hoeffding_bound(0.95, reports=1000), 1)
        92.9

        """
        log_failure = log_failure_probability(confidence, 1)
        width = math.sqrt(_read_reports(reports) * (math.log(2) - log_failure) / 2)
        return width * self._odds.slope * (1 + 2**-40)

    def __repr__(self) -> str:
        epsilon = literal_of(self.epsilon)
        return f"{type(self).__name__}(epsilon={epsilon}, n_categories={self.n_categories})"


def read_categories(n_categories: Integer, most_bits: int) -> int:
    """Return the number of categories, from 2 to 2**most_bits; TypeError or ValueError if not."""
    categories = read_integer(n_categories, "n_categories")
    if not 2 <= categories <= 2**most_bits:
        given = format_number(Fraction(categories))
        raise ValueError(f"n_categories must be from 2 to 2**{most_bits}, not {given}")
    return categories


def likelihood_ratio(epsilon: Fraction) -> Fraction:
    """Return exp(epsilon), or exp(600) if that is less, rounded down to a fraction."""
    return exp_below(min(epsilon, _MOST_EPSILON))


def normal_quantile(confidence: Number) -> float:
    """Return z with P(abs(Z) <= z) = confidence for a standard normal Z, or a larger z.

    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    log_failure = log_failure_probability(confidence, 1)
    if log_failure < -700:  # the tail beyond z is at most exp(-z**2 / 2) / 2
        return math.sqrt(-2 * log_failure)
    return -NormalDist().inv_cdf(math.exp(log_failure) / 2)


def _read_reports(reports: Integer) -> int:
    """Return the number of reports, or raise a TypeError or ValueError."""
    n = read_integer(reports, "reports")
    if not 1 <= n < 2**62:
        raise ValueError(f"reports must be from 1 to 2**62 - 1, not {format_number(Fraction(n))}")
    return n


register(Estimate, lambda estimate: [*estimate.__getnewargs__()], lambda parts: Estimate(*parts))
