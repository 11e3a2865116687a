# SPDX-License-Identifier: MIT
"""The private histogram of several columns together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Integer, Number, RangeLike
from cydp._columns.canonical import digest_argument
from cydp._columns.declared import Records
from cydp._columns.table import called, is_column
from cydp._columns.tables import open_table
from cydp._columns.times import Times
from cydp._generator import Generator
from cydp.accounting.ledger._paid import Payment
from cydp.exact._bins import Bins
from cydp.exact._cell_axes import FLOATS, BinnedColumns
from cydp.exact._histogramdd import MOST_BINS, bins_of_each, public_grid_of
from cydp.exact._time_bins import read_time_edges
from cydp.mechanisms._run import Budget
from cydp.releases._cells import CellRows
from cydp.releases._histogram import HistogramQuery
from cydp.releases._histogram_release import HistogramRelease
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import known_names, names_of
from cydp.releases._release import recorded
from cydp.releases._rows import users_of
from cydp.releases._run import release, run
from cydp.releases._unit import UnitName

__all__ = ["histogramdd"]


@recorded
@dataclass(frozen=True, repr=False)
class CellsQuery(HistogramQuery):
    """Counts in the cells of several columns."""

    data: ClassVar[str] = "table"
    column_arguments: ClassVar[tuple[str, ...]] = ("user",)

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        bins, columns = given["bins"], given["columns"]
        names = {
            **names_of(given, "user"),
            "columns": None if columns is None else _names(_listed(columns)),
        }
        if source is not None:
            (binned,) = source.axes
            assert isinstance(binned, BinnedColumns)
            names["names"] = _names(binned.names)
            return cls.kept(given, source.cells).reading(columns=names, edges=source.edges)
        is_each = isinstance(bins, list | tuple) or np.ndim(bins)
        each = bins if is_each or not given["range"] else given["range"]
        if not isinstance(each, Sequence | np.ndarray):
            raise TypeError("bins must be given for each column, or range")
        edges = [_edges_of(*pair) for pair in bins_of_each(bins, given["range"], len(each))]
        return cls.kept(given, _count_cells(edges)).reading(columns=names)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers and users, and the bins."""
        table, columns, user = itemgetter("table", "columns", "user")(given)
        opened = open_table(dict(enumerate(table)) if isinstance(table, list | tuple) else table)
        users = users_of(opened, user)
        if columns is None and opened.first_line is not None:  # which is released as names
            raise ValueError("columns must be given for CSV, whose first line may be a record")
        names = (
            _listed(columns)
            if columns is not None
            else [name for name in opened.names if name is not user and name != user]
        )
        found = [opened.column(name, "columns", is_named=True) for name in names]
        try:
            each = bins_of_each(given["bins"], given["range"], len(names))
        except ValueError as error:
            if columns is not None:
                raise
            raise ValueError(f"{error}: choose columns by columns=[...]") from None
        pairs = [
            _open(x, called(name, "columns"), *pair)
            for x, name, pair in zip(found, names, each, strict=True)
        ]
        records, grids = [column for column, _ in pairs], [grid for _, grid in pairs]
        if (cells := _count_cells([grid.edges for grid in grids])) > MOST_BINS:
            raise ValueError(f"bins must give at most 2**30 bins together, not {cells}")
        return CellRows([BinnedColumns(records, grids, names)], users)

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> HistogramRelease:
        """Return the release."""
        edges = self.reads.edges
        return HistogramRelease(
            query=self,
            counts=drawn.reshape([len(each) - 1 for each in edges]),
            axes=edges,
            names=known_names(self.reads.columns["names"]),
            payment=payment,
        )

    def arguments_before(self) -> Any:
        """Return what a ledger compared of a call before it compared queries."""
        columns = self.reads.columns
        named = known_names([*(columns["columns"] or ()), columns["user"]])
        other = {str(i): each for i, each in enumerate(self.reads.edges)}
        return digest_argument({"columns": list(named), "other": other})


@release(CellsQuery)
def histogramdd(
    table: Any,
    bins: Integer | Sequence[BinsLike],
    range: Sequence[RangeLike | None] | None = None,
    *,
    columns: Sequence[Any] | None = None,
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
    """Count records in cells, a bin of each of several columns, and add exact noise.

    Parameters
    ----------
    table : frame, path, dict of columns, 2-D array of shape (n, columns), or list of columns
        Columns of real numbers, dates or times. A table is one of those that `group_by` takes.
    bins : int, or sequence with a number of bins, edges, or a width of time for each column
        Numbers of equal bins over `range`, or edges that never decrease. The last bin of a column
        includes its right edge. Records with a missing number, or one in no bin, are left out.
        A column of dates or times has edges that are such, or a width such as "1d" over its range.
    range : sequence of (float, float), or of two dates or times, for each column, optional
        The ends of the bins of each column; None for a column with given edges.
    columns : sequence of names, optional
        The columns of the table to count in, in this order. Default: all, without `user`.
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
        `counts` has a dimension for each column, and `edges` are a tuple of arrays.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data
       analysis", 2006, example 1.

    Examples
    --------
    >>> people = {"age": [18, 44, 71], "sex": [0, 1, 1]}
    >>> release = histogramdd(people, (4, 2), [(0, 100), (0, 2)], epsilon=1)
    >>> release.counts.shape, len(release.edges)
    ((4, 2), 2)

    """
    made: HistogramRelease = run(CellsQuery, locals())
    return made


def _open(x: Any, name: str, bins: Any, range: Any) -> tuple[Records | Times, Bins]:
    """Return a column of numbers or times, and its bins."""
    if (edges := read_time_edges(bins, range)) is not None:
        return edges.open(x, name)
    records = Records(x, name)
    return records, public_grid_of(bins, range, records.dtype)


def _edges_of(bins: Any, range: Any) -> NDArray[Any]:
    """Return the edges of bins, where no column declares its type."""
    edges = read_time_edges(bins, range)
    return public_grid_of(bins, range, FLOATS).edges if edges is None else edges.shown


def _count_cells(edges: Sequence[NDArray[Any]]) -> int:
    return int(np.prod([len(each) - 1 for each in edges], dtype=object))


def _listed(columns: Any) -> list[Any]:
    """Return names of columns in a list; a TypeError for a single one."""
    if isinstance(columns, str | bytes) or not isinstance(columns, Iterable):
        given = "text" if isinstance(columns, str) else type(columns).__name__
        raise TypeError(f"columns must be a list of names, not {given}")
    return list(columns)


def _names(columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return names of columns, "" for a column without one; the table must have the names."""
    return tuple("" if is_column(each) else each for each in columns)
