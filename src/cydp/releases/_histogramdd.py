# SPDX-License-Identifier: MIT
"""The private histogram of several columns together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Integer, Number, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Records
from cydp._columns.pieces import add_pieces
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp.exact._bins import Bins
from cydp.exact._cell_codes import cell_codes
from cydp.exact._contributions import sample_key
from cydp.exact._histogramdd import MOST_BINS, public_grids
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._histogram import HistogramQuery, histogram_query
from cydp.releases._histogram_release import HistogramRelease
from cydp.releases._partitions import bound_rows, count_codes
from cydp.releases._rows import declare_users, known_names
from cydp.releases._run import run
from cydp.releases._unit import UnitName, user_key

__all__ = ["histogramdd"]


@explain_arguments
def histogramdd(
    table: Any,
    bins: Integer | Sequence[BinsLike],
    range: Sequence[RangeLike | None] | None = None,
    *,
    columns: Sequence[Any] | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> HistogramRelease:
    """Count records in cells, a bin of each of several columns, and add exact noise.

    Parameters
    ----------
    table : frame, dict of columns, 2-D array of shape (n, columns), or list of columns
        Columns of real numbers. Records with a missing number, or one outside of the bins, are left
        out.
    bins : int, or sequence with a number of bins or edges for each column
        As in `histogram`.
    range : sequence of (float, float) for each column
        The ends of equal bins; None for a column whose edges are given.
    columns : sequence of names, optional
        The columns of the table to count in, in this order. Default: all, without `user`.
    epsilon, rho, delta, relation, user, unit, max_partitions, max_rows_per_partition
        As in `histogram`. A partition is a cell.
    max_rows_per_unit, budget, rng
        As in `histogram`.

    Returns
    -------
    HistogramRelease
        `counts` has a dimension for each column, and `edges` are a tuple of arrays.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

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
    rows = _Rows(table, bins, range, columns, user)
    query = histogram_query(
        rows.cells, epsilon, rho, delta, relation, user_key(user), unit, max_partitions,
        max_rows_per_partition, max_rows_per_unit,
    )  # fmt: skip
    edges = tuple(grid.edges for grid in rows.grids)
    counts, payment = run(
        query, partial(_draw, query, rows), budget, rng,
        arguments=lambda: {str(i): each for i, each in enumerate(edges)},
        columns=[*(columns or ()), user], nbytes=8 * rows.cells,
    )  # fmt: skip
    shape = [len(each) - 1 for each in edges]
    return HistogramRelease(
        query=query, counts=counts.reshape(shape), axes=edges, names=rows.names, payment=payment
    )


class _Rows:
    """The columns of a histogram, declared, and the bins of each."""

    __slots__ = ("_records", "_users", "cells", "grids", "names")

    def __init__(self, table: Any, bins: Any, range: Any, columns: Any, user: Any) -> None:
        if isinstance(table, list | tuple):
            table = dict(enumerate(table))
        opened = open_table(table)
        self._users = declare_users(None if user is None else [opened.column(user, "user")])
        names = (
            [name for name in opened.names if name is not user and name != user]
            if columns is None
            else list(columns)
        )
        self.names = known_names(names)
        self._records = [Records(opened.column(name, "columns"), "columns") for name in names]
        dtypes = [records.dtype for records in self._records]
        self.grids: list[Bins] = public_grids(bins, range, dtypes)
        shape = [len(grid.edges) - 1 for grid in self.grids]
        self.cells = int(np.prod(shape, dtype=object))
        if self.cells > MOST_BINS:
            raise ValueError(f"bins must give at most 2**30 bins together, not {self.cells}")

    def count(self, query: HistogramQuery, generator: Generator) -> NDArray[np.int64]:
        """Return the exact counts of the rows that count."""
        key = sample_key(self._users, generator)
        counts: NDArray[np.int64]
        (counts,) = add_pieces(
            lambda: [self._count(query, generator, key)], self._records, self._users
        )
        return counts

    def _count(
        self, query: HistogramQuery, generator: Generator, key: NDArray[np.uint64] | None
    ) -> NDArray[np.int64]:
        codes = cell_codes(self.grids, [records.read() for records in self._records])
        if self._users is not None:
            codes = bound_rows(codes, self.cells, query.unit, self._users, generator, key=key)
        return count_codes(codes, self.cells)


def _draw(query: HistogramQuery, rows: _Rows, generator: Generator) -> NDArray[np.int64]:
    """Return the noisy counts; the data is read here."""
    return query.parts["counts"].noise.release(rows.count(query, generator), rng=generator)
