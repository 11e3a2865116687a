# SPDX-License-Identifier: MIT
"""Optimised unary encoding: a bit for each category."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._columns.mechanism_inputs import declare_codes, read_codes
from cydp._core import Sampler
from cydp._generator import Generator
from cydp._numbers.rational import (
    as_exact,
    float_of,
    format_number,
    read_integer,
    read_positive,
)
from cydp._samplers import read_bernoulli
from cydp.mechanisms._frequency_oracle import (
    Estimate,
    FrequencyOracle,
    ReportOdds,
    likelihood_ratio,
    read_categories,
)
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._run import Budget, draw_array

__all__ = ["UnaryEncoding", "sum_bits"]

_LEAST_EPSILON = Fraction(1, 10**300)
_BLOCK = 2**18  # bits that are drawn together, which a cache holds
_HALF = Fraction(1, 2)


@lru_cache(256)
def _odds_of(epsilon: Fraction) -> ReportOdds:
    return ReportOdds(_HALF, as_exact(1 / (likelihood_ratio(epsilon) + 1)))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class UnaryEncoding(FrequencyOracle):
    """Optimised unary encoding: a report has a bit for each category. Exact.

    It is for data that people randomize before they send it (local DP), among many categories: for
    more than 3 exp(epsilon) + 2 it has less variance than `RandomizedResponse`. The bit of the true
    category is 1 with probability 1/2, each other bit with 1 / (exp(epsilon) + 1), which is rounded
    up to a fraction, by at most 1e-28 of it.

    Parameters
    ----------
    epsilon : number >= 1e-300
        Privacy cost of one report in pure DP, in nats, for the person who reports.
    n_categories : int from 2 to 2**24
        The number of categories, k. Their codes are from 0 to k - 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    References
    ----------
    .. [1] Wang, Blocki, Li, Jha, "Locally differentially private protocols for frequency
       estimation", 2017.

    Examples
    --------
    >>> mechanism = UnaryEncoding(epsilon=1, n_categories=1000)
    >>> mechanism.p_true, round(float(mechanism.p_other), 4), mechanism.release([7, 3]).shape
    (Fraction(1, 2), 0.2689, (2, 1000))
    >>> round(mechanism.variance, 4), round(mechanism.error_bound(reports=1000), 1)
    (4.6827, 136.3)

    """

    epsilon: Fraction
    n_categories: int

    @require_names
    def __init__(self, *, epsilon: Number, n_categories: Integer) -> None:
        rate = read_positive(epsilon, "epsilon")
        if rate < _LEAST_EPSILON:
            raise ValueError(f"epsilon must be at least 1e-300, not {format_number(rate)}")
        set_fields(self, epsilon=rate, n_categories=read_categories(n_categories, 24))

    @property
    def p_true(self) -> Fraction:
        """Probability that the bit of the true category is 1: 1/2."""
        return as_exact(_HALF)

    @property
    def p_other(self) -> Fraction:
        """Probability that the bit of another category is 1."""
        return self._odds.p_other

    @property
    def _odds(self) -> ReportOdds:
        return _odds_of(self.epsilon)

    def probabilities(self, code: Integer) -> NDArray[np.float64]:
        """Return the probability of each bit to be 1 for a true code, shape (n_categories,).

        >>> UnaryEncoding(epsilon=1, n_categories=3).probabilities(0).round(3)
        array([0.5  , 0.269, 0.269])
        """
        truth = read_integer(code, "code")
        probabilities = np.full(self.n_categories, float_of(self.p_other))
        if 0 <= truth < self.n_categories:
            probabilities[truth] = 0.5
        return probabilities

    def release(
        self,
        codes: int | ArrayLike,
        *,
        packed: bool = False,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> NDArray[Any]:
        """Return the bits of a report for each code; each code belongs to a different person.

        Parameters
        ----------
        codes : int, or array of any integer dtype, or bool for two categories, of any shape
            The true categories, from 0 to n_categories - 1. For any other code all bits are those
            of other categories. There is no error, because an error would reveal the code.
        packed : bool, default False
            Whether eight bits make one byte, as `numpy.packbits` makes it.
        budget : PrivacyFilter, BudgetLedger or LedgerScope of relation "change-one", optional
            It is charged the loss once, before codes are read, because no person has more than one
            report.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        ndarray of bool, shape (..., n_categories), or of uint8, shape (..., ceil(n_categories / 8))

        Raises
        ------
        TypeError, ValueError
            If codes does not hold integers, or has a dtype that does not hold n_categories - 1; if
            packed, budget or rng is not allowed. Then nothing is charged or drawn.
        PrivacyError
            If the budget refuses, or is kept under "add-remove". Then nothing is charged and no
            code is read.

        Examples
        --------
        >>> mechanism = UnaryEncoding(epsilon=1, n_categories=20)
        >>> mechanism.release([3, 19], packed=True).shape
        (2, 3)

        """
        if not isinstance(packed, bool):
            raise TypeError(f"packed must be True or False, not {type(packed).__name__}")
        given, _ = declare_codes(codes, self.n_categories, "codes")
        width = -(-self.n_categories // 8) if packed else self.n_categories
        shape, dtype = (*given.shape, width), np.dtype(np.uint8 if packed else np.bool_)
        draw = partial(self._draw, given, np.empty(shape, dtype))
        return draw_array(self, draw, (shape, dtype), budget, rng)

    def _draw(self, given: Declared, reports: NDArray[Any], generator: Generator) -> NDArray[Any]:
        wide = read_codes(given, "codes").reshape(-1).astype(np.int64)
        codes = np.clip(wide, -1, self.n_categories).astype(np.int32)
        k, rows = self.n_categories, reports.reshape(len(codes), reports.shape[-1])
        true, other = read_bernoulli(_HALF), read_bernoulli(self.p_other)
        step = max(_BLOCK // k, 1)
        for first in range(0, len(codes), step):
            block = slice(first, first + step)
            bits = _draw_bits(codes[block], k, true, other, generator)
            rows[block] = np.packbits(bits, axis=1) if reports.dtype == np.uint8 else bits
        return reports

    def estimate(self, reports: ArrayLike) -> Estimate:
        """Return the estimated counts of the true codes, and their variances.

        Parameters
        ----------
        reports : array of bool, 0 and 1, or packed uint8
            Results of `release`.

        Returns
        -------
        Estimate
            The counts and their variances. Its `interval` gives confidence intervals.

        Raises
        ------
        TypeError, ValueError
            If reports is no array of bits of this shape.

        Notes
        -----
        Let h of n reports have the bit of a category, p = 1/2, and w the probability of another
        bit. The count is (h - n w) / (p - w), and its variance is (n w p + (p - w) h) / (p - w)**2.
        Estimation has no privacy cost.

        Examples
        --------
        >>> mechanism = UnaryEncoding(epsilon=2, n_categories=3)
        >>> mechanism.estimate([[True, False, False], [True, False, True]]).counts.round(2)
        array([ 4.63, -0.63,  2.  ])

        """
        sums, n = sum_bits(reports, self.n_categories)
        return self._odds.estimate(sums.astype(np.float64), n)

    def estimate_sums(self, sums: ArrayLike, *, count: Integer) -> Estimate:
        """Return what `estimate` does, from how many reports have each bit.

        So a server adds reports up as they come, and keeps none.

        Parameters
        ----------
        sums : array of int, shape (n_categories,)
            The number of reports with each bit.
        count : int >= 0
            The number of reports.

        Returns
        -------
        Estimate
            As `estimate` does.

        Raises
        ------
        TypeError, ValueError
            Unless sums are n_categories integers from 0 to count.

        Examples
        --------
        >>> mechanism = UnaryEncoding(epsilon=2, n_categories=3)
        >>> mechanism.estimate_sums([2, 0, 1], count=2).counts.round(2)
        array([ 4.63, -0.63,  2.  ])

        """
        n, given = read_integer(count, "count"), np.asarray(sums)
        if given.dtype.kind not in "iu":
            raise TypeError(f"sums must be integers, not of dtype {given.dtype}")
        if given.shape != (self.n_categories,) or (given < 0).any() or (given > n).any():
            raise ValueError(f"sums must be {self.n_categories} integers from 0 to count, {n}")
        return self._odds.estimate(given.astype(np.float64), n)


def _draw_bits(
    codes: NDArray[np.int32], k: int, true: Sampler, other: Sampler, generator: Generator
) -> NDArray[np.bool_]:
    """Return a row of k bits for each code. The work is the same for all codes."""
    bits, truths = np.empty((len(codes), k), np.bool_), np.empty((len(codes), 1), np.bool_)
    generator._fill(other, bits.reshape(-1))
    generator._fill(true, truths.reshape(-1))
    is_true = codes[:, np.newaxis] == np.arange(k, dtype=np.int32)
    bits ^= is_true & (bits ^ truths)  # no branch, and no address, depends on a code
    return bits


def sum_bits(reports: ArrayLike, k: int) -> tuple[NDArray[np.int64], int]:
    """Return how many reports have each of k bits, and how many reports there are.

    Raises
    ------
    TypeError, ValueError
        If they are no rows of k bits, packed or not.

    >>> sum_bits(np.packbits([[1, 0, 1], [1, 0, 0]], axis=1), 3)
    (array([2, 0, 1]), 2)
    """
    given = np.asarray(reports)
    width = given.shape[-1] if given.ndim else -1
    is_packed = given.dtype == np.uint8 and width == -(-k // 8)
    if given.dtype.kind not in "biu":
        raise TypeError(f"reports must be bits, bool or packed uint8, not of dtype {given.dtype}")
    if not is_packed and width != k:
        raise ValueError(
            f"reports must be rows of {k} bits, or of {-(-k // 8)} bytes of packed bits, not of "
            f"shape {given.shape}"
        )
    rows = given.reshape(-1, width)
    sums, step = np.zeros(k, np.int64), max(_BLOCK // k, 1)
    for first in range(0, len(rows), step):
        block = rows[first : first + step]
        if is_packed:
            block = np.unpackbits(block, axis=1, count=k)
        elif block.dtype.kind != "b" and ((block != 0) & (block != 1)).any():
            raise ValueError("reports must hold 0 and 1, or packed bits as uint8")
        sums += block.sum(axis=0, dtype=np.int64)
    return sums, len(rows)
