# SPDX-License-Identifier: MIT
"""The private count, and the release of one number with noise."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column, Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, float_of
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, NoisyAnswer, Steps
from cydp.releases._format import counted
from cydp.releases._left_out import LEFT_OUT, answer_of, left_out_aggregate, note_on, read_left_out
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._present_rows import PresentRows
from cydp.releases._query import DataQuery, Given
from cydp.releases._release import ADDED, Release, recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import Split, Weights, read_split
from cydp.releases._unit import Unit, UnitName
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["CountQuery", "NumberRelease", "count"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NumberRelease(Release):
    """A private number: the exact answer plus noise. `count` and `sum` return it.

    Attributes
    ----------
    query : Query
        The query: noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    steps : int
        The number in steps of its grid, with noise. A count has steps of 1.
    left_out : int or None
        A noisy estimate of how many rows the bounds of users have left out, if it was asked for.

    """

    query: Any
    steps: int
    left_out: int | None = field(default=None, metadata=ADDED)

    @property
    def _part(self) -> Part:
        part: Part = self.query.parts[self.query.function]
        return part

    @property
    def _answer(self) -> Answer:
        answer: Answer = self.query.answers()[0]
        return answer

    @property
    def exact(self) -> Fraction:
        """The number, with its noise, as a fraction."""
        return as_exact(self.steps * self._part.step)

    @property
    def value(self) -> int | float:
        """The number, with its noise: an int for a count, else a float in the unit of the data."""
        return self.steps if self.query.is_count else float_of(self.exact)

    @property
    def variance(self) -> float:
        """Variance of the noise, in the square of the unit of the data."""
        return self._part.variance

    @property
    def _steps(self) -> Steps:
        return {self._part.name: self.steps}

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.exact)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        is_count, (one, several) = self.query.is_count, counted(self.query.unit)
        dtype = np.int64 if is_count else np.float64
        lower, upper = (np.asarray(end, dtype) for end in self.interval(confidence))
        number = Numbers(
            name=self.query.function,
            values=np.asarray(self.value, dtype),
            unit=several if is_count else "",
            singular=one,
            bound=self.error_bound(confidence),
            lower=lower,
            upper=upper,
        )
        query, notes = self.query, tuple[str, ...]()
        if self.left_out is not None:
            notes = (note_on(query, self.left_out, confidence),)
        return self._make_sheet((), [number], confidence, simultaneous, notes=notes)

    @property
    def _exact(self) -> dict[str, Any]:
        return {"value": str(self.exact)}


@recorded
@dataclass(frozen=True, repr=False)
class CountQuery(DataQuery):
    """The number of records."""

    function: ClassVar[str] = "count"
    is_count: ClassVar[bool] = True

    most_left_out: int | None = field(default=None, repr=False, metadata=ADDED)
    weights: Weights = field(default=(), repr=False, metadata=ADDED)

    @classmethod
    def of(cls, given: Given, source: PresentRows | None) -> DataQuery:
        """Return the query of a call."""
        return cls.kept(given, given["left_out"], given["split"])

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of a count, and of how many rows of a user are counted as left out."""
        left_out, split = own
        most = read_left_out(left_out, unit)
        weights = read_split(split, ["count"] if most is None else ["count", LEFT_OUT])
        return cls(privacy, unit) if most is None else cls(privacy, unit, most, weights)

    @classmethod
    def declare(cls, given: Given) -> PresentRows:
        """Return the column to count in, and the column of users."""
        return PresentRows(given["x"], given["column"], given["user"])

    def aggregates(self) -> list[Aggregate]:
        """Return the count."""
        change = self.unit.change_one_answer(1, 1)
        if self.most_left_out is None:
            return [Aggregate("count", change)]
        weights = dict(self.weights)
        return [
            Aggregate("count", change, weight=weights["count"]),
            left_out_aggregate(self.most_left_out, self.unit, weights[LEFT_OUT]),
        ]

    def answers(self) -> list[Answer]:
        """Return the count, and the estimate of the rows that are left out."""
        found: list[Answer] = [NoisyAnswer("count", 1, counted(self.unit)[1], self.parts["count"])]
        return found if self.most_left_out is None else [*found, answer_of(self.parts[LEFT_OUT])]

    @property
    def left_out(self) -> tuple[str, ...]:
        """A note on the rows that may be left out; a number of users is not too low."""
        unit = self.unit
        if not unit.has_users or unit.max_rows > 1:
            return super().left_out
        return (
            f"each {unit.name} counts once, however many rows they have; rows whose {unit.name} "
            "is missing do not count",
        )

    def read(self, source: PresentRows, key: Key) -> Tally:
        """Count the entries."""
        counts = source.count(self.unit, key, self.most_left_out)
        return Tally(self, dict(zip(self.parts, counts, strict=True)))

    def result(self, drawn: Any, payment: Payment | None) -> NumberRelease:
        """Return the release."""
        steps, left_out = (drawn, None) if self.most_left_out is None else drawn
        return NumberRelease(query=self, steps=steps, left_out=left_out, payment=payment)


@release(CountQuery)
def count(
    x: Column,
    *,
    column: Hashable = None,
    left_out: Integer | None = None,
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
) -> NumberRelease:
    """Count the rows of a table, or the entries of a column that are not missing, with exact noise.

    Parameters
    ----------
    x : array_like, shape (n,), or table
        An entry of any kind for each record: a list, an array, or a column. NaN, null and masked
        entries are not counted. In a table without `column`, all rows are counted. A table is of
        pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or it is CSV or Parquet files,
        such as "data/*.csv": a text is a path. What a query computes must treat each record alone,
        and not fail on one. A column of bool is refused, since True and False would be counted
        alike: pass the records that have the property, or use `sum` with bounds (0, 1).
    column : name, optional
        The column to read, if x is a table.
    left_out : int >= 1, optional
        With `user`: estimate how many records the bounds leave out, of one user so many at most,
        with noise, as `release.left_out`.
    split : dict, optional
        The weights of "count" and "left_out" in the privacy. Default: 1 each.
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
    NumberRelease
        The noisy count, an int that may be negative, with its interval and loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    One unit changes the exact count by at most `max_rows`, or 1.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3.

    Examples
    --------
    >>> release = count(["a", "b", None], epsilon=1)
    >>> release.error_bound(), release.loss
    (3, PureDP(epsilon=1, relation='add-remove'))
    >>> visits = {"visitor": [7, 7, 7, 9], "day": [1, 2, 3, 1]}
    >>> count(visits, column="day", user="visitor", max_rows=2, epsilon=1).error_bound()
    6

    """
    made: NumberRelease = run(CountQuery, locals())
    return made
