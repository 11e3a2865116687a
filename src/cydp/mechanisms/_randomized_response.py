# SPDX-License-Identifier: MIT
"""Randomized response among categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._columns.mechanism_inputs import declare_codes, read_codes
from cydp._columns.pandas import labels_of, restore_labels
from cydp._core import Sampler, randomize_one, randomize_responses
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._numbers.rational import (
    as_exact,
    float_of,
    read_integer,
    read_positive,
)
from cydp._samplers import prepare_category_offset
from cydp._threads import threads_for
from cydp.accounting._dominating_pairs import LaplacePair, Pairs, ResponsePair
from cydp.mechanisms._frequency_oracle import (
    Estimate,
    FrequencyOracle,
    ReportOdds,
    likelihood_ratio,
    read_categories,
)
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._run import Budget, apart_from, check_output, draw_array, fill_output

__all__ = ["RandomizedResponse"]


class _Distribution(NamedTuple):
    p_truth: Fraction
    p_other: Fraction  # of each report but the truth, q / k
    offset: Sampler  # what is added to a code of a category, modulo k
    uniform: Sampler  # the report for any other code


@lru_cache(256)  # by integers: a Fraction would compute its hash at every call
def _distribution_of(numerator: int, denominator: int, categories: int) -> _Distribution:
    ratio = likelihood_ratio(Fraction(numerator, denominator))
    other = 1 / (categories - 1 + ratio)
    return _Distribution(
        ratio * other,
        other,
        prepare_category_offset(other, categories),
        prepare_category_offset(Fraction(1, categories), categories),
    )


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomizedResponse(FrequencyOracle):
    """Randomized response: a report is uniform with probability q, else the truth. Exact.

    It is for data that people randomize before they send it (local DP), so that nobody else sees
    the truth. For k categories exp(epsilon) = (1 - q) k / q + 1. The probability of the truth is
    rounded down to a fraction, by at most 1e-28.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one report in pure DP, in nats, for the person who reports.
    n_categories : int from 2 to 2**31, default 2
        The number of categories, k. Their codes are from 0 to k - 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    References
    ----------
    .. [1] Warner, "Randomized response: a survey technique for eliminating evasive answer bias",
       1965.
    .. [2] Kairouz, Bonawitz, Ramage, "Discrete distribution estimation under local privacy", 2016.

    Examples
    --------
    >>> round(float(RandomizedResponse(epsilon=1, n_categories=2).p_truth), 4)
    0.7311

    """

    epsilon: Fraction
    n_categories: int

    @require_names
    def __init__(self, *, epsilon: Number, n_categories: Integer = 2) -> None:
        rate = read_positive(epsilon, "epsilon")
        set_fields(self, epsilon=rate, n_categories=read_categories(n_categories, 31))

    @property
    def p_truth(self) -> Fraction:
        """Probability that a report is the truth, 1 - q + q / k."""
        return as_exact(self._distribution.p_truth)

    @property
    def _distribution(self) -> _Distribution:
        return _distribution_of(self.epsilon.numerator, self.epsilon.denominator, self.n_categories)

    @property
    def _pairs(self) -> Pairs:
        if self.n_categories == 2:
            return {LaplacePair(self.epsilon): 1}
        return {ResponsePair(self.epsilon, self.n_categories): 1}

    @property
    def _odds(self) -> ReportOdds:
        p_truth, p_other, *_ = self._distribution
        return ReportOdds(p_truth, p_other)

    def probabilities(self, code: Integer) -> NDArray[np.float64]:
        """Return the probability of each report for a true code, shape (n_categories,).

        >>> RandomizedResponse(epsilon=1, n_categories=3).probabilities(0).round(3)
        array([0.576, 0.212, 0.212])
        """
        truth, k = read_integer(code, "code"), self.n_categories
        if not 0 <= truth < k:
            return np.full(k, 1 / k)
        p_truth, p_other, *_ = self._distribution
        probabilities = np.full(k, float_of(p_other))
        probabilities[truth] = float_of(p_truth)
        return probabilities

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
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]: ...
    def release(
        self,
        codes: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
        out: NDArray[Any] | None = None,
    ) -> bool | int | NDArray[Any]:
        """Return a report for each code; each code belongs to a different person.

        Parameters
        ----------
        codes : int, or array of any integer dtype, or bool for two categories, of any shape
            The true categories, from 0 to n_categories - 1. The report for any other code is a
            uniform category. There is no error, because an error would reveal the code.
        budget : PrivacyFilter, BudgetLedger or LedgerScope of relation "change-one", optional
            It is charged the loss once, before codes are read, because no person has more than one
            report.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.
        out : ndarray of the dtype of codes, optional
            The array to fill and to return: C-contiguous, in native byte order, writable, and of
            the shape of codes. It may be codes itself, but may not overlap it otherwise. Default:
            a new array.

        Returns
        -------
        int or bool, or ndarray of the dtype and shape of codes
            `out`, if it is given.

        Raises
        ------
        TypeError, ValueError
            If codes does not hold integers, or has a dtype that does not hold n_categories - 1; if
            budget, rng or out is not allowed. Then nothing is charged or drawn.
        PrivacyError
            If the budget refuses, or is kept under another relation. Then nothing is charged and no
            code is read.

        Examples
        --------
        >>> RandomizedResponse(epsilon=1, n_categories=2).release(np.zeros(3, np.uint8)).dtype
        dtype('uint8')

        """
        kind = type(codes)
        is_flag = kind is bool and self.n_categories == 2
        if (kind is int or is_flag) and budget is None and out is None:  # the quickest way
            report = self._randomize_one(cast("int", codes), generator_or_default(rng))
            return bool(report) if is_flag else report
        given, dtype = declare_codes(codes, self.n_categories, "codes")
        check_output(out, dtype.newbyteorder("="), given.shape, codes, "codes")
        draw = partial(self._randomize, given, dtype, out)
        labels = labels_of(codes)
        reports = draw_array(self, draw, (given.shape, dtype), budget, rng, arguments=labels)
        if out is not None:
            return fill_output(out, reports)
        if isinstance(codes, (int, np.integer, np.bool_)):
            return cast("bool | int", reports.item())
        return cast("NDArray[Any]", restore_labels(codes, reports))

    def _randomize_one(self, code: int, generator: Generator) -> int:
        _, _, offset, uniform = self._distribution
        inside = code if 0 <= code < self.n_categories else -1
        return randomize_one(generator._stream, offset, uniform, inside)

    def _randomize(
        self,
        given: Declared,
        dtype: np.dtype[Any],
        out: NDArray[Any] | None,
        generator: Generator,
    ) -> NDArray[Any]:
        values = apart_from(out, read_codes(given, "codes"))
        reports = np.empty_like(values)
        if out is not None and out.dtype == values.dtype:  # a column is read as int64
            reports = out
        _, _, offset, uniform = self._distribution
        threads = threads_for(values.size)
        randomize_responses(generator._stream, offset, uniform, values, reports, threads)
        return reports.astype(dtype, copy=False)

    def estimate(self, reports: ArrayLike) -> Estimate:
        """Return the estimated counts of the true codes, and their variances.

        Parameters
        ----------
        reports : array of integers or bool, of any shape
            Results of `release`. Nulls and -1, which mean that there is no report, are left out.

        Returns
        -------
        Estimate
            The counts and their variances. Its `interval` gives confidence intervals.

        Raises
        ------
        TypeError
            If reports does not hold integers.
        ValueError
            If a report is not from -1 to n_categories - 1. Unlike codes, reports are not secret.

        Notes
        -----
        Let h of n reports name a category, and let a report be the truth with probability p, each
        other category with w. The count is (h - n w) / (p - w), and its variance is
        w (n p + (k - 2) h) / (p - w)**2. Estimation has no privacy cost.

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
        return self._odds.estimate(h, float(h.sum()))
