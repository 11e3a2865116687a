# SPDX-License-Identifier: MIT
"""The private histogram, of one column or for each key of others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._columns.canonical import digest_argument
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys, digest_keys
from cydp._generator import Generator
from cydp.accounting.ledger._paid import Payment
from cydp.exact._cell_axes import BinnedColumns, KeyedColumns, open_binned, public_edges
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._format import counted
from cydp.releases._histogram_release import HistogramRelease
from cydp.releases._noise_split import Aggregate
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import by_names, count_keys, known_names, name_of
from cydp.releases._release import recorded
from cydp.releases._rows import Key, declare_users, open_columns
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._unit import UnitName

__all__ = ["HistogramQuery", "binned_rows", "histogram"]


_BOTH = "by and by_keys must be given together: the column, and public keys"


@recorded
@dataclass(frozen=True, repr=False)
class HistogramQuery(DataQuery):
    """Counts in disjoint cells that are public.

    Attributes
    ----------
    cells : int
        How many counts there are.

    """

    function: ClassVar[str] = "histogram"
    bounded: ClassVar[str] = "partitions or rows"
    column_arguments: ClassVar[tuple[str, ...]] = ("column", "by", "user")

    cells: int

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        by, keys = given["by"], given["by_keys"]
        if source is None:
            if (by is None) != (keys is None):
                raise TypeError(_BOTH)
            cells = len(public_edges(given["bins"], given["range"])) - 1
            if keys is not None:
                cells *= count_keys(keys, by_names(by, given["column"])) or 0
        else:
            cells = source.cells
        query = cls.kept(given, cells)
        if by is not None:
            columns = by_names(by, given["column"]) or (by,)
            names = tuple(name_of(each, given.get("x")) for each in columns)
            query = query.reading(columns={**query.reads.columns, "by": names})
        if source is None:
            return query
        outer = source.axes[0]
        keys = outer.keys if isinstance(outer, KeyedColumns) else None
        return query.reading(keys=keys, edges=source.edges)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers, users and keys, and the bins."""
        return binned_rows(given, given["bins"], given["range"], given["by"], given["by_keys"])

    def aggregates(self) -> list[Aggregate]:
        """Return the counts."""
        return [Aggregate("counts", self.unit.change_each_partition(1, 1, self.cells))]

    @property
    def nbytes(self) -> int:
        """How many bytes the counts have."""
        return 8 * self.cells

    def answers(self) -> list[Answer]:
        """Return the counts."""
        return [NoisyAnswer("counts", self.cells, counted(self.unit)[1], self.parts["counts"])]

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in each cell."""
        return Tally(self, {"counts": source.count(self.unit, key)})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> HistogramRelease:
        """Return the release."""
        (edges,), keys, columns = self.reads.edges, self.reads.keys, self.reads.columns
        shape = (len(edges) - 1,) if keys is None else (len(keys), len(edges) - 1)
        return HistogramRelease(
            query=self,
            counts=drawn.reshape(shape),
            axes=(edges,),
            by_columns=() if keys is None else keys.arrays,
            names=known_names([columns["column"]]),
            by_names=known_names(columns.get("by") or ()),
            payment=payment,
        )

    def arguments_before(self) -> Any:
        """Return the arguments by which a ledger knew a call before it compared queries."""
        columns, (edges,) = self.reads.columns, self.reads.edges
        named = [columns["column"], columns["user"], *(columns["by"] or (None,))]
        other = {"edges": edges, "keys": digest_keys(self.reads.keys)}
        return digest_argument({"columns": list(known_names(named)), "other": other})


@release(HistogramQuery)
def histogram(
    x: Column,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
    column: Hashable = None,
    by: Any = None,
    by_keys: Any = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> HistogramRelease:
    """Count records in bins and add exact noise to every count.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    bins : int, sequence of edges, or a width of time
        A number of equal bins over `range`, or edges that never decrease. The last bin includes its
        right edge. Missing numbers, and numbers in no bin, are left out.
        Of dates or times: edges that are such, or a width over `range`, such as "15m", "6h", "1d",
        "1w", "1mo" or "1y", or a timedelta; then no bin includes its right edge.
    range : (float, float), or two dates or times, optional
        The ends of the bins, unless `bins` are edges. There is no default, because the range of the
        data would reveal records.
    column : name, optional
        The column to read, if x is a table.
    by : column of labels, or its name if x is a table, optional
        Makes a histogram for each of `by_keys`. Several columns are a tuple or a list of names.
    by_keys : list of labels, optional
        The public keys of `by`; records with others are left out. For several columns a list of
        tuples, a frame, or a dict of the labels of each column: all combinations are keys.
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
    max_rows : int >= 1, optional
        Instead of `max_partitions`: the most records of one user that count, in all bins, keys or
        cells together, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    HistogramRelease
        The noisy counts, with their edges, privacy loss and intervals. It unpacks to counts and
        edges.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    A record changes one count by 1 under "add-remove", and two under "change-one".
    Rows of one user together change more, and get more noise.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data
       analysis", 2006, example 1.

    Examples
    --------
    >>> counts, edges = histogram([18, 25, 31], bins=2, range=(0, 40), epsilon=1)
    >>> counts.shape, edges
    ((2,), array([ 0., 20., 40.]))
    >>> visits = np.array(["2024-01-01T09:30", "2024-01-02T17:00"], "datetime64[s]")
    >>> histogram(visits, "1d", ("2024-01-01", "2024-01-03"), epsilon=1).edges
    array(['2024-01-01', '2024-01-02', '2024-01-03'], dtype='datetime64[D]')
    >>> histogram([1, 2, 3], 2, (0, 4), by=["a", "b", "b"], by_keys=["a", "b"], rho=1).counts.shape
    (2, 2)

    """
    made: HistogramRelease = run(HistogramQuery, locals())
    return made


def binned_rows(
    given: Given, bins: Any, range: Any, by: Any = None, by_keys: Any = None
) -> CellRows:
    """Return the columns of numbers, users and keys of a call, with bins and keys."""
    if range is not None and type(bins) is not int and np.ndim(bins) != 0:
        swapped = ": a number of bins comes before its range" if np.ndim(range) == 0 else ""
        raise ValueError(f"range must be None if bins are edges{swapped}")
    x, column, user = given["x"], given["column"], given["user"]
    found: dict[str, Any] = {"user": None, "by": None}
    if by is not None or user is not None or column is not None:
        x, found = open_columns(x, column, user=user, by=by)
    users = declare_users(found["user"])
    labels = [Labels(each, "by") for each in found["by"] or ()]
    if (by is None) != (by_keys is None):
        raise TypeError(_BOTH)
    records, grid = open_binned(x, bins, range, column=column)
    binned = BinnedColumns([records], [grid])
    if by is None:
        return CellRows([binned], users)
    return CellRows([KeyedColumns(labels, Keys(by_keys, by_names(by, column))), binned], users)
