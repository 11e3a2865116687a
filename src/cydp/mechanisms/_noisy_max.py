# SPDX-License-Identifier: MIT
"""Selection of the candidate with the largest noisy score."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import copy_base_methods, require_names
from cydp._columns.declared import Declared
from cydp._columns.scores import declare_scores, read_scores
from cydp._core import NoisyMax
from cydp._generator import Generator
from cydp._numbers.rational import (
    as_exact,
    float_of,
    format_number,
    literal_of,
    read_exact,
    read_integer,
    read_positive,
)
from cydp._samplers import prepare_noisy_max
from cydp._sensitivity import relation_of
from cydp.accounting._loss import PureDP
from cydp.accounting._make_loss import make_loss
from cydp.mechanisms import _rational_scores, _selection_probabilities
from cydp.mechanisms._charge import Budget, paid
from cydp.mechanisms._integer_mechanism import INT64
from cydp.mechanisms._sensitivity import norm_of, words_of

__all__ = ["ExponentialMechanism", "PermuteAndFlip"]


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class _Selection(ABC):
    """What both laws have in common: parameters, and who pays for what."""

    epsilon: Fraction
    sensitivity: Fraction
    monotonic: bool
    relation: str | None

    @require_names
    def __init__(self, *, epsilon: Number, sensitivity: Number, monotonic: bool = False) -> None:
        if not isinstance(monotonic, bool):
            raise TypeError(f"monotonic must be True or False, not {type(monotonic).__name__}")
        norm, relation = norm_of(sensitivity), relation_of(sensitivity)
        if monotonic and relation == "change-one":
            raise ValueError(
                "monotonic must be False for a sensitivity that is stated under 'change-one': a "
                "record that changes moves scores in both directions"
            )
        object.__setattr__(self, "epsilon", read_positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", norm)
        object.__setattr__(self, "monotonic", monotonic)
        object.__setattr__(self, "relation", "add-remove" if monotonic else relation)

    @property
    @abstractmethod
    def loss(self) -> PureDP:
        """Privacy cost of one selection: of each row of scores."""

    @property
    def scale(self) -> Fraction:
        """Scale of the noise, in the scores' units: 2 sensitivity / epsilon, or half of that."""
        return as_exact((1 if self.monotonic else 2) * self.sensitivity / self.epsilon)

    @abstractmethod
    def probabilities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probability of each candidate, along the last axis."""

    def error_bound(self, confidence: Number = 0.95, *, count: Integer) -> float:
        """How far the chosen score can be below the best, with this probability at least.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
        count : int >= 1
            Scores in a row.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Notes
        -----
        scale * (ln(count) + ln(1 / (1 - confidence))): Dwork and Roth, "The algorithmic
        foundations of differential privacy", 2014, theorem 3.11.

        Examples
        --------
        >>> round(ExponentialMechanism(epsilon=1, sensitivity=1).error_bound(0.95, count=4), 3)
        8.764

        """
        m = read_integer(count, "count")
        if m < 1:
            raise ValueError(f"count must be at least 1, not {m}")
        share = read_exact(confidence, "confidence")
        if not 0 < share < 1:
            raise ValueError(f"confidence must be between 0 and 1, not {format_number(share)}")
        miss = 1 - share
        log_inverse = math.log(miss.denominator) - math.log(miss.numerator)
        if miss.numerator * 2 > miss.denominator:
            log_inverse = -math.log1p(-float_of(share))  # keeps the digits of a small share
        # The factor covers the rounding of the logarithms.
        return float_of(self.scale) * (math.log(m) + log_inverse) * (1 + 2**-44)

    def release(
        self, scores: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> int | NDArray[np.int64]:
        """Select one candidate of each row.

        Parameters
        ----------
        scores : array of floats or integers of up to 64 bits, shape (..., m), m >= 1
            Higher is better. Read as they are: a float by its exact binary value, an integer of
            any size as itself. NaN counts as -inf; several of +inf, or a row of nothing but -inf,
            are equal. Lists that neither float64 nor int64 holds take longer, which a clock sees.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            Pays `loss` for each row, before a score is read.
        rng : Generator, optional
            Default: this thread's own. `fixed_work` changes nothing.

        Returns
        -------
        int, or ndarray of int64 of shape (...)
            The place in the last axis.

        Raises
        ------
        TypeError, ValueError
            If scores are no such array, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> ExponentialMechanism(epsilon=100, sensitivity=1).release([1, 7, 2])
        1

        """
        given = declare_scores(scores)
        shape, candidates = given.shape[:-1], given.shape[-1]
        chosen = paid(
            self, partial(self._chosen, given), shape, INT64, budget, rng,
            count=math.prod(shape), arguments=candidates,
        )  # fmt: skip
        return chosen if shape else int(chosen[()])

    def _chosen(self, given: Declared, generator: Generator) -> NDArray[np.int64]:
        values = read_scores(given)
        chosen = np.empty(given.shape[:-1], np.int64)
        rows = chosen.reshape(-1)
        if values.dtype == object:
            _rational_scores.race(1 / self.scale, self._gumbel, values, rows, generator)
        else:
            generator._report_noisy_max(_prepared(self), values, rows)
        return chosen

    @property
    @abstractmethod
    def _gumbel(self) -> bool:
        """Whether the noise is Gumbel's, or else exponential."""

    def _behind(self, scores: Any) -> NDArray[np.float64]:
        return _selection_probabilities.behind(read_scores(declare_scores(scores)), 1 / self.scale)

    def __repr__(self) -> str:
        stated = None if self.monotonic else self.relation  # monotonic says it already
        norm, rest = words_of(self.sensitivity, stated), ", monotonic=True" * self.monotonic
        return (
            f"{type(self).__name__}(epsilon={literal_of(self.epsilon)}, sensitivity={norm}{rest})"
        )


