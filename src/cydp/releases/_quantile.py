# SPDX-License-Identifier: MIT
"""Private quantiles of clamped numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number, TimeBounds
from cydp._generator import Generator
from cydp._numbers.rational import float_of, read_quantile
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._grid import public_grid
from cydp.exact._sorted_units import SortedUnits, sort_units
from cydp.exact._time_grid import read_time_grid
from cydp.mechanisms._run import Budget
from cydp.releases._answers import MEDIAN, Answer, RankAnswer
from cydp.releases._missing import Missing, fill_absent, read_missing
from cydp.releases._noise_split import Aggregate
from cydp.releases._numbers_query import NumbersQuery
from cydp.releases._query import DataQuery, Given
from cydp.releases._release import Release, recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import Unit, UnitName
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["QuantileRelease", "Quantiles", "median", "quantile", "read_quantiles", "read_sorted"]


Quantiles: TypeAlias = tuple[Number | Sequence[Number], Bounds]
"""What to find in a column, and the bounds of its numbers."""

_MOST = 1000


@recorded
@dataclass(frozen=True, repr=False)
class QuantileQuery(NumbersQuery):
    """Quantiles of numbers that are clamped to bounds.

    Attributes
    ----------
    grid, filled
        As in `NumbersQuery`.
    qs : tuple of Fraction
        Which quantiles.
    several : bool
        Whether a list of quantiles was given, even if it is of one.

    """

    function: ClassVar[str] = "quantile"
    own: ClassVar[tuple[str, ...]] = ("q",)

    qs: tuple[Fraction, ...]
    several: bool = field(default=False, repr=False)

    @classmethod
    def of(cls, given: Given, source: NumberRows | None) -> DataQuery:
        """Return the query of a call; `median` has no q."""
        return super().of({"q": "1/2", **given}, source)

    @classmethod
    def declare(cls, given: Given) -> NumberRows:
        """Return the columns of numbers, or of times if the bounds are times, and of users."""
        grid = read_time_grid(given["bounds"])
        return NumberRows(given["x"], given["column"], given["user"], grid)

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query from bounds, the number for missing ones, and quantiles."""
        lower, upper, missing, q = own
        grid = read_time_grid((lower, upper)) or public_grid((lower, upper), None)
        return cls(privacy, unit, grid, read_missing(missing, grid), *read_quantiles(q))

    @property
    def title(self) -> str:
        """A single quantile says which: 1/2 is the median."""
        if self.several:
            return self.function
        return "median" if self.qs == (MEDIAN,) else f"{self.function} {float_of(self.qs[0]):g}"

    @property
    def contents(self) -> tuple[str, ...]:
        """The quantiles of a list."""
        return tuple(answer.name for answer in self.answers()) if self.several else ()

    @property
    def nbytes(self) -> int:
        """How many bytes the released points have."""
        return 8 * len(self.qs)

    def answers(self) -> list[Answer]:
        """Return the quantiles."""
        parts = self.parts.values()
        return [
            RankAnswer("median" if q == MEDIAN else f"q={q}", 1, "ranks", part, self.grid)
            for q, part in zip(self.qs, parts, strict=True)
        ]

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Sort the numbers, in steps."""
        return Tally(self, {"ranks": read_sorted(self, source, key)})

    def draw(self, tally: Tally, generator: Generator) -> NDArray[np.int64]:
        """Return the chosen points, in steps."""
        ranks = tally.parts["ranks"]
        return np.concatenate(
            [part.choice.choose(ranks, generator) for part in self.parts.values()]
        )

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> QuantileRelease:
        """Return the release."""
        steps = drawn if self.several else drawn.reshape(())
        return QuantileRelease(query=self, steps=steps, payment=payment)

    def aggregates(self) -> list[Aggregate]:
        """Return a choice for each quantile."""
        return [
            Aggregate(f"q{i}", self.unit.change_one_answer(max(q, 1 - q), 1), self.grid.step, q=q)
            for i, q in enumerate(self.qs)
        ]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuantileRelease(Release):
    """Private quantiles, as `quantile` and `median` return them.

    Attributes
    ----------
    query : QuantileQuery
        The query: quantiles, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    steps : ndarray of int64, shape (q,) or ()
        The chosen points, in steps of the grid.

    """

    query: Any
    steps: NDArray[np.int64]

    @property
    def value(self) -> Any:
        """The quantile in the unit of the data; an array if a list was asked for.

        Of dates and times: datetime64 in the unit of the bounds, or a datetime with their zone.
        """
        values = self.query.grid.values_of(self.steps)
        if self.steps.ndim:
            return values
        return float(values) if values.dtype.kind == "f" else values[()]

    @property
    def variance(self) -> None:
        """None: the variance depends on the data. `rank_error` does not."""

    def rank_error(self, confidence: Number = 0.95) -> float | NDArray[np.float64]:
        """Return by how many ranks the released points are from the quantiles, at most.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds for each of them.

        Returns
        -------
        float, or ndarray of float for a list of quantiles
            In numbers of the column.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        A point y is max(#{x < y} - q n, q n - #{x <= y}, 0) ranks from the quantile q of n numbers,
        and there is a point of 0 ranks. If the grid has g points, the released one is less than
        scale * ln(g / (1 - confidence)) ranks from the quantile [1]_.

        References
        ----------
        .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, theorem
           3.11.

        """
        bounds = self._rank_bounds(confidence, 1)
        return np.array(bounds) if self.steps.ndim else bounds[0]

    def _rank_bounds(self, confidence: Number, together: int) -> list[float]:
        return [each.rank_error(confidence, together) for each in self.query.answers()]

    @property
    def _notes(self) -> tuple[str, ...]:
        return ()

    @property
    def _answer(self) -> Answer:
        answer: Answer = self.query.answers()[0]
        return answer

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        qs = np.array([float_of(q) for q in self.query.qs])
        together = len(qs) if simultaneous else 1
        bounds = self._rank_bounds(confidence, together)
        several = self.steps.ndim > 0
        chosen = Numbers(
            name="median" if self.query.title == "median" else self.query.function,
            values=np.asarray(self.value),
            bound=np.array(bounds) if several else bounds[0],
            bound_unit="ranks",
        )
        axes = [keys_of((qs,), ("q",), "quantile")] if several else []
        return self._make_sheet(axes, [chosen], confidence, simultaneous, notes=self._notes)

    @property
    def _exact(self) -> dict[str, Any]:
        return {"q": [str(q) for q in self.query.qs], "steps": self.steps.tolist()}


@release(QuantileQuery)
def quantile(
    x: Column,
    q: Number | Sequence[Number],
    bounds: Bounds | TimeBounds,
    *,
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
) -> QuantileRelease:
    """Choose quantiles of numbers that are clamped to bounds, by the exponential mechanism.

    Parameters
    ----------
    x : array_like of real numbers, dates or times, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow or DuckDB, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    q : number from 0 to 1, or list of numbers
        Which quantiles: 0.5 is the median. Several share the privacy equally, and one sort. 0 and 1
        are any points below the least and above the largest number: take 0.01 and 0.99.
    bounds : (lower, upper)
        Public ends, to which numbers outside are clamped. A float means its exact binary value.
        Two dates or times, for a column of such: these are rounded down to days if both ends are
        dates, else to the coarsest of s, ms, us and ns that has both ends.
    column : name, optional
        The column to read, if x is a table.
    missing : "drop", number or time, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
        Of dates and times: a public one within the bounds.
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
    QuantileRelease
        The quantiles, in the unit of x, within the bounds; of dates and times as datetime64, or
        as datetimes in the zone of the bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    A point y of the grid is preferred by exp(-rate * d(y)), where d(y) = max(#{x < y} - q n,
    q n - #{x <= y}, 0) and n numbers are not missing: d is 0 where q n is among the ranks of y. One
    record changes d(y) by at most max(q, 1 - q) under "add-remove", and by 1 under "change-one". A
    number of the column may be released, most of all one that many rows share: it is a point like
    any other, and rows act through d alone. docs/mechanisms/quantile.md has the proof.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.

    Examples
    --------
    >>> ages = list(range(100)) * 100
    >>> release = quantile(ages, [0.25, 0.5], (0, 120), epsilon=2)
    >>> bool(np.abs(release.value - [25, 50]).max() < 2)
    True

    """
    made: QuantileRelease = run(QuantileQuery, locals())
    return made


@release(QuantileQuery)
def median(
    x: Column,
    bounds: Bounds | TimeBounds,
    *,
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
) -> QuantileRelease:
    """Choose the median of numbers that are clamped to bounds: `quantile` with q=0.5.

    Parameters
    ----------
    x : array_like of real numbers, dates or times, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow or DuckDB, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    bounds : (lower, upper)
        Public ends, to which numbers outside are clamped. A float means its exact binary value.
        Two dates or times, for a column of such: these are rounded down to days if both ends are
        dates, else to the coarsest of s, ms, us and ns that has both ends.
    column : name, optional
        The column to read, if x is a table.
    missing : "drop", number or time, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
        Of dates and times: a public one within the bounds.
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
    QuantileRelease
        The median, in the unit of x, within the bounds; of dates and times as a datetime64, or as
        a datetime in the zone of the bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.

    Examples
    --------
    >>> release = median([20, 30, 30, 40, 50] * 1000, (0, 100), epsilon=1)
    >>> round(release.value, 3)
    30.0
    >>> days = np.arange("2024-01-01", "2025-01-01", dtype="datetime64[D]")
    >>> median(np.repeat(days, 99), ("2023-01-01", "2026-01-01"), epsilon=99).value.astype("M8[M]")
    np.datetime64('2024-07')

    """
    made: QuantileRelease = run(QuantileQuery, locals())
    return made


def read_sorted(query: NumbersQuery, rows: NumberRows, key: Key) -> SortedUnits:
    """Return the numbers that count, in steps of the query's grid; the data is read here."""
    return sort_units(fill_absent(query.values(rows, key), query.filled, query.grid), query.grid)


def read_quantiles(qs: Any) -> tuple[tuple[Fraction, ...], bool]:
    """Return the quantiles as fractions, and whether a list was given.

    Raises
    ------
    TypeError, ValueError
        For anything but numbers from 0 to 1, and for none or more than 1000 of them.

    Examples
    --------
    >>> read_quantiles(0.5)[1], read_quantiles([0.25])[1]
    (False, True)

    """
    if not isinstance(qs, list | tuple | np.ndarray):
        return (read_quantile(qs),), False
    found = tuple(map(read_quantile, qs))
    if not 1 <= len(found) <= _MOST:
        raise ValueError(f"q must be one quantile, or a list of 1 to {_MOST:,}")
    return found, True
