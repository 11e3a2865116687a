# SPDX-License-Identifier: MIT
"""Running counts of a stream, under continual observation."""

from __future__ import annotations

import os
from functools import partial
from threading import Lock
from typing import Any, NoReturn

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp.accounting._budget import Asked
from cydp.accounting._errors import PrivacyError
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import payment_of
from cydp.accounting.ledger._scope import LedgerScope
from cydp.mechanisms._run import Budget, pay_and_draw
from cydp.releases._query import Given
from cydp.releases._run import with_noise
from cydp.releases._unit import UnitName
from cydp.workloads._chernoff_bounds import bound_sums
from cydp.workloads._running_query import RunningQuery
from cydp.workloads._signed_tree import SignedTreeQuery
from cydp.workloads._square_root import SquareRootQuery
from cydp.workloads._stream_query import StreamQuery, best_of

__all__ = ["RunningCounts"]

_MOST_COUNT = 2**62
_KINDS: dict[str, type[StreamQuery]] = {
    each.strategy: each for each in (RunningQuery, SignedTreeQuery, SquareRootQuery)
}


class RunningCounts:
    """The total of a stream after each step, with exact noise: for one charge, made at once.

    Sums of steps have noise, and all totals are made of these: the nodes of a tree over the steps,
    or sums whose weights fall with the time since a step. Memory and time for a step grow with the
    logarithm of the horizon.

    Parameters
    ----------
    horizon : int from 1 to 2**40
        How many steps there may be.
    epsilon : number > 0, optional
        Privacy cost of all totals together, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of all totals together in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent.
    noise : {"laplace", "gaussian"}, optional
        Which noise is added with `delta`. Default: the one with less variance; if a budget in zCDP
        pays, Gaussian noise, which costs it less.
    strategy : {"tree", "signed_tree", "square_root"}, optional
        Which sums of steps have noise. Default: those of the least mean variance, which is mostly
        "signed_tree" for Laplace noise, and "square_root" for Gaussian noise.
    branching : int >= 2, optional
        How many nodes of a level of a tree make one of the next. Default: the number of least mean
        variance.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring streams differ in the presence of one event, in its step, or in either.
    unit : str or sequence of str, optional
        The unit of `max_rows_per_unit`, such as "person".
    max_rows_per_unit : int >= 1, optional
        The caller's promise that no unit has more events in the stream than this. Default: the unit
        is an event, so a person with k events is protected k times less.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost of the whole horizon, now.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged.

    Notes
    -----
    The object holds exact counts: it is not to be published. It cannot be copied, nor used in a
    forked process, since a copy would draw other noise for the same counts. What comes later in a
    stream may depend on totals that were released.

    References
    ----------
    .. [1] Chan, Shi, Song, "Private and continual release of statistics", 2011.
    .. [2] Dwork, Naor, Pitassi, Rothblum, "Differential privacy under continual observation", 2010.
    .. [3] Honaker, "Efficient use of differentially private binary trees", 2015.
    .. [4] Andersson, Pagh, Torkamani, "Improved counting under continual observation with pure
       differential privacy", 2024: digits of both signs.
    .. [5] Fichtenberger, Henzinger, Upadhyay, "Constant matters: fine-grained error bound on
       differentially private continual observation", 2023: the square root.
    .. [6] Dvijotham, McMahan, Pillutla, Steinke, Thakurta, "Efficient and near-optimal noise
       generation for streaming differential privacy", 2024: sums of geometric sequences.

    Examples
    --------
    >>> visits = RunningCounts(365, epsilon=100)
    >>> [round(visits.add(count)) for count in (3, 0, 4)]
    [3, 3, 7]
    >>> visits.steps, visits.horizon, visits.loss
    (3, 365, PureDP(epsilon=100, relation='add-remove'))

    """

    __slots__ = (
        "_generator",
        "_lock",
        "_payment",
        "_pid",
        "_query",
        "_steps",
        "_stream",
        "_total",
    )

    @explain_arguments
    def __init__(
        self,
        horizon: Integer,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        noise: str | None = None,
        strategy: str | None = None,
        branching: Integer | None = None,
        relation: str = "add-remove",
        unit: UnitName | None = None,
        max_rows_per_unit: Integer | None = None,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> None:
        self._query = _best_stream(with_noise(locals(), budget))
        if isinstance(budget, LedgerScope) and budget.charge_id is not None:
            raise ValueError(
                "budget must have no charge_id: a second object of one charge would draw other "
                "noise for the same stream"
            )
        generator_or_default(rng)  # raises for anything but a generator
        self._generator = rng
        asked = Asked(self._query, self._query.function)
        _, paid = pay_and_draw(asked, lambda generator: True, budget, rng)
        self._payment = payment_of(paid)
        self._lock, self._pid = Lock(), os.getpid()
        self._stream = self._query.stream()
        self._steps = 0  # which are over
        self._total = 0.0

    @property
    def query(self) -> StreamQuery:
        """The query: its strategy, noise, privacy unit and loss."""
        return self._query

    @property
    def payment(self) -> Any:
        """The entry of the ledger that has paid; None without a ledger."""
        return self._payment

    @property
    def loss(self) -> Loss:
        """Privacy cost of all totals together."""
        return self._query.loss

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        return self._query.unit.words

    @property
    def horizon(self) -> int:
        """How many steps there may be."""
        return self._query.horizon

    @property
    def steps(self) -> int:
        """How many steps are over."""
        return self._steps

    @property
    def total(self) -> float:
        """The released total after the last step; 0 before the first."""
        return self._total

    @property
    def variance(self) -> float:
        """Variance of the noise in `total`."""
        return self._query.variance(self.steps)

    def add(self, count: Integer) -> float:
        """End a step, and return the released total of all steps so far.

        Parameters
        ----------
        count : int
            How many events the step has. It is clamped to 0 ... 2**62, and sums of several steps
            to 2**63 - 1.

        Returns
        -------
        float
            In events. Unbiased, so it may be negative, or fall.

        Raises
        ------
        TypeError
            If count is no integer of Python or numpy.
        ValueError
            Beyond the horizon.
        PrivacyError
            In a forked process.

        Examples
        --------
        >>> round(RunningCounts(1, epsilon=100).add(7))
        7

        """
        if isinstance(count, bool | np.bool_) or not isinstance(count, int | np.integer):
            raise TypeError(f"count must be an integer, not {type(count).__name__}")
        if os.getpid() != self._pid:  # before the lock, which the parent may have held
            raise PrivacyError(
                "RunningCounts cannot be used in a forked process, which would draw other noise "
                "for the same counts: one process adds all counts"
            )
        with self._lock:  # two threads could give one step to two nodes of a level
            return self._end_step(min(max(int(count), 0), _MOST_COUNT))

    def _end_step(self, exact: int) -> float:
        if self.steps >= self.horizon:
            raise ValueError(f"the horizon of {self.horizon} steps is over: nothing more is paid")
        self._total = self._stream.step(exact, self._generator)
        self._steps += 1
        return self._total

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Return the distance within which totals are from the true ones, whatever the step.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds. It is proved by Chernoff's bound.
        count : int >= 1, default 1
            For how many totals it holds together: 1, or ``horizon`` for all.

        Returns
        -------
        float
            In events.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> round(RunningCounts(1000, epsilon=1).error_bound(), 1)
        52.3

        """
        bound = bound_sums([self._query.terms], confidence, count)
        return float(bound) + self._query.rounding_error

    def interval(self, confidence: Number = 0.95, *, count: Integer = 1) -> tuple[float, float]:
        """Return an interval that contains the true total; parameters as in `error_bound`.

        Examples
        --------
        >>> visits = RunningCounts(10, epsilon=1)
        >>> lower, upper = visits.interval()
        >>> lower < visits.total < upper
        True

        """
        bound = self.error_bound(confidence, count=count)
        return self._total - bound, self._total + bound

    def __repr__(self) -> str:
        return f"<RunningCounts: {self.steps} of {self.horizon} steps, {self._query!r}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "RunningCounts cannot be copied or pickled: a copy would draw other noise for the same "
            "counts"
        )


def _best_stream(given: Given) -> StreamQuery:
    """Return the query of a stream: of the strategy with the least mean variance, unless given."""
    strategy, branching = given["strategy"], given["branching"]
    if strategy is not None:
        if strategy not in list(_KINDS):  # which need not be hashable
            raise ValueError(f"strategy must be one of {', '.join(_KINDS)}, not {strategy!r}")
        kinds = [_KINDS[strategy]]
    else:
        kinds = [each for each in _KINDS.values() if branching is None or each.branchings]
    return best_of([partial(kind.of, given, None) for kind in kinds])