@lru_cache(256)
def _prepared(mechanism: _Selection) -> NoisyMax:
    return prepare_noisy_max(mechanism._gumbel, 1 / mechanism.scale)


@copy_base_methods
class ExponentialMechanism(_Selection):
    """The exponential mechanism, exact: P(i) is proportional to exp(score_i / scale).

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one selection, in pure DP.
    sensitivity : number > 0
        How much one unit can change any one score. A float is read up; one of `cydp.sensitivity`
        states the relation, and the loss is stated under it.
    monotonic : bool, default False
        Adding a record moves all scores in one direction, as it does counts, but not quantiles:
        half the noise will do. The loss is then stated under "add-remove": a record that changes
        moves scores in both directions, and a budget under "change-one" refuses it.

    Raises
    ------
    TypeError, ValueError
        If epsilon or sensitivity is not a positive number, monotonic no bool, or True for a
        sensitivity that is stated under "change-one".

    Attributes
    ----------
    relation : str or None
        What the loss is stated under: "add-remove" if monotonic, else as the sensitivity is;
        None: nobody said.

    Notes
    -----
    McSherry and Talwar, "Mechanism design via differential privacy", 2007. Its loss in zCDP,
    epsilon**2 / 8: Cesar and Rogers, "Bounding, concentrating, and truncating", 2021.

    Examples
    --------
    >>> ExponentialMechanism(epsilon=0.1, sensitivity=1).probabilities([27, 23, 9, 0]).round(2)
    array([0.4 , 0.33, 0.16, 0.1 ])

    """

    __slots__ = ()

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one selection: of each row of scores."""
        return make_loss(PureDP, self.epsilon, self.epsilon**2 / 8, relation=self.relation)

    def probabilities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probability of each candidate, along the last axis. It depends on the data: private.

        >>> ExponentialMechanism(epsilon=1, sensitivity=1).probabilities([27, 23, 9, 0]).round(2)
        array([0.88, 0.12, 0.  , 0.  ])
        """
        return _selection_probabilities.gumbel_probabilities(self._behind(scores))

    @property
    def _gumbel(self) -> bool:
        return True


@copy_base_methods
class PermuteAndFlip(_Selection):
    """Permute-and-flip, exact: in expectation never worse than the exponential mechanism.

    Its law is that of the largest score plus exponential noise.

    Parameters
    ----------
    epsilon, sensitivity, monotonic
        As of `ExponentialMechanism`.

    Raises
    ------
    TypeError, ValueError
        As `ExponentialMechanism`.

    Attributes
    ----------
    relation : str or None
        As of `ExponentialMechanism`.

    Notes
    -----
    McKenna and Sheldon, "Permute-and-flip", 2020. Ding, Kifer, Steinke, Wang, Xiao, Zhang, "The
    permute-and-flip mechanism is identical to report-noisy-max with exponential noise", 2021.

    Examples
    --------
    >>> PermuteAndFlip(epsilon=0.1, sensitivity=1).probabilities([27, 23, 9, 0]).round(2)
    array([0.45, 0.33, 0.14, 0.08])

    """

    __slots__ = ()

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one selection: of each row of scores."""
        return PureDP(self.epsilon, relation=self.relation)

    def probabilities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probability of each candidate, along the last axis. It depends on the data: private.

        Of m candidates it takes some 700 steps over all of them, or fewer: a microsecond each.

        >>> PermuteAndFlip(epsilon=1, sensitivity=1).probabilities([1, 1]).round(2)
        array([0.5, 0.5])
        """
        return _selection_probabilities.exponential_probabilities(self._behind(scores))

    @property
    def _gumbel(self) -> bool:
        return False
