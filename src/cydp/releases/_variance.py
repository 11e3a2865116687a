# SPDX-License-Identifier: MIT
"""The private variance of clamped numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._generator import Generator
from cydp._numbers.bounds import read_bounds
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._clamped_sum import sum_units_and_squares
from cydp.exact._grid import Grid, public_grid
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, Steps
from cydp.releases._distances import (
    DISTANCES,
    VarianceByDistances,
    distances_of,
    rounded_distances,
    variance_distances,
)
from cydp.releases._mean import MomentQuery, MomentRelease
from cydp.releases._missing import Missing, count_present, held_still, read_missing
from cydp.releases._noise_split import Aggregate, Moves, RowMoves, size_of
from cydp.releases._ratios import VarianceAnswer
from cydp.releases._release import recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import Split
from cydp.releases._unit import Unit, UnitName
from cydp.releases._user_sums import add_exactly, moments_of_users, worth_of

__all__ = ["VarianceRelease", "variance"]

_PARTS = ("squares", "sum", "count")
_SQUARED_DISTANCES = ("below", "above", "across")
_STEPS_OF_WIDTH = 2**21  # so that squares of deviations, and their noise, have room in int64
_PIECES = 256  # of the distances of two numbers
_MOST_STEPS = 2**31  # from 0 to a bound, as the kernel of squares allows
_BITS_OF_SQUARE = 21  # of the farthest square as it is released: rounding adds 2**-20 to it at most


@recorded
@dataclass(frozen=True, repr=False)
class VarianceQuery(MomentQuery):
    """The variance of numbers that are clamped to bounds."""

    function: ClassVar[str] = "variance"
    part_names: ClassVar[tuple[str, ...]] = _PARTS

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of bounds, of what a missing number counts as, and of weights."""
        lower, upper, missing, split = own
        grid = variance_grid(lower, upper)
        weights = cls.weights_of(privacy, unit, grid, split)
        return cls(privacy, unit, grid, read_missing(missing, grid), weights)

    @property
    def squares_per_step(self) -> int:
        """How many squares of steps of the grid make one step of a released sum of squares.

        A power of two that follows from the bounds. The farthest square is at least 2**20 such
        steps, or is not divided.
        """
        farthest = self.width if self.by_distances else self.farthest
        return 1 << max((farthest**2).bit_length() - _BITS_OF_SQUARE, 0)

    def aggregates(self) -> list[Aggregate]:
        """Return the sums of (x - c)**2 and of x - c, and the number of rows; or distances."""
        step = self.grid.step**2 * self.squares_per_step
        if self.by_distances:  # of a row they add up to the square of the width
            change = self.unit.change_one_answer(self.width**2, self.width**2)
            most = self._rounded(change.l1)
            if self.squares_per_step > 1:  # each of the three is rounded
                most += 2
            change = replace(change, l1=most, l2=most)
            return [distances_of(DISTANCES, change, 3, step, Fraction(1))]
        weights = dict(self.weights)
        change = self.unit.change_one_answer(self.farthest**2, self.farthest**2)
        # From all that a unit changes at once, so that the sum is rounded once.
        most = self._rounded(change.l1)
        return [
            Aggregate(
                "squares",
                replace(change, l1=most, l2=most),
                step,
                weights["squares"],
            ),
            self.deviations(weights["sum"]),
            *self.row_count(weights["count"]),
        ]

    def answers(self) -> list[Answer]:
        """Return the variance."""
        parts, unit = self.parts, "in the square of the unit of the data"
        if self.by_distances:
            return [VarianceByDistances("variance", 1, unit, self.grid, parts[DISTANCES])]
        return [
            VarianceAnswer(
                "variance",
                1,
                unit,
                self.grid,
                parts["sum"],
                parts.get("count"),
                parts["squares"],
            )
        ]

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Add (x - c)**2 and x - c, in steps, and count the rows; or add distances."""
        exact = _sums_by_row if source.users is None else _sums_by_user
        totals = source.add(lambda: exact(self, source, key))
        names = _SQUARED_DISTANCES if self.by_distances else _PARTS
        return Tally(self, dict(zip(names, totals, strict=True)))

    def draw(self, tally: Tally, generator: Generator) -> Any:
        """Return each part with its noise; the sum of squares is rounded down before."""
        if self.by_distances:
            found = rounded_distances(tally.parts.values(), self.squares_per_step)
            return super().draw(replace(tally, parts={DISTANCES: found}), generator)
        rounded = tally.parts["squares"] // self.squares_per_step
        return super().draw(replace(tally, parts={**tally.parts, "squares": rounded}), generator)

    def result(self, drawn: Any, payment: Payment | None) -> VarianceRelease:
        """Return the release."""
        squares, deviations, rows = drawn
        if self.by_distances:
            per_step, width, apart = self.squares_per_step, self.width, self.above_lower
            p, q, r = (int(each) * per_step for each in drawn)
            rows = Fraction(p + q + r, width**2)
            total = Fraction(2 * p + r, 2 * width)
            deviations = total - apart * rows
            squares = (p - 2 * apart * total + apart**2 * rows) / per_step
        return VarianceRelease(
            query=self, squares=squares, deviations=deviations, rows=rows, payment=payment
        )

    def number_becomes(self) -> list[Moves]:
        """Return by how much (x - c)**2 and x - c change at once.

        Two numbers that are t apart have squares that are at most t (2 m - t) apart, m the largest
        distance from c. Each move here is for a piece of all t.
        """
        ends = [Fraction(self.width * i, _PIECES) for i in range(_PIECES + 1)]
        rounding = int(self.unit.has_users)  # of what many rows of a user are worth
        return [
            {
                "squares": size_of(self._rounded(self._squares_apart(*piece) + rounding)),
                "sum": size_of(piece[1] + rounding),
            }
            for piece in pairwise(ends)
        ]

    def row_moves(self) -> RowMoves:
        """Return what a row does: a row that comes adds a square as well."""
        moves = super().row_moves()
        squares = size_of(self._rounded(Fraction(self.farthest**2)))
        return replace(moves, comes={**moves.comes, "squares": squares})

    def _rounded(self, squares: Fraction) -> Fraction:
        """Return how far the released sum of squares changes, if the exact one changes so far."""
        return Fraction(math.ceil(squares / self.squares_per_step))

    def _squares_apart(self, nearest: Fraction, farthest: Fraction) -> Fraction:
        """Return the most that two squares are apart, if their roots are so far apart."""
        apart = min(max(Fraction(self.farthest), nearest), farthest)  # where t (2 m - t) is largest
        return apart * (2 * self.farthest - apart)


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VarianceRelease(MomentRelease):
    """A private variance, as `variance` returns it.

    Attributes
    ----------
    query : VarianceQuery
        The query: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    squares : int or Fraction
        The sum of (x - c)**2 over `query.squares_per_step`, rounded down, with noise, in squares of
        steps of the grid. c is the middle of the bounds.
    deviations : int or Fraction
        The sum of x - c with noise, in steps of the grid.
    rows : int or Fraction
        The number of numbers, with noise unless it is public.

    """

    squares: int | Fraction

    @property
    def _steps(self) -> Steps:
        found = super()._steps
        return found if self.query.by_distances else {**found, "squares": self.squares}

    @property
    def _distances(self) -> tuple[int | Fraction, ...]:
        query, rows = self.query, self.rows
        per_step, width, apart = query.squares_per_step, query.width, query.above_lower
        total = self.deviations + apart * rows
        p = self.squares * per_step + apart * (2 * total - apart * rows)
        r = 2 * (width * total - p)
        return p / per_step, (width**2 * rows - p - r) / per_step, r / per_step


def variance_grid(lower: Number, upper: Number) -> Grid:
    """Return the grid of a variance, from the bounds alone.

    Its step is the least power of two for which the bounds are at most 2**21 steps apart, and at
    most 2**31 steps from 0.

    Examples
    --------
    >>> str(variance_grid(0, 2**20).step)
    '1/2'

    """
    ends = read_bounds((lower, upper))
    width, farthest = ends[1] - ends[0], max(map(abs, ends))
    needed = max(width / _STEPS_OF_WIDTH, farthest / _MOST_STEPS)
    if needed == 0:
        return public_grid((lower, upper), 1)
    step = Fraction(2) ** (needed.numerator.bit_length() - needed.denominator.bit_length() - 1)
    while step < needed:
        step *= 2
    return public_grid((lower, upper), step)


@release(VarianceQuery)
def variance(
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
) -> VarianceRelease:
    """Return the variance of numbers that are clamped to bounds, from noisy sums and a count.

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
        The weights of "squares", "sum" and "count" in the privacy. Default: sums of squares of
        distances from both bounds for epsilon alone under "add-remove", which have less noise, and
        no split; else 1 each.
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
    VarianceRelease
        The variance (the mean square of the distances from the mean, which divides by n), in the
        square of the unit of x, with its interval, its parts and its loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Numbers are rounded to a grid of more than 2**20 steps between the bounds, unless the bounds are
    very far from 0. For epsilon alone, where records come or go, the release sums the squares of
    x - lower and of upper - x, and twice their product: one record changes all three together by
    (upper - lower)**2, so each has the noise of the whole epsilon, as in [1]_ for a mean. Else, or
    with `split`, it sums x - c and (x - c)**2, where c is the middle of the bounds, and counts.
    Sums of squares are divided by a public power of two before noise, so that they do not end where
    int64 does. A count below 1 is taken as 1, and the variance and the ends of its interval are
    cut to [0, ((upper - lower) / 2)**2], which is post-processing: every true variance of numbers
    that are clamped to the bounds is within it.

    References
    ----------
    .. [1] Kulesza, Suresh, Wang, "Mean estimation in the add-remove model of differential privacy",
       2024.

    Examples
    --------
    >>> from cydp.testing import SeededGenerator
    >>> ages = [18, 25, 31, 44, 52, None] * 1000
    >>> release = variance(ages, (0, 100), epsilon=1, rng=SeededGenerator(1))
    >>> lower, upper = release.interval()
    >>> lower < 154 < upper
    True

    """
    made: VarianceRelease = run(VarianceQuery, locals())
    return made


def _sums_by_row(query: VarianceQuery, source: NumberRows, key: Key) -> list[Any]:
    values = held_still(query.values(source, key), query.filled, query.grid)
    total, squares = sum_units_and_squares(values, query.grid)
    count, lowest = count_present(values), query.grid.lowest
    if query.filled is not None:
        absent = values.size - count
        total, squares = total + query.filled * absent, squares + query.filled**2 * absent
        count = values.size
    squares += lowest * (lowest * count - 2 * total)
    return _about(query, squares, total - lowest * count, count)


def _sums_by_user(query: VarianceQuery, source: NumberRows, key: Key) -> list[int]:
    """Return the sums over all rows of users, who have a bounded weight."""
    most = query.unit.max_rows
    squares, total, rows = moments_of_users(*query.by_user(source, key), query.grid, most)
    many, found = rows > most, _about(query, squares, total, rows)
    for each in found:
        each[many] = worth_of(each[many], rows[many], most)
    return [add_exactly(each) for each in found]


def _about(query: VarianceQuery, squares: Any, total: Any, rows: Any) -> list[Any]:
    """Return what is released, from sums of k**2 and k: x is k steps above the lower bound.

    They are the sums of (x - c)**2 and x - c, and the number of rows; or of distances.
    """
    if query.by_distances:
        return [*variance_distances(squares, total, rows, query.width)]
    apart = query.above_lower
    return [squares + apart * (apart * rows - 2 * total), total - apart * rows, rows]
