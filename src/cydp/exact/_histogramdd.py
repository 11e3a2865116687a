# SPDX-License-Identifier: MIT
"""Counts in bins of several columns together, as numpy counts them, and the cell of each row."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Column, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.blocks import BLOCK_ROWS, block_rows
from cydp._columns.reading import read_numbers
from cydp._columns.tables import columns_of
from cydp._threads import threads_for
from cydp.exact._bins import Bins, equal_bins, mark_data_bins, public_bins, range_of, read_bin_count

__all__ = ["MOST_BINS", "bins_of_each", "cell_codes", "histogramdd", "public_grid_of"]


MOST_BINS = 2**30
_MOST_COLUMNS = 64  # numpy's arrays have no more dimensions


@explain_arguments
def histogramdd(
    columns: Sequence[Column] | NDArray[Any],
    bins: Any,
    range: Sequence[RangeLike | None] | None = None,
) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """Count rows in bins of several columns, as `numpy.histogramdd` does. NOT private.

    Parameters
    ----------
    columns : sequence, mapping or table of D array_like, shape (n,), or ndarray, shape (n, D)
        Columns of real numbers. A row is left out if any of its values is NaN, null, masked or
        outside the bins.
    bins : int, or sequence of D ints or sequences of edges
        As in `histogram`, for all columns or for each of them.
    range : sequence of D pairs (lo, hi) or None, optional
        The ends of equal bins. Default, and for None: the least and the largest value of the
        column; then `release` of a mechanism refuses the counts.

    Returns
    -------
    (counts, edges) : ndarray of int64 with D dimensions, and list of D ndarrays
        What numpy returns, except that the counts are integers. Values are compared with the edges
        exactly.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; if the columns have different lengths or are more than 64;
        if there are more than 2**30 bins, or equal bins too narrow to have distinct edges.

    Examples
    --------
    >>> counts, edges = histogramdd([[0.5, 1.5, 2], [1, 3, 3]], bins=(2, [0, 2, 4]))
    >>> counts
    array([[1, 0],
           [0, 2]])

    """
    values, present = _read_columns(columns)
    grids, from_data = _bins_of_columns(values, present, bins, range)
    shape = [len(grid.edges) - 1 for grid in grids]
    n_bins = int(np.prod(shape, dtype=object))
    if n_bins > MOST_BINS:
        raise ValueError(f"bins must give at most 2**30 bins together, not {n_bins}")
    counts = np.zeros(n_bins, np.int64)
    n = len(values[0])
    threads = threads_for(n)
    kernels = [grid.kernel for grid in grids]
    in_one_block = present is None and all(map(Bins.reads, grids, values))
    step = max(n, 1) if in_one_block else block_rows(n_bins)
    with np.errstate(all="ignore"):  # converting a signalling NaN may warn
        for first in np.arange(0, n, step):
            block = slice(first, first + step)
            rows = slice(None) if present is None else present[block]
            parts = [grid.convert(x[block][rows]) for grid, x in zip(grids, values, strict=True)]
            _core.histogram(kernels, parts, counts, threads)
    counts = counts.reshape(shape)
    return mark_data_bins(counts) if from_data else counts, [grid.edges for grid in grids]


def _read_columns(columns: Any) -> tuple[list[NDArray[Any]], NDArray[np.bool] | None]:
    """Return the columns without their masks, and which rows have no masked value."""
    values = [read_numbers(x, "columns") for x in columns_of(columns, "columns")]
    if not 1 <= len(values) <= _MOST_COLUMNS:
        raise ValueError(f"columns must be 1 to {_MOST_COLUMNS} columns, not {len(values)}")
    present = None
    for i, x in enumerate(values):
        if x.ndim != 1 or len(x) != len(values[0]):
            raise ValueError("columns must have one dimension each, and all the same length")
        if isinstance(x, np.ma.MaskedArray):
            unmasked = ~np.ma.getmaskarray(x)
            present = unmasked if present is None else present & unmasked
            values[i] = x.data
    return values, present


def _bins_of_columns(
    values: list[NDArray[Any]], present: Any, bins: Any, range: Any
) -> tuple[list[Bins], bool]:
    """Return bins for each column, and whether the range of any came from the data."""
    bins = _read_each(bins, "bins", len(values), operator.index)
    range = _read_each(range, "range", len(values), _check_none)
    # numpy converts all columns to one dtype: it promotes them in order, from the first one on.
    common = functools.reduce(np.promote_types, [x.dtype for x in values])
    grids, from_data = [], False
    for x, given, ends in zip(values, bins, range, strict=True):
        count = read_bin_count(given)
        if count is None:
            grids.append(public_bins(given, None, x.dtype))
            continue
        if ends is not None and not isinstance(ends, Sequence | np.ndarray):
            raise _range_error(range)
        if ends is None:
            rows = x if present is None else x[present]
            ends = range_of(rows.astype(common), "columns")
            from_data = True
        grids.append(equal_bins(count, ends, x.dtype))
    return grids, from_data


def bins_of_each(bins: Any, range: Any, columns: int) -> list[tuple[Any, Any]]:
    """Return the bins and the range of each column, as they were given.

    Raises
    ------
    TypeError, ValueError
        For another number of them, and for text in place of them.

    Examples
    --------
    >>> bins_of_each((4, [0, 1]), [(0, 1), None], 2), bins_of_each(4, None, 1)
    ([(4, (0, 1)), ([0, 1], None)], [(4, None)])

    """
    each = _read_each(bins, "bins", columns, operator.index)
    ends = _read_each(range, "range", columns, _check_none)
    return list(zip(each, ends, strict=True))


def public_grid_of(bins: Any, range: Any, dtype: np.dtype[Any]) -> Bins:
    """Return bins for a column of several, of this dtype, from public parameters alone.

    Raises
    ------
    TypeError, ValueError
        For bins or a range that is not allowed, and for a number of bins without a range.

    Examples
    --------
    >>> public_grid_of(4, (0, 1), np.dtype(float)).edges
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])

    """
    count = read_bin_count(bins)
    if count is None:
        return public_bins(bins, None, dtype)
    if range is None:
        raise ValueError(
            "range must be given for each column whose bins are a number: its own range would "
            "reveal records"
        )
    return equal_bins(count, range, dtype)


def _read_each(given: Any, name: str, columns: int, single: Callable[[Any], Any]) -> Sequence[Any]:
    """Return a parameter for each column: the given ones, or a single one for all of them."""
    if isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be a list, in the order of columns, not a {type(given).__name__}"
        )
    if isinstance(given, str | bytes | timedelta | np.timedelta64):
        raise TypeError(f"{name} must be given for each column, in a list, not as text or a width")
    try:
        length = len(given)
    except TypeError:
        return [single(given)] * columns
    if name == "range" and any(isinstance(each, int | float) for each in given):
        raise _range_error(given)
    if length != columns:
        raise ValueError(f"{name} must have an entry for each of {columns} columns, not {length}")
    return cast("Sequence[Any]", given)


def _check_none(range: Any) -> None:
    if range is not None:
        raise _range_error(range)


def _range_error(range: object) -> TypeError:
    return TypeError(
        "range must be a list of pairs (lo, hi), one for each column, or None, not "
        f"{type(range).__name__}"
    )


def cell_codes(grids: Sequence[Bins], columns: Sequence[NDArray[Any]]) -> NDArray[np.uint32]:
    """Return the cell of every row: the place in the flat counts that it is counted at.

    Parameters
    ----------
    grids : sequence of Bins
        Bins for each column, of its dtype. They have at most 2**30 cells together.
    columns : sequence of ndarrays of one shape
        Columns as `read_numbers` returns them, masked or not, of any layout and byte order.

    Returns
    -------
    ndarray of uint32, of the shape of the columns
        The bin for one column; the cells of the last column are next to each other for several.
        The number of cells for a row with a value that is masked, NaN or outside the bins.

    Raises
    ------
    ValueError
        If there are more than 2**30 cells, or if the columns have different shapes.

    Examples
    --------
    >>> from cydp.exact._bins import public_bins
    >>> x = np.array([0.5, 9, np.nan, 2])
    >>> cell_codes([public_bins(2, (0, 2), x.dtype)], [x])
    array([0, 2, 2, 1], dtype=uint32)

    """
    if len({x.shape for x in columns}) != 1:
        raise ValueError("columns must be of one shape")
    outside = math.prod(grid.kernel.count for grid in grids)
    codes = np.empty(columns[0].shape, np.uint32)
    flat = codes.reshape(-1)
    kernels = [grid.kernel for grid in grids]
    values = [np.ma.getdata(x).reshape(-1) for x in columns]
    native = all(map(Bins.reads, grids, values))
    rows = max(flat.size, 1) if native else BLOCK_ROWS
    threads = threads_for(flat.size)
    with np.errstate(all="ignore"):  # converting a signalling NaN may warn
        for first in range(0, flat.size, rows):
            block = slice(first, first + rows)
            parts = [grid.convert(x[block]) for grid, x in zip(grids, values, strict=True)]
            _core.histogram_codes(kernels, parts, flat[block], threads)
    for x in columns:
        if isinstance(x, np.ma.MaskedArray) and x.mask is not np.ma.nomask:
            np.putmask(codes, x.mask, outside)
    return codes
