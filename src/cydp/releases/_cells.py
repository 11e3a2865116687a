# SPDX-License-Identifier: MIT
"""Counts of rows in public cells: bins, keys, or combinations of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.declared import Labels, Records
from cydp._columns.keys import Keys
from cydp._columns.times import Times
from cydp._threads import threads_for
from cydp.exact._cell_axes import BinnedColumns, CellAxis, KeyedColumns
from cydp.exact._histogram import grouped_histogram
from cydp.exact._lookup import count_labels, label_blocks, match_labels
from cydp.releases._rows import Codes, Key, Rows
from cydp.releases._unit import Unit

__all__ = ["CellRows", "count_codes", "count_keys"]


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
        if not outer and isinstance(inner, KeyedColumns):
            return count_keys(self, inner.columns, inner.keys, unit, key)
        if self.users is None and isinstance(inner, BinnedColumns) and len(inner.columns) == 1:
            # most often, and the quickest way: no array of codes is made
            (grid,), (records,) = inner.grids, inner.columns
            if not outer:
                return grid.count(self.in_sample(records.read()))
            if len(outer) == 1:
                blocks = self._blocks(outer[0], records)
                return grouped_histogram(grid, blocks, outer[0].size).reshape(-1)
        codes, cells = inner.read(), inner.size
        for axis in reversed(outer):
            codes, cells = _join_codes(axis.read(), axis.size, codes, cells), axis.size * cells
        return count_codes(self.bound(codes, cells, unit, key), cells)

    def _blocks(
        self, axis: CellAxis, records: Records | Times
    ) -> Iterator[tuple[Codes, NDArray[Any]]]:
        """Yield the place on an axis, and the number, of some rows in the sample, until all are."""
        if self.sample is None and isinstance(axis, KeyedColumns):
            beside = [records.read()]
            for codes, (values,) in label_blocks(axis.columns, axis.keys, beside, self.cells):
                yield codes, values
        else:
            yield self.in_sample(axis.read()), self.in_sample(records.read())

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


def count_keys(
    rows: Rows, columns: Sequence[Labels], keys: Keys, unit: Unit, key: Key
) -> NDArray[np.int64]:
    """Return how many rows of each key count, of those that are read at once."""
    if rows.users is None and rows.sample is None:
        return count_labels(columns, keys)
    return count_codes(rows.bound(match_labels(columns, keys), len(keys), unit, key), len(keys))


def count_codes(codes: Codes, n_codes: int) -> NDArray[np.int64]:
    """Return how many rows have each code from 0 to n_codes - 1."""
    counts = np.zeros(n_codes, np.int64)
    if n_codes > 0:  # there may be none if keys are selected
        _core.bincount(codes, counts, threads_for(len(codes)))
    return counts
