# SPDX-License-Identifier: MIT
"""The private mean of clamped numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.bounds import check_pair
from cydp._numbers.rational import as_exact
from cydp.exact._clamped_sum import sum_units
from cydp.exact._grid import Grid, public_grid
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._box import Interval, mean_within, unrounded_mean
from cydp.releases._joint import Moves, size_of
from cydp.releases._missing import Missing, read_missing
from cydp.releases._moments import MomentQuery, MomentRelease, centre_of, clamp
from cydp.releases._parts import Aggregate
from cydp.releases._presence import count_present
from cydp.releases._privacy import read_privacy
from cydp.releases._query import kept
from cydp.releases._release import recorded
from cydp.releases._rows import AddedRows, NumberRows
from cydp.releases._run import run
from cydp.releases._split import Split, read_split
from cydp.releases._unit import UnitName, UserKey, read_unit, user_key

__all__ = ["MeanQuery", "MeanRelease", "draw_mean", "mean", "mean_query"]


@recorded
@dataclass(frozen=True, repr=False)
class MeanQuery(MomentQuery):
    """The mean of numbers that are clamped to bounds."""

    function: ClassVar[str] = "mean"

    def aggregates(self) -> list[Aggregate]:
        """Return the sum of x - c, and the number of rows unless it is public."""
        weights = dict(self.weights)
        return [self.deviations(weights["sum"]), *self.row_count(weights["count"])]

    def number_becomes(self) -> list[Moves]:
        """Return by how much x - c changes."""
        return [{"sum": size_of(self.width)}]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeanRelease(MomentRelease):
    """A private mean, as `mean` returns it.

    Attributes
    ----------
    query : MeanQuery
        What was asked: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    deviations : int
        The sum of x - c with noise, in steps of the grid. c is the middle of the bounds.
    rows : int
        The number of numbers, with noise unless it is public.

    """

    @property
    def exact(self) -> Fraction:
        """The mean as a fraction: c + deviations / max(rows, 1), clamped to the bounds."""
        grid: Grid = self.query.grid
        return as_exact(self._place(Fraction(self.deviations, max(self.rows, 1))) * grid.step)

    def _place(self, deviation: Fraction) -> Fraction:
        """Return a mean in steps from its distance to c."""
        grid = self.query.grid
        return clamp(centre_of(grid) + deviation, Fraction(grid.lowest), Fraction(grid.highest))

    def _interval(self, confidence: Number, count: Integer) -> Interval:
        around = self._around(confidence, count)
        lower, upper = mean_within(around["sum"], around["count"])
        ends = unrounded_mean((self._place(lower), self._place(upper)))
        return ends[0] * self.query.grid.step, ends[1] * self.query.grid.step


@kept
def mean_query(
    lower: Number,
    upper: Number,
    missing: Missing,
    split: Split | None,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_rows: Integer | None,
    max_rows_per_unit: Integer | None,
) -> MeanQuery:
    """Return the query of `mean`, whose parameters these are."""
    protected = read_unit(
        relation, user, unit, max_rows=max_rows, max_rows_per_unit=max_rows_per_unit,
        by_partition=False,
    )  # fmt: skip
    privacy = read_privacy(epsilon, rho, delta, relation)
    grid = public_grid((lower, upper), None)
    filled = read_missing(missing, grid)
    return MeanQuery(privacy, protected, grid, filled, read_split(split, ("sum", "count")))


@explain_arguments
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
    x, bounds, column, missing
        As in `sum`.
    split : dict, optional
        The weights of "sum" and "count" in the privacy. Default: 1 each.
    epsilon, rho, delta, relation, user, unit, max_rows, max_rows_per_unit, budget, rng
        As in `count`. They are for the whole release.

    Returns
    -------
    MeanRelease
        The mean, in the unit of x, with its interval, its parts and its loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    What is summed is x - c, where c is the middle of the bounds. One record changes that sum by at
    most (upper - lower) / 2 under "add-remove", however far the bounds are from 0. A count below 1
    is taken as 1, and the mean is clamped to the bounds, which is post-processing. Under
    "change-one", if missing numbers count as a number and the unit is a record, the count is public
    and gets no noise. docs/releases/means.md has the proofs.

    References
    ----------
    .. [1] Li, Lyu, Su, Yang, "Differential privacy: from theory to practice", 2016, section 2.

    Examples
    --------
    >>> from cydp.testing import SeededGenerator
    >>> ages = [18, 25, 31, 44, 52, None] * 100
    >>> release = mean(ages, (0, 100), epsilon=1, rng=SeededGenerator(1))
    >>> lower, upper = release.interval()
    >>> lower < 34 < upper, upper - lower < 3
    (True, True)

    """
    query = mean_query(
        *check_pair(bounds), missing, split, epsilon, rho, delta, relation, user_key(user), unit,
        max_rows, max_rows_per_unit,
    )  # fmt: skip
    rows = NumberRows(x, column, user, query.unit)
    (deviations, count), payment = run(
        query, partial(draw_mean, query, rows), budget, rng, columns=[column, user]
    )
    return MeanRelease(query=query, deviations=deviations, rows=count, payment=payment)


def draw_mean(query: MeanQuery, rows: AddedRows, generator: Generator) -> tuple[int, int]:
    """Return the noisy sum and count; the data is read here."""
    total, count = rows.add(_sums_of, query, generator)
    noisy = query.parts["sum"].noise.release(total, rng=generator)
    if query.knows_rows:
        return noisy, count
    return noisy, query.parts["count"].noise.release(count, rng=generator)


def _sums_of(query: MeanQuery, values: NDArray[Any]) -> list[int]:
    """Return the exact sum of x - c, in steps, and the number of rows that count."""
    count, total = count_present(values), sum_units(values, query.grid)
    if query.filled is not None:
        total += query.filled * (values.size - count)
        count = values.size
    return [total - centre_of(query.grid) * count, count]
