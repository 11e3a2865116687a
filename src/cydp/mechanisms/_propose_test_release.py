# SPDX-License-Identifier: MIT
"""Propose-test-release for the most frequent candidate. docs/mechanisms/unbounded.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._generator import Generator
from cydp._numbers.rational import format_number, literal_of, read_integer, read_positive
from cydp.accounting._loss import ApproxDP
from cydp.exact._bins import refuse_data_bins
from cydp.mechanisms._integer_mechanism import INT64, declare_integers, read_int64
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._noise_laws import LaplaceLaw
from cydp.mechanisms._parameters import format_sensitivity, set_fields
from cydp.mechanisms._run import Budget, draw_array

__all__ = ["ProposeTestRelease"]

_REFUSED = -1


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class ProposeTestRelease:
    """The most frequent candidate, exactly, if a noisy test says that it leads by enough; or None.

    The answer itself is released without noise. The test adds discrete Laplace noise to the lead,
    the largest count minus the second largest. A lead of a few units, which one unit could turn,
    is refused, except with probability delta.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one `release`, in nats.
    delta : number above 0 and at most 1/2
        The probability with which a lead that one unit can turn passes the test.
    sensitivity : number >= 1
        L1 norm of the change that one unit can make in all counts. A sensitivity from
        `cydp.sensitivity` states its relation, and the loss is then stated under it.

    Attributes
    ----------
    threshold : int
        A candidate is released if lead + noise is at least this.
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    References
    ----------
    .. [1] Dwork, Lei, "Differential privacy and robust statistics", 2009.
    .. [2] Smith, Thakurta, "Differentially private feature selection via stability arguments",
       2013.

    Examples
    --------
    >>> mechanism = ProposeTestRelease(epsilon=1, delta=1e-6, sensitivity=1)
    >>> mechanism.threshold, mechanism.release([400, 150, 20])
    (15, 0)
    >>> round(mechanism.probability(30), 6), mechanism.probability(1) <= 1e-6
    (1.0, True)

    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    threshold: int
    relation: str | None
    _noise: DiscreteLaplace

    @require_names
    def __init__(self, *, epsilon: Number, delta: Number, sensitivity: Number) -> None:
        noise = DiscreteLaplace(epsilon=epsilon, sensitivity=sensitivity)
        failure = read_positive(delta, "delta")
        if 2 * failure > 1:
            raise ValueError(f"delta must be at most 1/2, not {format_number(failure)}")
        if noise.sensitivity < 1:
            raise ValueError("sensitivity must be at least 1: counts are integers")
        set_fields(
            self,
            epsilon=noise.epsilon,
            delta=failure,
            sensitivity=noise.sensitivity,
            # A lead that a unit can turn is at most the sensitivity, and P(noise > k) <= delta.
            threshold=math.floor(noise.sensitivity) + LaplaceLaw(noise.scale).upper(failure) + 1,
            relation=noise.relation,
            _noise=noise,
        )

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost of one release."""
        return ApproxDP(self.epsilon, self.delta, relation=self.relation)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise of the test: sensitivity / epsilon."""
        return self._noise.scale

    def probability(self, lead: Integer) -> float:
        """Return the probability that a candidate with this lead is released.

        Parameters
        ----------
        lead : int >= 0

        Raises
        ------
        TypeError, ValueError
            If lead is not such an integer.

        """
        distance = read_integer(lead, "lead")
        if distance < 0:
            raise ValueError(f"lead must be at least 0, not {distance}")
        return self._noise.sf(self.threshold - distance - 1)

    def release(
        self, counts: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> int | None:
        """Return the index of the largest count, or None if its lead does not pass the test.

        Parameters
        ----------
        counts : array of integers, shape (m,), m >= 2
            Counts of public candidates. Nulls in a list or a column count as 0. Of equal counts the
            first is the largest.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It is charged before counts are read.
        rng : Generator, optional
            The source of the noise. Default: the calling thread's own generator.

        Returns
        -------
        int or None

        Raises
        ------
        TypeError, ValueError
            If counts is not such an array, or is counts in bins that came from the data; if budget
            or rng is not allowed. Then nothing is charged.
        PrivacyError
            If the budget refuses. Then nothing is charged and no count is read.

        """
        refuse_data_bins(counts, "counts")
        given = declare_integers(counts, "counts")
        if len(given.shape) != 1 or given.size < 2:
            raise ValueError(f"counts must be of shape (m,), m >= 2, not {given.shape}")
        draw = partial(self._test, given)
        chosen = draw_array(self, draw, ((), INT64), budget, rng, arguments=given.size)
        index = int(chosen[()])
        return None if index == _REFUSED else index

    def _test(self, given: Declared, generator: Generator) -> NDArray[np.int64]:
        values = read_int64(given, "counts")
        first = int(values.argmax())
        lead = int(values[first]) - int(np.delete(values, first).max())
        passes = self._noise.release(lead, rng=generator) >= self.threshold
        return np.array(first if passes else _REFUSED, np.int64)

    def __repr__(self) -> str:
        epsilon, delta = literal_of(self.epsilon), literal_of(self.delta)
        norm = format_sensitivity(self.sensitivity, self.relation)
        return f"ProposeTestRelease(epsilon={epsilon}, delta={delta}, sensitivity={norm})"
