# SPDX-License-Identifier: MIT
"""Columns of a table, declared, beside the public keys or bins that their rows fall into."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels, Records
from cydp._columns.keys import Keys, compared_with
from cydp._columns.table import called
from cydp._columns.times import Times
from cydp.exact._bins import Bins, kept_bins, public_bins
from cydp.exact._histogramdd import cell_codes
from cydp.exact._lookup import match_labels
from cydp.exact._time_bins import read_time_edges

__all__ = ["FLOATS", "BinnedColumns", "CellAxis", "KeyedColumns", "open_binned", "public_edges"]


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

    def read(self) -> NDArray[Any]:
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

    def read(self) -> NDArray[Any]:
        """Return the cell of each row; `size` for a row outside the bins."""
        return cell_codes(self.grids, [each.read() for each in self.columns])


CellAxis: TypeAlias = KeyedColumns | BinnedColumns
"""An axis of counts: columns, and the public keys or bins that their rows fall into."""
