# SPDX-License-Identifier: MIT
"""How many rows or partitions of a user should count, found privately."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._columns.declared import Labels
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp._numbers.rational import float_of, read_integer, read_quantile
from cydp._numbers.rounding import percent_of
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._contributions import count_contributions
from cydp.exact._grid import Grid
from cydp.exact._label_sets import find_labels
from cydp.exact._sorted_units import SortedUnits
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, RankAnswer
from cydp.releases._noise_split import Aggregate
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import columns_by, key_names, several
from cydp.releases._release import Release, recorded
from cydp.releases._rows import Key, Rows, users_of
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import Unit, UnitName
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["ContributionBoundRelease", "contribution_bound"]

_MOST = 2**20  # of `max`: the tally has a number for each


class UserRows(Rows):
    """The user of each row, and the columns of labels that make its partition, if there are any."""

    __slots__ = ("labels",)

    def __init__(self, users: Labels, labels: list[Labels]) -> None:
        self.labels = labels
        super().__init__(labels or [users], users)

    def count(self, most: int, key: Key) -> NDArray[np.int64]:
        """Return how many users have 1, 2, ... contributions; the last place: `most` or more."""
        counts: NDArray[np.int64]
        (counts,) = self.add(lambda: [self._count(most, key)])
        return counts

    def _count(self, most: int, key: Key) -> NDArray[np.int64]:
        assert self.users is not None
        assert key is not None
        if not self.labels:
            return count_contributions(self.users, None, most, key)
        return count_contributions(self.users, None, most, key, find_labels(self.labels))


@recorded
@dataclass(frozen=True, repr=False)
class ContributionQuery(DataQuery):
    """The bound on the contributions of a user that leaves a share of something whole.

    Attributes
    ----------
    max : int
        The largest bound, at which contributions are cut.
    share : Fraction
    whole : str
        What it is a share of: "users" or "contributions".
    counted : str
        What a contribution is: "rows" or "partitions".

    """

    function: ClassVar[str] = "contribution_bound"
    data: ClassVar[str] = "table"
    column_arguments: ClassVar[tuple[str, ...]] = ("user",)

    max: int
    share: Fraction
    whole: str
    counted: str

    @classmethod
    def of(cls, given: Given, source: UserRows | None) -> DataQuery:
        """Return the query of a call."""
        if given["user"] is None:
            raise TypeError("user must be given: the bound is on what one user adds")
        most, by = read_integer(given["max"], "max"), given["by"]
        if not 1 <= most <= _MOST:
            raise ValueError(f"max must be from 1 to {_MOST:,}, not {most}")
        if given["of"] not in ("users", "contributions"):
            raise ValueError(
                "of must be 'users', or 'contributions' for a share of all rows (with by=, of all "
                f"partitions), not {given['of']!r}"
            )
        ranked = {"max_rows": 1 if given["of"] == "users" else most, "max_rows_per_unit": None}
        counted = "rows" if by is None else "partitions"
        found = cls.kept({**given, **ranked}, most, given["share"], given["of"], counted)
        columns = None if by is None else key_names(several(by))
        return found.reading(columns={**found.reads.columns, "by": columns})

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of a largest bound, a share, and what it is a share of."""
        most, share, whole, counted = own
        part = read_quantile(share, "share")
        if part in (0, 1):
            raise ValueError(f"share must be between 0 and 1, and not {part}")
        return cls(privacy, unit, most, part, whole, counted)

    @classmethod
    def declare(cls, given: Given) -> UserRows:
        """Return the column of users, and those of labels."""
        table, by = open_table(given["table"]), given["by"]
        users = users_of(table, given["user"])
        if users is None:
            raise TypeError("user must be given: the bound is on what one user adds")
        labels = [] if by is None else columns_by(table, by)
        return UserRows(users, [Labels(each, "by") for each in labels])

    @property
    def nbytes(self) -> int:
        """How many bytes the bound has."""
        return 8

    @property
    def grid(self) -> Grid:
        """The bounds to choose from."""
        return Grid(0, 1, self.max)

    @property
    def ranked(self) -> str:
        """What is ranked, one by one, by how many contributions it takes to keep it."""
        return "users" if self.whole == "users" else self.counted

    @property
    def protects(self) -> str:
        """What is protected, in words."""
        name = self.unit.name
        counts = (
            f"each {name} counts once, by how many {self.counted} they have"
            if self.whole == "users"
            else f"of each {name} at most {self.max:,} {self.counted} count"
        )
        return f"{self.unit.subject}, whatever rows they have: {counts}"

    @property
    def left_out(self) -> tuple[str, ...]:
        """A note on what the number means; rows without a user do not count."""
        name, many = self.unit.name, f"{percent_of(self.share)} of all {self.ranked}"
        stay = "have no more" if self.whole == "users" else "stay if nobody has more"
        return (
            f"{many} {stay}, up to the error",
            f"a bound of {self.max:,} may be too low, since more {self.counted} count as "
            f"{self.max:,}: ask for a larger max then",
            f"rows whose {name} is missing do not count",
        )

    def answers(self) -> list[Answer]:
        """Return the bound, with its error in ranks."""
        return [RankAnswer("bound", 1, self.ranked, self.parts["bound"], self.grid)]

    def aggregates(self) -> list[Aggregate]:
        """Return the choice of a quantile."""
        q = self.share
        change = self.unit.change_one_answer(max(q, 1 - q), 1)
        return [Aggregate("bound", change, self.grid.step, q=q)]

    def read(self, source: UserRows, key: Key) -> Tally:
        """Count the users by how many contributions they have."""
        return Tally(self, {"bound": source.count(self.max, key)})

    def draw(self, tally: Tally, generator: Generator) -> int:
        """Return the chosen bound."""
        users = tally.parts["bound"]
        # A user with k contributions has one at each of the ranks 1 to k.
        counts = users if self.whole == "users" else np.cumsum(users[::-1])[::-1]
        units = np.repeat(np.arange(1, self.max + 1, dtype=np.int32), counts)
        ends = np.array([0, len(units)], np.int64)
        choice = self.parts["bound"].choice
        return int(choice.choose(SortedUnits(self.grid, units, ends), generator)[0])

    def result(self, drawn: int, payment: Payment | None) -> ContributionBoundRelease:
        """Return the release."""
        return ContributionBoundRelease(query=self, value=drawn, payment=payment)


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ContributionBoundRelease(Release):
    """A private bound on contributions, as `contribution_bound` returns it.

    It is an integer for whatever takes one: ``max_rows=found``.

    Attributes
    ----------
    query : Query
        The query: share, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    value : int
        The bound, from 1 to `max`.

    """

    query: Any
    value: int

    @property
    def variance(self) -> None:
        """None: the variance depends on the data. `rank_error` does not."""

    def rank_error(self, confidence: Number = 0.95) -> float:
        """Return by how many users, or contributions, the bound misses the share, at most.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.

        Returns
        -------
        float
            In users; for ``of="contributions"`` in rows or partitions.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        """
        bound: float = self._answer.rank_error(confidence, 1)  # type: ignore[attr-defined]
        return bound

    def __index__(self) -> int:
        return self.value

    def __int__(self) -> int:
        return self.value

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        bound = Numbers(
            name="bound",
            values=np.asarray(self.value),
            unit=self.query.counted,
            bound=self.rank_error(confidence),
            bound_unit=self.query.ranked,
        )
        sheet = self._make_sheet((), [bound], confidence, simultaneous)
        query = self.query
        about = {"share": float_of(query.share), "of": query.whole, "unit": query.counted}
        return replace(sheet, parameters=about)

    @property
    def _exact(self) -> dict[str, Any]:
        return {"value": self.value, "share": str(self.query.share)}


