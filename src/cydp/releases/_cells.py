# SPDX-License-Identifier: MIT
"""Counts of rows in public cells: bins, keys, or combinations of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.declared import Labels, Records
from cydp._columns.keys import Keys, compared_with
from cydp._columns.table import called
from cydp._columns.times import Times
from cydp._threads import threads_for
from cydp.exact._bins import Bins, kept_bins, public_bins
from cydp.exact._histogram import grouped_histogram
from cydp.exact._histogramdd import cell_codes
from cydp.exact._lookup import match_labels
from cydp.exact._time_bins import read_time_edges
from cydp.releases._rows import Codes, Key, Rows
from cydp.releases._unit import Unit

__all__ = [
    "FLOATS",
    "BinnedColumns",
    "CellAxis",
    "CellRows",
    "KeyedColumns",
    "count_codes",
    "open_binned",
    "public_edges",
]


FLOATS = np.dtype(np.float64)
"""What numbers are where there is no column that declares its type."""


def open_binned(
    x: Any, bins: Any, range: Any, name: str = "x", column: Any = None
) -> tuple[Records | Times, Bins]:
    """Return a column of numbers, or of times if bins or range are times, and its bins.

    Parameters
    ----------
    x : column
    bins, range
        As in `histogram`.
    name : str, default "x"
        What to call the column in an error.
    column : name, optional
        The name that it was chosen by.

    Raises
    ------
    TypeError, ValueError
        For a column of another type, and for bins or a range that are not allowed.

    """
    name = called(column, name)
    if (edges := read_time_edges(bins, range)) is not None:
        return edges.open(x, name)
    records = Records(x, name)
    kept = kept_bins(bins, range, records.dtype)
    return records, kept or public_bins(bins, range, records.dtype)


def public_edges(bins: Any, range: Any) -> NDArray[Any]:
    """Return the edges of bins, where no column declares its type.

    >>> public_edges("1d", ("2024-01-01", "2024-01-03"))
    array(['2024-01-01', '2024-01-02', '2024-01-03'], dtype='datetime64[D]')
    """
    edges = read_time_edges(bins, range)
    return public_bins(bins, range, FLOATS).edges if edges is None else edges.shown


class KeyedColumns:
    """Columns of labels, declared, and the public keys that they are matched with.

    Attributes
    ----------
    columns : sequence of Labels
    keys : Keys
    size : int
        The number of keys.

    Raises
    ------
    TypeError
        For a column of a type that is not the type of its keys.

    """

    __slots__ = ("columns", "keys", "size")

    def __init__(self, columns: Sequence[Labels], keys: Keys) -> None:
        self.columns, self.keys, self.size = compared_with(keys, columns), keys, len(keys)

    def read(self) -> Codes:
        """Return the place of each row's key among the keys; `size` if it is none of them."""
        return match_labels(self.columns, self.keys)


class BinnedColumns:
    """Columns of numbers or times, declared, and the public bins of each.

    Attributes
    ----------
    columns : sequence of Records or Times
    grids : sequence of Bins
        The bins of each column, made for its dtype.
    names : tuple
        The names of the columns, if they are known.
    size : int
        How many cells the bins have together.

    """

    __slots__ = ("columns", "grids", "names", "size")

    def __init__(
        self, columns: Sequence[Records | Times], grids: Sequence[Bins], names: Sequence[Any] = ()
    ) -> None:
        self.columns, self.grids, self.names = columns, grids, tuple(names)
        self.size = math.prod([grid.kernel.count for grid in grids])

    def read(self) -> Codes:
        """Return the cell of each row; `size` for a row outside the bins."""
        return cell_codes(self.grids, [each.read() for each in self.columns])


CellAxis: TypeAlias = KeyedColumns | BinnedColumns
"""An axis of counts: columns, and the public keys or bins that their rows fall into."""


