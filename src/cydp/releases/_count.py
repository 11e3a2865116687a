# SPDX-License-Identifier: MIT
"""The private count."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

from cydp._arguments import Column, Integer, Number
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._number import NumberRelease
from cydp.releases._parts import Aggregate
from cydp.releases._payment import Payment
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._release import recorded
from cydp.releases._rows import Key, PresentRows
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import UnitName

__all__ = ["CountQuery", "count"]


@recorded
@dataclass(frozen=True, repr=False)
class CountQuery(DataQuery):
    """The number of records."""

    function: ClassVar[str] = "count"
    is_count: ClassVar[bool] = True

    @classmethod
    def of(cls, given: Given, source: PresentRows | None) -> DataQuery:
        """Return the query of a call."""
        return cls.kept(given, names_of(given, "column", "user"))

    @classmethod
    def declare(cls, given: Given) -> PresentRows:
        """Return the column whose entries are counted, and that of users."""
        return PresentRows(given["x"], given["column"], given["user"])

    def aggregates(self) -> list[Aggregate]:
        """Return the count."""
        return [Aggregate("count", self.unit.change_one_answer(1, 1))]

    def answers(self) -> list[Answer]:
        """Return the count."""
        return [NoisyAnswer("count", 1, "rows", self.parts["count"])]

    def read(self, source: PresentRows, key: Key) -> Tally:
        """Count the entries."""
        return Tally(self, {"count": source.count(self.unit, key)})

    def result(self, drawn: int, payment: Payment | None) -> NumberRelease:
        """Return the release."""
        return NumberRelease(query=self, steps=drawn, payment=payment)


@release(CountQuery)
def count(
    x: Column,
    *,
    column: Hashable = None,
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
) -> NumberRelease:
    """Count the rows of a table, or the entries of a column that are not missing, with exact noise.

    Parameters
    ----------
    x : array_like, shape (n,), or table
        An entry of any kind for each record: a list, an array, or a column of pandas, polars,
        pyarrow or DuckDB (whose own expressions must fail on no record). NaN, null and masked
        entries are not counted. A column of bool is refused, since True and False would be counted
        alike: pass those records that have the property, or use `sum` with bounds (0, 1).
    column : str, optional
        The name of the column, if x is a table. Default: all rows of a table are counted.
    epsilon, rho, delta : numbers > 0
        Privacy cost of the release. epsilon: pure DP, in nats, with discrete Laplace noise. rho:
        zCDP, and epsilon with delta: approximate DP, both with discrete Gaussian noise.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name if x is a table, optional
        Whose record each one is. Then the unit that is protected is a user, and `max_rows` records
        of each user count, chosen at random. Default: the unit is a record.
    unit : str or sequence of str, optional
        What a value of `user` stands for, in the words of a ledger's `privacy_unit`, such as
        "person". A sequence adds the units that lie within one, such as ("household", "person").
        Default: the name of the column, or "user".
    max_rows : int >= 1
        Required with `user`.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`, the caller's promise that no unit has more records in x.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    NumberRelease
        The noisy count, an int that may be negative, with its interval and loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    One unit changes the exact count by at most `max_rows`, or 1: docs/releases/units.md.

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
