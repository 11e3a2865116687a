# SPDX-License-Identifier: MIT
"""The private mean of clamped numbers, and what the variance has in common with it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, float_of
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._clamped_sum import sum_units
from cydp.exact._grid import Grid, centre_of, public_grid
from cydp.mechanisms._run import Budget
from cydp.releases._answers import OF_X, Answer, Steps
from cydp.releases._distances import (
    DISTANCES,
    MeanByDistances,
    are_better,
    distances_of,
    log_noise_by_distances,
    mean_distances,
)
from cydp.releases._missing import Missing, count_present, held_still, read_missing
from cydp.releases._noise_split import Aggregate, Moves, RowMoves, size_of
from cydp.releases._numbers_query import NumbersQuery, weighs_less
from cydp.releases._ratios import MeanAnswer
from cydp.releases._release import Release, recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import Split, Weights, read_split
from cydp.releases._unit import Unit, UnitName
from cydp.releases._user_sums import add_exactly, bounded_sums
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["MeanQuery", "MeanRelease", "MomentQuery", "MomentRelease", "mean", "sums_of"]


_PARTS = ("sum", "count")


@dataclass(frozen=True, repr=False)
class MomentQuery(NumbersQuery):
    """A ratio of noisy sums of x - c, and the noisy number of rows.

    Attributes
    ----------
    grid, filled
        As in `NumbersQuery`.
    weights : tuple of (name, weight)
        How the privacy is split; empty if sums of distances have all of it.

    """

    own: ClassVar[tuple[str, ...]] = ("split",)
    part_names: ClassVar[tuple[str, ...]] = _PARTS
    all_rows_count: ClassVar[bool] = True

    weights: Weights

    @classmethod
    def weights_of(cls, privacy: Loss, unit: Unit, grid: Grid, split: Split | None) -> Weights:
        """Return the weights of parts; none if sums of distances have less noise."""
        is_split = split is not None or not are_better(privacy, unit, grid)
        return read_split(split, cls.part_names) if is_split else ()

    @property
    def by_distances(self) -> bool:
        """Whether it is made from sums of distances to both bounds."""
        return not self.weights

    @property
    def log_noise(self) -> float:
        """How noisy the sums of powers of x - c, and the number of rows, are."""
        if not self.by_distances:
            return super().log_noise
        return log_noise_by_distances(self.parts[DISTANCES], len(self.part_names), self.grid)

    @property
    def above_lower(self) -> int:
        """How far c is above the lower bound, in steps."""
        return centre_of(self.grid) - self.grid.lowest

    @property
    def left_out_may(self) -> str:
        """Users with many rows weigh less."""
        return weighs_less(self.unit)

    @property
    def knows_rows(self) -> bool:
        """Whether the number of rows that count is public, and so needs no noise."""
        is_fixed = self.relation == "change-one" and self.unit.has_fixed_rows
        return is_fixed and self.filled is not None

    @property
    def farthest(self) -> int:
        """The largest distance of a number from the middle of the bounds, in steps."""
        centre = centre_of(self.grid)
        return max(self.grid.highest - centre, centre - self.grid.lowest)

    @property
    def width(self) -> int:
        """The distance of the bounds, in steps."""
        return self.grid.highest - self.grid.lowest

    def draw(self, tally: Tally, generator: Generator) -> Any:
        """Return each part with its noise, and last the number of rows, noisy unless public.

        An array, if the parts are distances.
        """
        drawn = self.noisy(tally, generator)
        if self.by_distances:
            return drawn[0]
        return [*drawn, tally.parts["count"]] if self.knows_rows else drawn

    def deviations(self, weight: Fraction) -> Aggregate:
        """Return the sum of x - c."""
        change = self.unit.change_one_answer(self.farthest, self.width)
        return Aggregate("sum", change, self.grid.step, weight)

    def row_count(self, weight: Fraction) -> list[Aggregate]:
        """Return the number of rows that count, unless it is public."""
        if self.knows_rows:
            return []
        return [Aggregate("count", self.unit.change_one_answer(1, 1), weight=weight)]

    @abstractmethod
    def number_becomes(self) -> Sequence[Moves]:
        """Return what a row does if its number becomes another: one of these moves, or less."""

    def row_moves(self) -> RowMoves:
        """Return what a row does: a row that stays does not change the number of rows."""
        comes = {"count": size_of(1), "sum": size_of(self.farthest)}
        return RowMoves(comes, [self.number_becomes()])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MomentRelease(Release):
    """A private ratio of noisy sums and a noisy number of rows.

    Attributes
    ----------
    query : Query
        The query: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    deviations : int or Fraction
        The sum of x - c with noise, in steps of the grid. c is the middle of the bounds.
    rows : int or Fraction
        The number of rows that count, with noise unless it is public.

    """

    query: Any
    deviations: int | Fraction
    rows: int | Fraction

    @property
    def _steps(self) -> Steps:
        if self.query.by_distances:
            return {DISTANCES: self._distances}
        return {"sum": self.deviations, "count": self.rows}

    @property
    @abstractmethod
    def _distances(self) -> tuple[int | Fraction, ...]:
        """The noisy sums of distances that are released, in steps."""

    @property
    def exact(self) -> Fraction:
        """The released number as a fraction, clamped to what the bounds allow."""
        return as_exact(self._answer.values(self._steps))

    @property
    def value(self) -> float:
        """The released number."""
        return float_of(self.exact)

    @property
    def variance(self) -> dict[str, float]:
        """Variance of the noise in each part. A ratio has no variance: see `interval`."""
        return {name: part.variance for name, part in self.query.parts.items()}

    def __float__(self) -> float:
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        lower, upper = map(np.asarray, self.interval(confidence))
        number = Numbers(
            name=self.query.function,
            values=np.asarray(self.value),
            bound=self.error_bound(confidence),
            lower=lower,
            upper=upper,
        )
        return self._make_sheet((), [number], confidence, simultaneous)

    @property
    def _exact(self) -> dict[str, Any]:
        if self.query.by_distances:
            return {"value": str(self.exact), DISTANCES: [*map(int, self._distances)]}
        parts = {name: part for name, part in self._compared().items() if name != "query"}
        return {"value": str(self.exact), **parts}


@recorded
@dataclass(frozen=True, repr=False)
class MeanQuery(MomentQuery):
    """The mean of numbers that are clamped to bounds."""

    function: ClassVar[str] = "mean"

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query from bounds, the number for missing ones, and weights."""
        lower, upper, missing, split = own
        grid = public_grid((lower, upper), None)
        weights = cls.weights_of(privacy, unit, grid, split)
        return cls(privacy, unit, grid, read_missing(missing, grid), weights)

    def aggregates(self) -> list[Aggregate]:
        """Return the sum of x - c, and the number of rows unless it is public; or distances."""
        if self.by_distances:  # of a row they add up to the width
            change = self.unit.change_one_answer(self.width, self.width)
            return [distances_of(DISTANCES, change, 2, self.grid.step, Fraction(1))]
        weights = dict(self.weights)
        return [self.deviations(weights["sum"]), *self.row_count(weights["count"])]

    def number_becomes(self) -> list[Moves]:
        """Return by how much x - c changes."""
        return [{"sum": size_of(self.width)}]

    def answers(self) -> list[Answer]:
        """Return the mean."""
        parts = self.parts
        if self.by_distances:
            return [MeanByDistances(self.function, 1, OF_X, self.grid, parts[DISTANCES])]
        return [MeanAnswer(self.function, 1, OF_X, self.grid, parts["sum"], parts.get("count"))]

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Add x - c, in steps, and count the rows."""
        exact = _sums_by_row if source.users is None else _sums_by_user
        totals = source.add(lambda: exact(self, source, key))
        if not self.by_distances:
            return Tally(self, dict(zip(_PARTS, totals, strict=True)))
        deviations, count = totals
        below = deviations + self.above_lower * count
        return Tally(self, {DISTANCES: mean_distances(below, self.width * count - below)})

    def result(self, drawn: Any, payment: Payment | None) -> MeanRelease:
        """Return the release."""
        deviations, rows = drawn
        if self.by_distances:
            below, above = map(int, drawn)
            rows = Fraction(below + above, self.width)
            deviations = below - self.above_lower * rows
        return MeanRelease(query=self, deviations=deviations, rows=rows, payment=payment)


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeanRelease(MomentRelease):
    """A private mean, as `mean` returns it.

    Attributes
    ----------
    query : MeanQuery
        The query: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    deviations : int or Fraction
        The sum of x - c with noise, in steps of the grid. c is the middle of the bounds.
    rows : int or Fraction
        The number of numbers, with noise unless it is public.

    """

    @property
    def _distances(self) -> tuple[int | Fraction, ...]:
        query = self.query
        below = self.deviations + query.above_lower * self.rows
        return below, query.width * self.rows - below


@release(MeanQuery)
def mean(
    x: Column,
    bounds: Bounds,
    *,
    column: Hashable = None,
    missing: Missing = "drop",
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> MeanRelease:
    """Return the mean of numbers that are clamped to bounds: a noisy sum over a noisy count.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one.
    bounds : (lower, upper)
        Public ends, to which numbers outside are clamped. A float means its exact binary value.
    column : name, optional
        The column to read, if x is a table.
    missing : "drop" or number, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
    split : dict, optional
        The weights of "sum" and "count" in the privacy. Default: sums of distances from both bounds
        for epsilon alone under "add-remove", which have less noise, and no split; else 1 each.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent.
    noise : {"laplace", "gaussian"}, optional
        Which noise is added with `delta`. Default: the one with less variance; if a budget in zCDP
        pays, Gaussian noise, which costs it less.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_rows : int >= 1, optional
        Required with `user`: how many records those of one user are worth at most. All of them
        count, with equal weights.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    MeanRelease
        The mean, in the unit of x, with its interval, its parts and its loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    For epsilon alone, where records come or go, the release sums x - lower and upper - x: one
    record changes both together by upper - lower, so each has the noise of the whole epsilon [1]_.
    Else, or with `split`, it sums x - c, where c is the middle of the bounds, and counts [2]_. A
    count below 1 is taken as 1. The mean and the ends of its interval are cut to the bounds, which
    is post-processing: numbers that are clamped to the bounds have a true mean within them. Under
    "change-one", if missing numbers count as a number and the unit is a record, the count is public
    and gets no noise.

    References
    ----------
    .. [1] Kulesza, Suresh, Wang, "Mean estimation in the add-remove model of differential privacy",
       2024.
    .. [2] Li, Lyu, Su, Yang, "Differential privacy: from theory to practice", 2016, section 2.

    Examples
    --------
    >>> from cydp.testing import SeededGenerator
    >>> ages = [18, 25, 31, 44, 52, None] * 100
    >>> release = mean(ages, (0, 100), epsilon=1, rng=SeededGenerator(2))
    >>> lower, upper = release.interval()
    >>> lower < 34 < upper, upper - lower < 1
    (True, True)

    """
    made: MeanRelease = run(MeanQuery, locals())
    return made


def _sums_by_row(query: MeanQuery, source: NumberRows, key: Key) -> list[int]:
    return sums_of(query, query.values(source, key))


def _sums_by_user(query: MeanQuery, source: NumberRows, key: Key) -> list[int]:
    """Return what `sums_of` returns, of all rows of users, who have a bounded weight."""
    _, above, rows = bounded_sums(*query.by_user(source, key), query.grid, query.unit.max_rows)
    count = int(rows.sum())
    return [add_exactly(above) - query.above_lower * count, count]


def sums_of(query: MeanQuery, values: NDArray[Any]) -> list[int]:
    """Return the exact sum of x - c, in steps, and the number of rows that count."""
    values = held_still(values, query.filled, query.grid)
    count, total = count_present(values), sum_units(values, query.grid)
    if query.filled is not None:
        total += query.filled * (values.size - count)
        count = values.size
    return [total - centre_of(query.grid) * count, count]
