# SPDX-License-Identifier: MIT
"""Private bounds of numbers about which nothing is known. docs/releases/bounds.md."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._generator import Generator
from cydp._numbers.bounds import Pair, read_bounds
from cydp._numbers.rational import float_of, read_level
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, NoisyAnswer, Steps
from cydp.releases._cells import CellRows
from cydp.releases._format import counted
from cydp.releases._histogram import binned_rows
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._query import DataQuery, Given
from cydp.releases._release import Release, recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import Unit, UnitName
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["BoundsRelease", "bounds"]


_LEAST_EXPONENT = -960  # of numbers that are told from 0; a sum has a grid for such bounds

_MOST_EXPONENT = sys.float_info.max_exp - 1


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BoundsRelease(Release, Pair):
    """Private bounds (lower, upper), as `bounds` returns them: ``lower, upper = release``.

    Attributes
    ----------
    query : Query
        The query: noise, threshold, fallback, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    counts : ndarray of int64
        The noisy number of records in each bin: bins of negative numbers, the bin of 0, and bins of
        positive numbers, in increasing order.

    """

    query: Any
    counts: NDArray[np.int64]

    @property
    def _passed(self) -> NDArray[np.intp]:
        passed: NDArray[np.intp] = np.flatnonzero(self.counts > self.query.threshold)
        return passed

    @property
    def found(self) -> bool:
        """Whether a bin was found; if not, the bounds are the public fallback."""
        return len(self._passed) > 0

    @property
    def value(self) -> tuple[float, float]:
        """The bounds (lower, upper)."""
        passed = self._passed
        if not len(passed):
            lower, upper = map(float_of, self.query.fallback)
            return lower, upper
        edges = np.clip(self.query.edges, -np.finfo(np.float64).max, np.finfo(np.float64).max)
        ends = edges[[passed[0], passed[-1] + 1]]
        zero = len(self.counts) // 2  # the bin of the numbers that count as 0
        if passed[0] == zero:
            ends[0] = 0
        if passed[-1] == zero:
            ends[1] = 0
        return float(ends[0]), float(ends[1])

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: Any) -> Any:
        return self.value[place]

    @property
    def _part(self) -> Part:
        part: Part = self.query.parts["counts"]
        return part

    @property
    def variance(self) -> float:
        """Variance of the noise in each count."""
        return self._part.variance

    @property
    def _steps(self) -> Steps:
        return {"counts": self.counts}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        columns = [
            Numbers(name=name, values=np.asarray(end))
            for name, end in zip(("lower", "upper"), self.value, strict=True)
        ]
        notes = self.query.notes
        if not self.found:
            notes += ("no bin was found: the bounds are the public fallback",)
        return self._make_sheet((), columns, confidence, simultaneous, notes=notes)

    @property
    def _exact(self) -> dict[str, Any]:
        return {"counts": self.counts.tolist()}


@recorded
@dataclass(frozen=True, repr=False)
class BoundsQuery(DataQuery):
    """Counts of numbers by sign and power of two.

    Attributes
    ----------
    confidence : Fraction
        The least probability that no bin without records is found.
    fallback : tuple of Fraction
        The bounds if no bin is found.

    """

    function: ClassVar[str] = "bounds"
    bounded: ClassVar[str] = "partitions"

    confidence: Fraction
    fallback: tuple[Fraction, Fraction]

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        return cls.kept(given, given["confidence"], given["fallback"])

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query for a confidence, and for the bounds to return if no bin is found."""
        confidence, fallback = own
        ends = read_bounds((0, 0) if fallback is None else fallback, "fallback")
        return cls(privacy, unit, read_level(confidence), ends)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers and users, and the bins."""
        return binned_rows(given, _powers_of_two(), None)

    @property
    def nbytes(self) -> int:
        """How many bytes the counts have."""
        return 8 * self.cells

    def answers(self) -> list[Answer]:
        """Return the counts."""
        return [NoisyAnswer("counts", self.cells, counted(self.unit)[1], self.parts["counts"])]

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on the records that a bin needs."""
        return (
            "bounds are ends of bins between powers of two, of which those are found that have a "
            f"noisy count above {self.threshold:,}",
        )

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in each bin."""
        return Tally(self, {"counts": source.count(self.unit, key)})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> BoundsRelease:
        """Return the release."""
        return BoundsRelease(query=self, counts=drawn, payment=payment)

    def aggregates(self) -> list[Aggregate]:
        """Return the counts."""
        return [Aggregate("counts", self.unit.change_each_partition(1, 1, self.cells))]

    @property
    def further(self) -> dict[str, Any]:
        """How bins are found."""
        return {
            "bins": {
                "count": self.cells,
                "confidence": str(self.confidence),
                "threshold": self.threshold,
                "fallback": list(map(str, self.fallback)),
            }
        }

    @property
    def edges(self) -> NDArray[np.float64]:
        """The edges of the bins; those next to 0 enclose the numbers that count as 0."""
        return _powers_of_two()

    @property
    def cells(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    @property
    def threshold(self) -> int:
        """The noisy count that a bin must exceed to be found."""
        return self.parts["counts"].noise.error_bound(self.confidence, count=self.cells)


@lru_cache(1)
def _powers_of_two() -> NDArray[np.float64]:
    """Return the powers of two of both signs, and infinity, in order."""
    powers = np.ldexp(1.0, np.arange(_LEAST_EXPONENT, _MOST_EXPONENT + 1))
    positive = np.append(powers, np.inf)
    edges: NDArray[np.float64] = np.concatenate([-positive[::-1], positive])
    edges.flags.writeable = False
    return edges


@release(BoundsQuery)
def bounds(
    x: Column,
    *,
    column: Hashable = None,
    confidence: Number = 0.999999,
    fallback: Bounds | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> BoundsRelease:
    """Find bounds of numbers privately, for data without known public bounds.

    Numbers are counted by sign and power of two. The bounds enclose the bins that are found: the
    ones with a noisy count above a threshold.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one.
    column : name, optional
        The column to read, if x is a table.
    confidence : number between 0 and 1, default 0.999999
        The least probability that no bin without records is found. The threshold follows from it.
    fallback : (lower, upper), optional
        Public bounds to return if no bin is found, which is likely with few records. Default:
        (0, 0), with which all numbers count as 0.
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
    max_partitions : int >= 1, optional
        Required with `user`: the most partitions (bins, keys or cells) in which records of one user
        count, chosen at random.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each bin, key or cell.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    BoundsRelease
        A pair (lower, upper), which can be passed as ``bounds=`` or ``range=`` of another release,
        as its `value` can. `found` says whether a bin was found.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Public bounds cost nothing and are better. A bin is [2**k, 2**(k + 1)) or its negative, so that
    the upper bound of positive numbers is up to twice the largest number. Numbers closer to 0 than
    2**-960 count as 0, and infinite ones as the largest float. Bins of few records are not found;
    their numbers will be clamped.

    References
    ----------
    .. [1] Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo, Gipson, "Differentially private SQL
       with bounded user contribution", 2020, section 5.1.1.

    Examples
    --------
    >>> import cydp
    >>> incomes = [0.0, 21_000, 35_500.5, 90_000] * 100
    >>> release = bounds(incomes, epsilon=1, confidence="0.999999999999")
    >>> release.value, release.found
    ((0.0, 131072.0), True)
    >>> cydp.sum(incomes, release, epsilon=1).query.grid.bounds[1] == 131072
    True

    """
    made: BoundsRelease = run(BoundsQuery, locals())
    return made
