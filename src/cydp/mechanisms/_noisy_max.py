# SPDX-License-Identifier: MIT
"""Report noisy max: selects the candidate with the largest noisy score."""

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
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._columns.mechanism_inputs import declare_scores, read_scores
from cydp._core import NoisyMax, report_noisy_max
from cydp._generator import Generator
from cydp._numbers.rational import (
    as_exact,
    float_of,
    literal_of,
    read_exact,
    read_integer,
    read_level,
    read_positive,
)
from cydp._samplers import prepare_noisy_max
from cydp._sensitivity import relation_of
from cydp._threads import threads_for
from cydp.accounting._dominating_pairs import BoundedRangePair, Pairs
from cydp.accounting._loss import PureDP
from cydp.accounting._loss_numbers import make_loss
from cydp.exact._bins import refuse_data_bins
from cydp.mechanisms import _selection
from cydp.mechanisms._integer_mechanism import INT64
from cydp.mechanisms._parameters import format_sensitivity, read_norm, set_fields
from cydp.mechanisms._run import Budget, draw_array

__all__ = ["ExponentialMechanism", "PermuteAndFlip", "check_monotonic"]


def check_monotonic(monotonic: bool, relation: str | None) -> str | None:
    """Return the relation of a mechanism for answers that all move in one direction, if they do.

    Raises
    ------
    TypeError, ValueError
        If monotonic is no bool, or is not what the relation of the sensitivity allows.

    """
    if not isinstance(monotonic, bool):
        raise TypeError(f"monotonic must be True or False, not {type(monotonic).__name__}")
    if monotonic and relation not in (None, "add-remove"):
        raise ValueError(
            f"monotonic must be False for a sensitivity that is stated under {relation!r}: a "
            "record that changes moves scores in both directions"
        )
    return "add-remove" if monotonic else relation


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class _NoisyMaxMechanism(ABC):
    """What both mechanisms have in common: parameters, error bound, and the way of a release."""

    epsilon: Fraction
    sensitivity: Fraction
    monotonic: bool
    relation: str | None

    @require_names
    def __init__(self, *, epsilon: Number, sensitivity: Number, monotonic: bool = False) -> None:
        if read_exact(epsilon, "epsilon") == 0:
            raise ValueError(
                "epsilon must be greater than 0: cydp.mechanisms.UniformChoice(count=...) chooses "
                "without data, as epsilon 0 would"
            )
        relation = check_monotonic(monotonic, relation_of(sensitivity))
        set_fields(
            self,
            epsilon=read_positive(epsilon, "epsilon"),
            sensitivity=read_norm(sensitivity),
            monotonic=monotonic,
            relation=relation,
        )

    @property
    @abstractmethod
    def loss(self) -> PureDP:
        """Privacy cost of one selection: of one row of scores."""

    @property
    def scale(self) -> Fraction:
        """Scale of the noise: 2 sensitivity / epsilon, or half of that if monotonic."""
        return as_exact((1 if self.monotonic else 2) * self.sensitivity / self.epsilon)

    @abstractmethod
    def probabilities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each candidate, along the last axis."""

    def error_bound(self, confidence: Number = 0.95, *, candidates: Integer) -> float:
        """Return the distance within which the chosen score is from the best score.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The bound holds with at least this probability.
        candidates : int >= 1
            The number of candidates.

        Returns
        -------
        float
            In units of the scores.

        Raises
        ------
        TypeError, ValueError
            If confidence or candidates is outside its range.

        Notes
        -----
        It is scale * (ln(candidates) + ln(1 / (1 - confidence))) [1]_; 0 for a single candidate,
        which is always chosen.

        References
        ----------
        .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, theorem
           3.11.

        Examples
        --------
        >>> round(ExponentialMechanism(epsilon=1, sensitivity=1).error_bound(0.95, candidates=4), 3)
        8.764

        """
        m = read_integer(candidates, "candidates")
        if m < 1:
            raise ValueError(f"candidates must be at least 1, not {m}")
        level = read_level(confidence)
        if m == 1:
            return 0.0
        failure = 1 - level
        log_inverse = math.log(failure.denominator) - math.log(failure.numerator)
        if failure.numerator * 2 > failure.denominator:
            log_inverse = -math.log1p(-float_of(level))  # keeps the digits of a small level
        # The factor covers the rounding of the logarithms.
        return float_of(self.scale) * (math.log(m) + log_inverse) * (1 + 2**-44)

    def release(
        self, scores: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> int | NDArray[np.int64]:
        """Select one candidate of each row.

        Parameters
        ----------
        scores : array of floats or integers of up to 64 bits, shape (..., m), m >= 1
            A higher score is better. A float is read as its exact binary value, and an integer of
            any size is exact. NaN counts as -inf. All scores of +inf tie; if every score of a row
            is -inf, they all tie. A list with a number that fits neither float64 nor int64 takes
            longer, so the time shows that there is one.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            One loss is charged for each row, before a score is read.
        rng : Generator, optional
            The source of the noise. Default: the calling thread's own generator. A
            generator's `fixed_work` has no effect here.

        Returns
        -------
        int, or ndarray of int64 of shape (...)
            The index of the selected candidate in the last axis.

        Raises
        ------
        TypeError, ValueError
            If scores is not such an array, or is counts in bins that came from the data; if
            budget or rng is not allowed.
        PrivacyError
            If the budget refuses. Then nothing is charged and no score is read.

        Examples
        --------
        >>> ExponentialMechanism(epsilon=100, sensitivity=1).release([1, 7, 2])
        1

        """
        refuse_data_bins(scores, "scores")
        given = declare_scores(scores)
        shape, candidates = given.shape[:-1], given.shape[-1]
        chosen = draw_array(
            self, partial(self._select, given), (shape, INT64), budget, rng,
            count=math.prod(shape), arguments=candidates,
        )  # fmt: skip
        return chosen if shape else int(chosen[()])

    def _select(self, given: Declared, generator: Generator) -> NDArray[np.int64]:
        values = read_scores(given)
        chosen = np.empty(given.shape[:-1], np.int64)
        rows = chosen.reshape(-1)
        if values.dtype == object:
            _selection.select(1 / self.scale, self._gumbel, values, rows, generator)
        else:
            threads = threads_for(values.size)
            report_noisy_max(_prepare(self), generator._stream, values, rows, threads)
        return chosen

    @property
    @abstractmethod
    def _gumbel(self) -> bool:
        """Whether the noise is Gumbel noise; else it is exponential noise."""

    def _scale_scores(self, scores: Any) -> NDArray[np.float64]:
        values = read_scores(declare_scores(scores))
        return _selection.scale_scores(values, 1 / self.scale)

    def __repr__(self) -> str:
        stated = None if self.monotonic else self.relation  # monotonic states it already
        norm, rest = (
            format_sensitivity(self.sensitivity, stated),
            ", monotonic=True" * self.monotonic,
        )
        return (
            f"{type(self).__name__}(epsilon={literal_of(self.epsilon)}, sensitivity={norm}{rest})"
        )


@lru_cache(256)
def _prepare(mechanism: _NoisyMaxMechanism) -> NoisyMax:
    return prepare_noisy_max(mechanism._gumbel, 1 / mechanism.scale)


class ExponentialMechanism(_NoisyMaxMechanism):
    """The exponential mechanism, exact: P(i) is proportional to exp(score_i / scale).

    It selects a candidate with a high score, such as the most frequent item. `PermuteAndFlip`
    selects better ones for the same epsilon in pure DP; this mechanism costs less in zCDP.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one selection in pure DP, in nats.
    sensitivity : number > 0
        The largest change that one unit can make in any one score. A float is rounded up. A
        sensitivity from `cydp.sensitivity` carries a relation, and the loss gets the same one.
    monotonic : bool, default False
        Whether adding a record can only increase scores, or only decrease them. This holds for
        counts, but not for quantiles. The noise is then half as large. The loss is stated under
        "add-remove", and a budget of another relation refuses it, because a record that changes can
        move scores in both directions.

    Raises
    ------
    TypeError, ValueError
        If epsilon or sensitivity is not a positive number, if monotonic is not a bool, or if it is
        True and the sensitivity is stated under another relation than "add-remove".

    Attributes
    ----------
    relation : str or None
        The relation that the loss is stated under: "add-remove" if monotonic, else what the
        sensitivity states, or None if it states none.

    Notes
    -----
    [1]_ has the mechanism; its loss in zCDP is epsilon**2 / 8 [2]_.

    References
    ----------
    .. [1] McSherry, Talwar, "Mechanism design via differential privacy", 2007.
    .. [2] Cesar, Rogers, "Bounding, concentrating, and truncating: unifying privacy loss
       composition for data analytics", 2021.

    Examples
    --------
    >>> ExponentialMechanism(epsilon=0.1, sensitivity=1).probabilities([27, 23, 9, 0]).round(2)
    array([0.4 , 0.33, 0.16, 0.1 ])

    """

    __slots__ = ()

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one selection: of one row of scores."""
        return make_loss(PureDP, self.epsilon, self.epsilon**2 / 8, relation=self.relation)

    @property
    def _pairs(self) -> Pairs:
        return {BoundedRangePair(self.epsilon): 1}

    def probabilities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each candidate, along the last axis. NOT private.

        >>> ExponentialMechanism(epsilon=1, sensitivity=1).probabilities([27, 23, 9, 0]).round(2)
        array([0.88, 0.12, 0.  , 0.  ])
        """
        return _selection.gumbel_probabilities(self._scale_scores(scores))

    @property
    def _gumbel(self) -> bool:
        return True


class PermuteAndFlip(_NoisyMaxMechanism):
    """Permute-and-flip, exact: in expectation never worse than the exponential mechanism.

    It adds exponential noise to each score and selects the largest sum [2]_. The choice has the
    same distribution as with the permutation and the coin flips of its name [1]_.

    Parameters
    ----------
    epsilon, sensitivity, monotonic
        As in `ExponentialMechanism`.

    Raises
    ------
    TypeError, ValueError
        As in `ExponentialMechanism`.

    Attributes
    ----------
    relation : str or None
        As in `ExponentialMechanism`.

    References
    ----------
    .. [1] McKenna, Sheldon, "Permute-and-flip: a new mechanism for differentially private
       selection", 2020.
    .. [2] Ding, Kifer, Steinke, Wang, Xiao, Zhang, "The permute-and-flip mechanism is identical to
       report-noisy-max with exponential noise", 2021.

    Examples
    --------
    >>> PermuteAndFlip(epsilon=0.1, sensitivity=1).probabilities([27, 23, 9, 0]).round(2)
    array([0.45, 0.33, 0.14, 0.08])

    """

    __slots__ = ()

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one selection: of one row of scores."""
        return PureDP(self.epsilon, relation=self.relation)

    def probabilities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each candidate, along the last axis. NOT private.

        It takes up to 700 steps over all candidates, about a microsecond for each candidate.

        >>> PermuteAndFlip(epsilon=1, sensitivity=1).probabilities([1, 1]).round(2)
        array([0.5, 0.5])
        """
        return _selection.exponential_probabilities(self._scale_scores(scores))

    @property
    def _gumbel(self) -> bool:
        return False