@release(ContributionQuery)
def contribution_bound(
    table: Any,
    *,
    user: Any,
    by: Any = None,
    max: Integer,
    share: Number = "0.95",
    of: str = "users",
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    unit: UnitName | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> ContributionBoundRelease:
    """Choose the bound on rows or partitions that keeps a share of users whole, privately.

    Parameters
    ----------
    table : table
        A frame of pandas or polars, a table of pyarrow, a relation of DuckDB (its expressions must
        not fail on a record), a dict of columns, a structured array or a 2-D array.
    user : column of any kind, or its name in the table
        Who each record belongs to; the protected unit. Records without a user do not count.
    by : name, or list of names, optional
        Columns of labels. Partitions are counted then: the combinations of labels that occur in
        records of a user. Default: records are counted.
    max : int from 1 to 2**20
        The largest bound that may be chosen, public. Users with more are as users with `max`.
    share : number between 0 and 1, default 0.95
        The share that should stay whole.
    of : {"users", "contributions"}, default "users"
        Of what it is a share: of the users, of whom each has one number, or of all records (with
        `by`: of all partitions of all users), where one user weighs up to `max` times as much.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP. Either
        epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    ContributionBoundRelease
        The bound, an integer that other releases take as ``max_rows=`` or ``max_partitions=``.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    It is the exponential mechanism for the quantile `share` of one number for each user, or of
    numbers 1 to k for a user with k contributions. One user changes the score of a bound by at most
    max(share, 1 - share) under "add-remove", and by 1 if their data may change; for contributions
    by `max` times that.

    References
    ----------
    .. [1] Amin, Kulesza, Munoz Medina, Vassilvitskii, "Bounding user contributions: a bias-variance
           trade-off in differential privacy", 2019.

    Examples
    --------
    >>> import cydp
    >>> visits = {"visitor": [i // 3 for i in range(3000)]}  # everybody comes three times
    >>> found = contribution_bound(visits, user="visitor", max=20, epsilon=1)
    >>> found.value, cydp.count(visits, user="visitor", max_rows=found, epsilon=1).error_bound()
    (3, 9)

    """
    made: ContributionBoundRelease = run(ContributionQuery, locals())
    return made