class CellRows(Rows):
    """Rows with a public place on each axis: an axis has as many places as its size.

    Parameters
    ----------
    axes : sequence of KeyedColumns or BinnedColumns
        The last axis varies fastest in the counts.
    users : Labels or None

    Attributes
    ----------
    axes : sequence
        As the parameter.
    cells : int
        How many cells there are.

    Raises
    ------
    ValueError
        For columns that are known to have different lengths.

    """

    __slots__ = ("axes", "cells")

    def __init__(self, axes: Sequence[CellAxis], users: Labels | None) -> None:
        columns: list[Records | Times | Labels] = []
        self.axes, self.cells = axes, 1
        for axis in axes:
            columns += axis.columns
            self.cells *= axis.size
        super().__init__(columns, users)

    @property
    def edges(self) -> tuple[NDArray[Any], ...]:
        """The edges of the bins of the last axis."""
        *_, last = self.axes
        return tuple([grid.edges for grid in last.grids]) if isinstance(last, BinnedColumns) else ()

    def count(self, unit: Unit, key: Key) -> NDArray[np.int64]:
        """Return the exact number of rows in each cell, flat; rows beyond bounds are left out."""
        counts: NDArray[np.int64]
        (counts,) = self.add(lambda: [self._count(unit, key)])
        return counts

    def count_tables(
        self, tables: Sequence[Sequence[int]], unit: Unit, key: Key
    ) -> list[NDArray[np.int64]]:
        """Return the exact counts of tables of some of the axes, flat.

        The rows that lie in all axes, at most `max_rows` of each user, are in all tables, so that
        exact tables agree.

        Parameters
        ----------
        tables : sequence of sequences of int
            The axes of each table, by their places in `axes`; a table without axes is the number of
            rows.
        unit : Unit
        key : ndarray of uint64 or None
            As in `bound_users`.

        """
        return self.add(lambda: self._count_tables(tables, unit, key))

    def _count(self, unit: Unit, key: Key) -> NDArray[np.int64]:
        *outer, inner = self.axes
        if self.users is None and isinstance(inner, BinnedColumns) and len(inner.columns) == 1:
            # most often, and the quickest way: no array of codes is made
            (grid,), (records,) = inner.grids, inner.columns
            if not outer:
                return grid.count(self.in_sample(records.read()))
            if len(outer) == 1:
                codes, values = self.in_sample(outer[0].read()), self.in_sample(records.read())
                return grouped_histogram(grid, codes, outer[0].size, values).reshape(-1)
        codes, cells = inner.read(), inner.size
        for axis in reversed(outer):
            codes, cells = _join_codes(axis.read(), axis.size, codes, cells), axis.size * cells
        return count_codes(self.bound(codes, cells, unit, key), cells)

    def _count_tables(
        self, tables: Sequence[Sequence[int]], unit: Unit, key: Key
    ) -> list[NDArray[np.int64]]:
        places = [axis.read() for axis in self.axes]
        outside = np.zeros(len(places[0]), np.bool_)
        for codes, axis in zip(places, self.axes, strict=True):
            outside |= codes >= axis.size
        outside_code = (~self.stay(outside, unit, key, places)).astype(np.uint32)
        found = []
        for table in tables:
            joined, cells = outside_code, 1
            for i in table:
                size = self.axes[i].size
                joined = _join_codes(joined, cells, places[i], size)
                cells *= size
            found.append(count_codes(joined, cells))
        return found


def _join_codes(outer: Codes, n_outer: int, inner: Codes, n_inner: int) -> Codes:
    """Return the cell of each row: an outer place, such as a key, and one within, such as a bin.

    Parameters
    ----------
    outer, inner : ndarrays of uint32, shape (n,)
        Codes; n_outer and n_inner or more are outside.
    n_outer, n_inner : int
        Their product is below 2**32.

    Returns
    -------
    ndarray of uint32, shape (n,)
        outer * n_inner + inner; n_outer * n_inner if either is outside.

    Examples
    --------
    >>> _join_codes(np.array([0, 1, 2], np.uint32), 2, np.array([1, 0, 0], np.uint32), 3)
    array([1, 3, 6], dtype=uint32)

    """
    joined = outer * np.uint32(n_inner)  # what wraps is outside
    joined += inner
    joined[(outer >= n_outer) | (inner >= n_inner)] = n_outer * n_inner
    return joined


def count_codes(codes: Codes, n_codes: int) -> NDArray[np.int64]:
    """Return how many rows have each code from 0 to n_codes - 1."""
    counts = np.zeros(n_codes, np.int64)
    if n_codes > 0:  # there may be none if keys are selected
        _core.bincount(codes, counts, threads_for(len(codes)))
    return counts
