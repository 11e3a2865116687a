# SPDX-License-Identifier: MIT
"""Randomized response among categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._columns.categories import declare_codes, read_codes
from cydp._columns.declared import Declared
from cydp._columns.pandas import labels_of, restore_labels
from cydp._core import Sampler
from cydp._generator import Generator
from cydp._numbers.intervals import exp_below
from cydp._numbers.rational import (
    as_exact,
    float_of,
    format_number,
    literal_of,
    read_integer,
    read_positive,
)
from cydp._samplers import prepare_category_offset
from cydp.accounting._loss import PureDP
from cydp.mechanisms._charge import Budget, paid
from cydp.mechanisms._confidence import miss_of
from cydp.mechanisms._estimate import Estimate, quantile_of

__all__ = ["RandomizedResponse"]

# Beyond this epsilon a lie has a probability below 2**-834, and is drawn with that of this one.
_LARGEST = 600
_MOST_CATEGORIES = 2**31


class _Law(NamedTuple):
    p_truth: Fraction
    p_other: Fraction  # of each report but the truth, q / k
    shift: Sampler
    uniform: Sampler


@lru_cache(256)
def _law(epsilon: Fraction, categories: int) -> _Law:
    ratio = exp_below(min(epsilon, Fraction(_LARGEST)))
    other = 1 / (categories - 1 + ratio)
    uniform = prepare_category_offset(Fraction(1, categories), categories)
    return _Law(ratio * other, other, prepare_category_offset(other, categories), uniform)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomizedResponse:
    """Randomized response: each answers uniformly with chance q, else with the truth. Exact.

    exp(epsilon) = (1 - q) k / q + 1 for k categories, rounded down: P(truth) is a fraction at
    most, and within 1e-28 of, the one that epsilon allows.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of a report, in pure DP, to the person whose it is.
    n_categories : int from 2 to 2**31, default 2

    Raises
    ------
    TypeError, ValueError
        If either is not such a number.

    Notes
    -----
    Warner, "Randomized response", 1965. Kairouz, Bonawitz, Ramage, "Discrete distribution
    estimation under local privacy", 2016. Proof: docs/mechanisms/randomized_response.md.

    Examples
    --------
    >>> round(float(RandomizedResponse(epsilon=1, n_categories=2).p_truth), 4)
    0.7311

    """

    epsilon: Fraction
    n_categories: int

    @require_names
    def __init__(self, *, epsilon: Number, n_categories: Integer = 2) -> None:
        value = read_positive(epsilon, "epsilon")
        categories = read_integer(n_categories, "n_categories")
        if not 2 <= categories <= _MOST_CATEGORIES:
            shown = format_number(Fraction(categories))
            raise ValueError(f"n_categories must be from 2 to 2**31, not {shown}")
        object.__setattr__(self, "epsilon", value)
        object.__setattr__(self, "n_categories", categories)

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one report, under change-one: that there is a report is not hidden."""
        return PureDP(self.epsilon, relation=self.relation)

    @property
    def relation(self) -> str:
        """What the loss is stated under: nobody's report is ever missing."""
        return "change-one"

    @property
    def p_truth(self) -> Fraction:
        """Probability that a report is the truth, 1 - q + q / k."""
        return as_exact(_law(self.epsilon, self.n_categories).p_truth)

    @property
    def variance(self) -> float:
        """Variance that one report adds to an estimated count, at most.

        >>> round(RandomizedResponse(epsilon=1).variance, 4)
        0.9207
        """
        law = _law(self.epsilon, self.n_categories)
        spread = max(p * (1 - p) for p in (law.p_truth, law.p_other))
        return float_of(spread / (law.p_truth - law.p_other) ** 2)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer) -> float:
        """Half-width that an estimated count is within of the true one, about as often as said.

        To plan with, before there are reports; `Estimate.interval` says more afterwards.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that it is, for those true counts at which estimates vary most.
        count : int >= 1
            How many reports it is estimated from.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Notes
        -----
        By the normal approximation, with a continuity correction. For 95 % it covers 95 to 96 %
        at those counts if the number of reports of a category has a variance of 100 or more there:
        docs/mechanisms/randomized_response.md. `hoeffding_bound` is proven, and wider.

        Examples
        --------
        >>> round(RandomizedResponse(epsilon=1).error_bound(0.95, count=1000), 1)
        60.6

        """
        n = _reports(count)
        slope = self._slope
        return quantile_of(confidence) * math.sqrt(n * self.variance) + slope / 2

    def hoeffding_bound(self, confidence: Number = 0.95, *, count: Integer) -> float:
        """Half-width that an estimated count is within of the true one, proven for all counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that it is, at least: for 95 % it is 99.3 % or more.
        count : int >= 1
            How many reports it is estimated from.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Notes
        -----
        Hoeffding, "Probability inequalities for sums of bounded random variables", 1963.

        Examples
        --------
        >>> round(RandomizedResponse(epsilon=1).hoeffding_bound(0.95, count=1000), 1)
        92.9

        """
        width = math.sqrt(_reports(count) * (math.log(2) - miss_of(confidence, 1)) / 2)
        return width * self._slope * (1 + 2**-40)

    @property
    def _slope(self) -> float:
        """What one report more adds to an estimated count."""
        law = _law(self.epsilon, self.n_categories)
        return float_of(1 / (law.p_truth - law.p_other))

    def probabilities(self, code: Integer) -> NDArray[np.float64]:
        """Return the probability of each report of a code, shape (n_categories,).

        >>> RandomizedResponse(epsilon=1, n_categories=3).probabilities(0).round(3)
        array([0.576, 0.212, 0.212])
        """
        truth, k = read_integer(code, "code"), self.n_categories
        if not 0 <= truth < k:
            return np.full(k, 1 / k)
        law = _law(self.epsilon, k)
        chances = np.full(k, float_of(law.p_other))
        chances[truth] = float_of(law.p_truth)
        return chances

    @overload
    def release(
        self, codes: bool, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> bool: ...
    @overload
    def release(
        self,
        codes: int | np.integer,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> int: ...
    @overload
    def release(
        self,
        codes: NDArray[Any] | Sequence[Any],
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> NDArray[Any]: ...
    def release(
        self,
        codes: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> bool | int | NDArray[Any]:
        """Return a report for each code, one of a person each.

        Parameters
        ----------
        codes : int, or array of any integer dtype, or bool for two categories, of any shape
            From 0 to n_categories - 1, not from 1; any other is answered by a uniform category,
            without an error, because an error would tell that there is one.
        budget : PrivacyFilter or BudgetLedger of relation "change-one", optional
            Pays `loss` once, before codes are read: nobody has more than one report here.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        int or bool, or ndarray of the dtype and shape of codes

        Raises
        ------
        TypeError, ValueError
            If codes are not of integers, or of a dtype that does not hold n_categories - 1,
            budget is no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses, or is kept under add-remove.

        Examples
        --------
        >>> RandomizedResponse(epsilon=1, n_categories=2).release(np.zeros(3, np.uint8)).dtype
        dtype('uint8')

        """
        given, dtype = declare_codes(codes, self.n_categories, "codes")

        draw = partial(self._reported, given, dtype)
        labels = labels_of(codes)
        reports = paid(self, draw, given.shape, dtype, budget, rng, arguments=labels)
        if isinstance(codes, (int, np.integer, np.bool_)):
            return cast("bool | int", reports.item())
        return cast("NDArray[Any]", restore_labels(codes, reports))

    def _reported(
        self, given: Declared, dtype: np.dtype[Any], generator: Generator
    ) -> NDArray[Any]:
        values = read_codes(given, "codes")
        reports = np.empty_like(values)
        law = _law(self.epsilon, self.n_categories)
        generator._randomize(law.shift, law.uniform, values, reports)
        return reports.astype(dtype, copy=False)

    def estimate(self, reports: ArrayLike) -> Estimate:
        """Return the estimated counts of the true codes, and their variances.

        Parameters
        ----------
        reports : array of integers or bool, of any shape
            Of `release`. Nulls and -1, which stand for no report, are left out.

        Returns
        -------
        Estimate
            Counts and variance, and `interval` for confidence intervals. With h reports of a
            category among n, p = P(truth) and w that of each other report: count
            (h - n w) / (p - w), variance w (n p + (k - 2) h) / (p - w)**2.

        Raises
        ------
        TypeError
            If reports are not integers.
        ValueError
            If one is not from -1 to n_categories - 1. Reports are no secret, unlike codes.

        Notes
        -----
        docs/mechanisms/randomized_response.md. What is estimated costs nothing more.

        Examples
        --------
        >>> RandomizedResponse(epsilon=2).estimate([0, 0, 0, 1]).counts.round(2)
        array([3.31, 0.69])

        """
        k = self.n_categories
        given, _ = declare_codes(reports, k, "reports")
        codes = read_codes(given, "reports")
        inside = codes.reshape(-1)
        if codes.dtype != np.bool_:
            if ((inside < -1) | (inside >= k)).any():
                raise ValueError(
                    f"reports must be from 0 to {k - 1}, because n_categories is {k}: count from 0"
                )
            inside = inside[inside >= 0].astype(np.intp)
        h = np.bincount(inside, minlength=k).astype(np.float64)
        p, w, *_ = _law(self.epsilon, k)
        n = h.sum()
        with np.errstate(over="ignore", invalid="ignore"):  # of an epsilon next to 0
            slope = np.float64(self._slope)
            counts = (h - n * float_of(w)) * slope
            variance = float_of(w) * (n * float_of(p) + (k - 2) * h) * slope * slope
        return Estimate(counts, variance, float(slope), (k - 2) * float_of(w))

    def __repr__(self) -> str:
        epsilon = literal_of(self.epsilon)
        return f"RandomizedResponse(epsilon={epsilon}, n_categories={self.n_categories})"


def _reports(count: Integer) -> int:
    """Return a number of reports; a TypeError or ValueError for anything else."""
    n = read_integer(count, "count")
    if not 1 <= n < 2**62:
        raise ValueError(f"count must be from 1 to 2**62 - 1, not {format_number(Fraction(n))}")
    return n
