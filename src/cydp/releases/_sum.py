# SPDX-License-Identifier: MIT
"""The private sum of clamped numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import as_exact
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._clamped_sum import sum_units
from cydp.exact._grid import public_grid
from cydp.mechanisms._run import Budget
from cydp.releases._answers import OF_X, Answer, NoisyAnswer
from cydp.releases._count import NumberRelease
from cydp.releases._missing import Missing, count_present, held_still, read_missing
from cydp.releases._noise_split import Aggregate
from cydp.releases._numbers_query import NumbersQuery
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import Unit, UnitName
from cydp.releases._user_sums import (
    add_exactly,
    bounded_sums,
    clamped_sums,
    ends_of_sum,
    largest_sum_words,
    read_largest_sum,
)

__all__ = ["SumQuery", "sum"]


@recorded
@dataclass(frozen=True, repr=False)
class SumQuery(NumbersQuery):
    """The sum of numbers that are clamped to bounds."""

    function: ClassVar[str] = "sum"
    is_count: ClassVar[bool] = False
    own: ClassVar[tuple[str, ...]] = ("max_sum_per_user",)
    all_rows_count: ClassVar[bool] = True

    most: int | None = field(default=None, metadata=ADDED)

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query from bounds, the number for missing ones, and the bound of a sum."""
        lower, upper, missing, most = own
        grid = public_grid((lower, upper), None)
        bound = read_largest_sum(most, grid, unit)
        return cls(privacy, unit, grid, read_missing(missing, grid), bound)

    @property
    def ends_of_user(self) -> tuple[int, int]:
        """The least and the largest sum of one user that counts, in steps."""
        assert self.most is not None
        return ends_of_sum(self.grid, self.unit.max_rows, self.most)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters, with the bound of a user's sum where there is one."""
        found = dict(super().parameters)
        most = found.pop("most")
        if most is None:
            return found
        return found | {"max_sum_per_user": as_exact(most * self.grid.step)}

    @property
    def left_out(self) -> tuple[str, ...]:
        """Notes on the rows, and on the sums, of which a part may be left out."""
        if self.most is None:
            return super().left_out
        name, most = self.unit.name, largest_sum_words(self.most, self.grid)
        return (
            *super().left_out,
            f"of the sum of each {name}, what is beyond {most} in size is left out, too",
        )

    def aggregates(self) -> list[Aggregate]:
        """Return the sum."""
        if self.most is not None:
            least, largest = self.ends_of_user
            # The sum of a user moves as the number of a single row does.
            one = replace(self.unit, max_rows=1)
            change = one.change_one_answer(max(-least, largest), largest - least)
            return [Aggregate("sum", change, self.grid.step)]
        low, high = self.grid.lowest, self.grid.highest
        # For other units, fewer rows may count afterwards, as if one were missing.
        is_always_there = self.filled is not None and self.unit.has_fixed_rows
        width = high - low if is_always_there else max(high, 0) - min(low, 0)
        change = self.unit.change_one_answer(self.grid.largest, width)
        return [Aggregate("sum", change, self.grid.step)]

    def answers(self) -> list[Answer]:
        """Return the sum."""
        return [NoisyAnswer("sum", 1, OF_X, self.parts["sum"])]

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Add the numbers, in steps; or the sums of users, each within its bounds."""
        exact = _sum_of if source.users is None else _sum_of_users
        (steps,) = source.add(lambda: [exact(self, source, key)])
        return Tally(self, {"sum": steps})

    def result(self, drawn: int, payment: Payment | None) -> NumberRelease:
        """Return the release."""
        return NumberRelease(query=self, steps=drawn, payment=payment)


@release(SumQuery)
def sum(
    x: Column,
    bounds: Bounds,
    *,
    column: Hashable = None,
    missing: Missing = "drop",
    max_sum_per_user: Number | None = None,
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
    """Sum numbers that are clamped to bounds, exactly, and add exact noise.

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
    max_sum_per_user : number > 0, optional
        With `user`: the size to which the sum of each user is clamped. The noise grows with it, and
        not with `max_rows`, which may then be large.
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
    NumberRelease
        The noisy sum, in the unit of x, with its interval and loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Each number is clamped and rounded to a grid of steps of at most max(abs(lower), abs(upper)) /
    2**28, and added as an integer, to which integer noise is added. A unit of c records changes the
    sum by at most c max(abs(lower), abs(upper)); under "change-one" by c (max(upper, 0) -
    min(lower, 0)), or by upper - lower if missing numbers count as a number and the unit is a
    record. With `max_sum_per_user` m a user changes it by at most m, or by m and the size of the
    least sum that counts where sums may be negative and positive, and a user may become another;
    what is beyond m in the sum of a user is left out.

    References
    ----------
    .. [1] Casacuberta, Shoemate, Vadhan, Wagaman, "Widespread underestimation of sensitivity in
       differentially private libraries and how to fix it", 2022.

    Examples
    --------
    >>> incomes = [21_000, 35_500.5, None, 1_000_000]
    >>> release = sum(incomes, (0, 200_000), epsilon=1)
    >>> round(release.error_bound(0.95)), release.loss
    (599146, PureDP(epsilon=1, relation='add-remove'))
    >>> visits = {"visitor": [7, 7, 7, 9], "euros": [90, 20, 40, 10]}
    >>> users = {"column": "euros", "user": "visitor", "max_rows": 100}
    >>> release = sum(visits, (0, 100), max_sum_per_user=50, epsilon=1, **users)
    >>> round(release.error_bound(0.95))
    150

    """
    made: NumberRelease = run(SumQuery, locals())
    return made


def _sum_of_users(query: SumQuery, source: NumberRows, key: Key) -> int:
    """Return the exact sum, in steps, of the sums of users, each within its bounds."""
    _, above, rows = bounded_sums(*query.by_user(source, key), query.grid, query.unit.max_rows)
    sums = above + query.grid.lowest * rows
    if query.most is not None:
        sums = clamped_sums(sums, query.ends_of_user)
    return add_exactly(sums)


def _sum_of(query: SumQuery, source: NumberRows, key: Key) -> int:
    """Return the exact sum of numbers, in steps."""
    values = query.values(source, key)
    if query.filled is not None:
        values = held_still(values, query.filled, query.grid)
    steps = sum_units(values, query.grid)
    if query.filled is not None:
        steps += query.filled * (values.size - count_present(values))
    return steps
