# SPDX-License-Identifier: MIT
"""The median by repeated choice among a few ranges. docs/teach/median_by_halving.md."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._numbers.rational import as_exact, float_of, read_integer, read_level
from cydp.accounting import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._grid import public_grid
from cydp.mechanisms import ExponentialMechanism
from cydp.mechanisms._run import Budget
from cydp.random import Generator
from cydp.releases._answers import Answer, HalvedAnswer
from cydp.releases._missing import Missing, read_missing
from cydp.releases._noise_split import Aggregate
from cydp.releases._numbers_query import NumbersQuery
from cydp.releases._quantile_query import read_sorted
from cydp.releases._quantile_release import QuantileRelease
from cydp.releases._release import recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import epsilon_of_each
from cydp.releases._unit import Unit, UnitName

__all__ = ["HalvingQuery", "HalvingRelease", "median_by_halving"]

_HALF = Fraction(1, 2)
_MOST_RANGES = 1000


@recorded
@dataclass(frozen=True, repr=False)
class HalvingQuery(NumbersQuery):
    """The median of numbers that are clamped to bounds, by repeated choice of a range.

    Attributes
    ----------
    grid, filled
        As in `NumbersQuery`.
    rounds : int
        How often a range is chosen.
    ranges : int
        Among how many.

    """

    function: ClassVar[str] = "median_by_halving"
    qs: ClassVar[tuple[Fraction, ...]] = (_HALF,)

    own: ClassVar[tuple[str, ...]] = ("rounds", "ranges")

    rounds: int
    ranges: int

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of bounds, of what a missing number counts as, of rounds and ranges."""
        lower, upper, missing, rounds, ranges = own
        grid = public_grid((lower, upper), None)
        number, among = read_integer(rounds, "rounds"), read_integer(ranges, "ranges")
        if not 2 <= among <= _MOST_RANGES:
            raise ValueError(f"ranges must be from 2 to {_MOST_RANGES:,}, not {among}")
        points, most = grid.highest - grid.lowest + 1, 0
        if points < among:
            raise ValueError(f"bounds must hold {among} points of the grid for {among} ranges")
        while among ** (most + 1) <= points:
            most += 1
        if not 1 <= number <= most:
            raise ValueError(
                f"rounds must be from 1 to {most} for {among} ranges of these bounds, not {number}"
            )
        query = cls(privacy, unit, grid, read_missing(missing, grid), number, among)
        assert query.selection  # raises errors of parameters
        return query

    @property
    def ranks_rounded(self) -> bool:
        """It ranks the points of a grid."""
        return True

    @property
    def nbytes(self) -> int:
        """How many bytes the ends of the last range have."""
        return 16

    def answers(self) -> list[Answer]:
        """Return the median."""
        return [HalvedAnswer("median", 1, "ranks", self)]

    @property
    def selections(self) -> dict[str, Any]:
        """The mechanism of each round."""
        return {f"ranges of each of {self.rounds} rounds": self.selection}

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Sort the numbers, in steps."""
        return Tally(self, {"ranks": read_sorted(self, source, key)})

    def draw(self, tally: Tally, generator: Generator) -> NDArray[np.int64]:
        """Return the ends of the last range, in steps."""
        units = tally.parts["ranks"].units
        first, points, half = self.grid.lowest, self.points, units.size / 2
        for _ in range(self.rounds):
            starts = np.array([first + points * i // self.ranges for i in range(self.ranges + 1)])
            below = np.searchsorted(units, starts)  # of each part, and at its end
            scores = -np.maximum(np.maximum(below[:-1] - half, half - below[1:]), 0.0)
            chosen = self.selection.release(scores, rng=generator)
            first, points = int(starts[chosen]), int(starts[chosen + 1] - starts[chosen])
        return np.array([first, first + points - 1], np.int64)

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> HalvingRelease:
        """Return the release."""
        middle = np.array((int(drawn[0]) + int(drawn[1])) // 2, np.int64)
        return HalvingRelease(query=self, steps=middle, ends=drawn, payment=payment)

    def aggregates(self) -> list[Aggregate]:
        """Return nothing: no number has noise added."""
        return []

    @cached_property
    def selection(self) -> ExponentialMechanism:
        """The mechanism of each round."""
        change = self.unit.change_one_answer(_HALF, 1)
        return ExponentialMechanism(
            epsilon=epsilon_of_each(self.privacy, self.rounds), sensitivity=change.sensitivity(1)
        )

    @property
    def mechanism_name(self) -> str:
        """What a ledger calls the mechanism."""
        return type(self.selection).__name__

    @property
    def further(self) -> dict[str, Any]:
        """How ranges are chosen."""
        return {"rounds": self.rounds, "ranges": self.ranges, "resolution": str(self.resolution)}

    @property
    def points(self) -> int:
        """How many points the grid has."""
        return self.grid.highest - self.grid.lowest + 1

    @property
    def resolution(self) -> Fraction:
        """How far apart the ends of the last range are at most, in the unit of the data."""
        most = -(-self.points // self.ranges**self.rounds)
        return as_exact((most - 1) * self.grid.step)

    def rank_bound(self, confidence: Number, together: int = 1) -> float:
        """Return by how many ranks the last range misses the median at most; see `rank_error`."""
        failure = (1 - read_level(confidence)) / together
        log_failure = math.log(failure.numerator) - math.log(failure.denominator)
        each = self.rounds * math.log(self.ranges - 1)
        # The factor covers the rounding of the logarithms.
        total = each + _gamma_bound(self.rounds, log_failure)
        return float_of(self.selection.scale) * total * (1 + 2**-40)


def _gamma_bound(shape: int, log_failure: float) -> float:
    """Return a number that a sum of exponential variables exceeds with at most a probability."""

    def log_tail(t: float) -> float:  # of a Poisson variable that is below `shape`
        term, terms = 1.0, 1.0
        for i in range(1, shape):
            term *= t / i
            terms += term
        return math.log(terms) - t

    low, high = 0.0, 1.0
    while log_tail(high) > log_failure - 1e-9:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if log_tail(middle) > log_failure - 1e-9:
            low = middle
        else:
            high = middle
    return high


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HalvingRelease(QuantileRelease):
    """A private median, as `median_by_halving` returns it: the middle of a range.

    Attributes
    ----------
    query : HalvingQuery
        The query: rounds, ranges, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    steps : ndarray of int64, shape ()
        The middle of the range, in steps of the grid.
    ends : ndarray of int64, shape (2,)
        The first and the last point of the range, in steps of the grid.
    interval_steps : tuple
        Empty: no interval is released besides the range.

    """

    ends: NDArray[np.int64]

    @property
    def range(self) -> tuple[float, float]:
        """The range that the last round chose, in the unit of the data."""
        lower, upper = (float(end * np.float64(self.query.grid.step)) for end in self.ends)
        return lower, upper

    @property
    def resolution(self) -> float:
        """How far apart the ends of the range are at most, in the unit of the data: public."""
        return float_of(self.query.resolution)

    def rank_error(self, confidence: Number = 0.95) -> float:
        """Return by how many ranks the released range is from the median, at most.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.

        Returns
        -------
        float
            In numbers of the column. Some point of `range` is not further from the median; the
            released middle is up to half the `resolution` from that point, and all numbers between
            them may add to its error in ranks.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        In each of k rounds the score falls behind the best one by no more than an exponential
        variable of the mechanism's scale, plus scale * ln(ranges - 1), so all of them by no more
        than a gamma variable of shape k, plus k of these terms.

        """
        return self._rank_bounds(confidence, 1)[0]

    @property
    def mechanism(self) -> ExponentialMechanism:
        """The mechanism of each round."""
        found: ExponentialMechanism = self.query.selection
        return found

    @property
    def _notes(self) -> tuple[str, ...]:
        lower, upper = self.range
        return (
            f"The value is the middle of the range from {lower:,.6g} to {upper:,.6g}, which has "
            "this error.",
        )

    @property
    def _noise_words(self) -> str:
        scale = f"{float_of(self.mechanism.scale):,.6g}"
        return (
            f"{type(self.mechanism).__name__}, {self.query.rounds} rounds, scale {scale} "
            f"{'rank' if scale == '1' else 'ranks'}"
        )

    @property
    def _exact(self) -> dict[str, Any]:
        return {"steps": int(self.steps), "ends": self.ends.tolist()}


@release(HalvingQuery)
def median_by_halving(
    x: Column,
    bounds: Bounds,
    *,
    rounds: Integer = 10,
    ranges: Integer = 2,
    column: Hashable = None,
    missing: Missing = "drop",
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> HalvingRelease:
    """Find the median of clamped numbers by dividing their bounds, and choosing a part, repeatedly.

    `median` chooses in one pass, and has a smaller error for the same privacy. This one shows how a
    budget is spent in steps.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one.
    bounds : (lower, upper)
        Public ends, to which numbers outside are clamped. A float means its exact binary value.
    rounds : int >= 1, default 10
        How often a part is chosen. Each round pays an equal part of the privacy.
    ranges : int >= 2, default 2
        Into how many parts a range is divided. After k rounds a range is ranges**k times narrower
        than the bounds.
    column : name, optional
        The column to read, if x is a table.
    missing : "drop" or number, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP. Either
        epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_rows : int >= 1, optional
        Required with `user`: the most records of one user that count, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    HalvingRelease
        The middle of the last range, in the unit of x. It knows this `range`, its `resolution`,
        and its `rank_error`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    A part is chosen by the exponential mechanism [1]_. Its score is how far n / 2 is from the ranks
    that it holds: -max(below - n / 2, above - n / 2, 0), of the numbers of records below and above
    it.

    References
    ----------
    .. [1] McSherry, Talwar, "Mechanism design via differential privacy", 2007.

    Examples
    --------
    >>> release = median_by_halving([20, 30, 30, 40, 50] * 1000, (0, 64), rounds=6, epsilon=1)
    >>> round(release.value, 3), release.resolution
    (30.5, 1.0)

    """
    made: HalvingRelease = run(HalvingQuery, locals())
    return made
