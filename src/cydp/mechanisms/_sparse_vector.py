# SPDX-License-Identifier: MIT
"""The sparse vector technique: which of many answers are above a threshold.

docs/mechanisms/sparse_vector.md has the proof.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import NoReturn

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments, require_names
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, literal_of, read_integer, read_level
from cydp._sensitivity import relation_of
from cydp.accounting._budget import Asked
from cydp.accounting._errors import PrivacyError
from cydp.accounting._loss import PureDP
from cydp.accounting.ledger._scope import LedgerScope
from cydp.mechanisms._laplace import MOST_UNSATURATED_SCALE, DiscreteLaplace
from cydp.mechanisms._noisy_max import check_monotonic
from cydp.mechanisms._parameters import format_sensitivity, set_fields
from cydp.mechanisms._run import Budget, pay_and_draw

__all__ = ["SparseVector", "ThresholdTests"]

_MOST_COUNT = 2**32


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class SparseVector:
    """Tells which of many answers are above a threshold; only the ones above cost anything.

    The threshold gets noise once, and each answer gets its own. Any number of answers may be
    below. Testing stops after `count` answers that were said to be above.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of all tests together, in nats.
    sensitivity : number >= 1
        The most by which one unit can change each answer. A sensitivity from `cydp.sensitivity`
        states its relation, and the loss is then stated under it.
    count : int from 1 to 2**32, default 1
        How many answers may be said to be above.
    monotonic : bool, default False
        The caller's promise that one more unit moves no answer down, or moves none up, as with
        counts. The noise of answers is then half as large, and the loss is stated under
        "add-remove".

    Attributes
    ----------
    threshold_noise, answer_noise : DiscreteLaplace
        The noise of the threshold, and of each answer. Their scales share epsilon so that the
        difference of an answer and the threshold has the least variance.
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    Privacy cost: `loss`, however many answers are tested [1]_ [2]_. An answer that is said to be
    above is not released: that would be a further release, with noise of its own.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.6.
    .. [2] Lyu, Su, Li, "Understanding the sparse vector technique for differential privacy", 2017,
       algorithm 7.

    Examples
    --------
    >>> mechanism = SparseVector(epsilon=2, sensitivity=1, monotonic=True)
    >>> mechanism.loss
    PureDP(epsilon=2, relation='add-remove')
    >>> tests = mechanism.start(1000)
    >>> [tests.is_above(visitors) for visitors in (120, 300, 90, 4000)]
    [False, False, False, True]
    >>> tests.left
    0

    """

    epsilon: Fraction
    sensitivity: Fraction
    count: int
    monotonic: bool
    relation: str | None
    threshold_noise: DiscreteLaplace
    answer_noise: DiscreteLaplace

    @require_names
    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number,
        count: Integer = 1,
        monotonic: bool = False,
    ) -> None:
        whole = DiscreteLaplace(epsilon=epsilon, sensitivity=sensitivity)
        relation = check_monotonic(monotonic, relation_of(sensitivity))
        if whole.sensitivity < 1:
            raise ValueError("sensitivity must be at least 1: answers are integers")
        positives = read_integer(count, "count")
        if not 1 <= positives <= _MOST_COUNT:
            raise ValueError(f"count must be from 1 to 2**32, not {positives}")
        moves = Fraction(positives if monotonic else 2 * positives)
        # The variances add up to the least where epsilons are as 1 to moves**(2/3).
        ratio = Fraction(f"{float(moves) ** (2 / 3):.6g}")
        first = as_exact(whole.epsilon / (1 + ratio))
        norm = Fraction(math.floor(whole.sensitivity))  # integers move by integers
        noise = DiscreteLaplace(epsilon=as_exact((whole.epsilon - first) / moves), sensitivity=norm)
        if noise.scale > MOST_UNSATURATED_SCALE:
            raise ValueError("epsilon must be larger, or count smaller: the noise ends at 2**63")
        set_fields(
            self,
            epsilon=whole.epsilon,
            sensitivity=whole.sensitivity,
            count=positives,
            monotonic=monotonic,
            relation=relation,
            threshold_noise=DiscreteLaplace(epsilon=first, sensitivity=norm),
            answer_noise=noise,
        )

    @property
    def loss(self) -> PureDP:
        """Privacy cost of all tests together."""
        return PureDP(self.epsilon, relation=self.relation)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> int:
        """Return the distance from the threshold beyond which answers are told right.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability with which this holds for all tests together.
        count : int >= 1, default 1
            How many answers are tested.

        Returns
        -------
        int
            In the unit of the answers.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> SparseVector(epsilon=1, sensitivity=1).error_bound(0.95, count=1000)
        43

        """
        half = (1 + read_level(confidence)) / 2  # both noises may miss their bounds
        return self.threshold_noise.error_bound(half) + self.answer_noise.error_bound(
            half, count=count
        )

    @explain_arguments
    def start(
        self, threshold: Integer, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> ThresholdTests:
        """Pay for all tests, and draw the noise of the threshold.

        Parameters
        ----------
        threshold : int
            A public number.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            What pays the privacy cost of all tests, now.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        ThresholdTests

        Raises
        ------
        TypeError, ValueError
            If a parameter is not allowed, and for a scope with a charge_id, since the tests of two
            starts would have other noise. Nothing is charged.
        PrivacyError
            If the budget refuses. Nothing is charged.

        Examples
        --------
        >>> import cydp
        >>> budget = cydp.PrivacyFilter(cydp.PureDP(1))
        >>> tests = SparseVector(epsilon=1, sensitivity=1).start(50, budget=budget)
        >>> budget.remaining
        PureDP(epsilon=0)

        """
        public = read_integer(threshold, "threshold")
        if isinstance(budget, LedgerScope) and budget.charge_id is not None:
            raise ValueError(
                "budget must have no charge_id: a second start of one charge would draw other noise"
            )

        def draw(generator: Generator) -> int:
            return public + generator.discrete_laplace(self.threshold_noise.scale)

        noisy, _ = pay_and_draw(Asked(self, type(self).__name__), draw, budget, rng)
        return ThresholdTests(self, noisy, rng)

    def __repr__(self) -> str:
        norm = format_sensitivity(self.sensitivity, self.relation)
        more = "" if self.count == 1 else f", count={self.count}"
        more += ", monotonic=True" if self.monotonic else ""
        return f"SparseVector(epsilon={literal_of(self.epsilon)}, sensitivity={norm}{more})"


class ThresholdTests:
    """Tests of answers against a noisy threshold. `SparseVector.start` returns it.

    It holds the noisy threshold: do not publish it. It cannot be copied, nor used in a forked
    process, since two copies would reveal more than was paid for.

    Examples
    --------
    >>> tests = SparseVector(epsilon=100, sensitivity=1, count=2).start(10)
    >>> tests.is_above(3), tests.is_above(30), tests.left
    (False, True, 1)

    """

    __slots__ = ("_asked", "_generator", "_left", "_lock", "_mechanism", "_noisy", "_pid")

    def __init__(self, mechanism: SparseVector, noisy: int, rng: Generator | None) -> None:
        self._mechanism, self._noisy, self._generator = mechanism, noisy, rng
        self._left, self._asked = mechanism.count, 0
        self._lock, self._pid = Lock(), os.getpid()

    @property
    def mechanism(self) -> SparseVector:
        """The mechanism: its noise, and its loss."""
        return self._mechanism

    @property
    def left(self) -> int:
        """How many answers may still be said to be above."""
        return self._left

    @property
    def asked(self) -> int:
        """How many answers were tested."""
        return self._asked

    def is_above(self, answer: Integer) -> bool:
        """Return whether an answer, with noise, is at least the noisy threshold.

        Parameters
        ----------
        answer : int
            The exact answer to a query of the stated sensitivity. The query may depend on earlier
            results.

        Returns
        -------
        bool

        Raises
        ------
        TypeError
            If answer is no integer of Python or numpy.
        ValueError
            If none are left.
        PrivacyError
            In a forked process.

        Examples
        --------
        >>> SparseVector(epsilon=100, sensitivity=1).start(10).is_above(30)
        True

        """
        if isinstance(answer, bool | np.bool_) or not isinstance(answer, int | np.integer):
            raise TypeError(f"answer must be an integer, not {type(answer).__name__}")
        if os.getpid() != self._pid:  # before the lock, which the parent may have held
            raise PrivacyError(
                "tests of a threshold cannot be used in a forked process, which would tell more "
                "than was paid for: one process tests all answers"
            )
        with self._lock:
            if not self._left:
                raise ValueError(
                    f"{self.mechanism.count} were said to be above, which is all that was paid for"
                )
            noise = generator_or_default(self._generator).discrete_laplace(
                self.mechanism.answer_noise.scale
            )
            is_above = int(answer) + noise >= self._noisy
            self._asked += 1
            self._left -= is_above
            return is_above

    def __repr__(self) -> str:
        return f"<tests of {self.mechanism!r}: {self.asked:,} asked, {self.left:,} left>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "tests of a threshold cannot be copied or pickled: a copy would tell more than was "
            "paid for"
        )
