# SPDX-License-Identifier: MIT
"""Counts in cells of several columns, as numpy counts them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Column, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.arrow import table_numbers
from cydp._columns.foreign import opened, speaks_arrow
from cydp._columns.numbers import column, masked
from cydp._columns.pandas import is_frame
from cydp._threads import threads_for
from cydp.exact._bins import Bins, bin_count, data_ends, even_bins, public_bins

__all__ = ["histogramdd"]

_MOST_CELLS = 2**30
_MOST_COLUMNS = 64  # numpy has no more dimensions
_BLOCK_ROWS = 65_536  # rows converted at a time


@explain_arguments
def histogramdd(
    columns: Sequence[Column] | NDArray[Any],
    bins: Any,
    range: Sequence[RangeLike | None] | None = None,
) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """Count rows in the cells of a grid, as `numpy.histogramdd` does. NOT private.

    Parameters
    ----------
    columns : sequence, mapping or table of D array_like, shape (n,), or ndarray, shape (n, D)
        Of real numbers. A row with a NaN or masked value, or one outside the bins, is left out.
    bins : int, or sequence of D ints or sequences of edges
        As in `histogram`, for each column.
    range : sequence of D pairs (lo, hi) or None, optional
        Ends of equal bins; default, and for None: those of the column.

    Returns
    -------
    (counts, edges) : ndarray of int64 with D dimensions, and list of D ndarrays
        numpy's, but for counts being integers. Exact comparison with the edges decides.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, columns of different lengths or more than 64, more than 2**30 cells,
        and equal bins too narrow to have distinct edges.

    Examples
    --------
    >>> counts, edges = histogramdd([[0.5, 1.5, 2], [1, 3, 3]], bins=(2, [0, 2, 4]))
    >>> counts
    array([[1, 0],
           [0, 2]])

    """
    values, keep = _split(columns)
    grids = _grids(values, keep, bins, range)
    shape = [len(grid.edges) - 1 for grid in grids]
    cells = int(np.prod(shape, dtype=object))
    if cells > _MOST_CELLS:
        raise ValueError(f"bins must give at most 2**30 cells, not {cells}")
    counts = np.zeros(cells, np.int64)
    rows = len(values[0])
    threads = threads_for(rows)
    kernels = [grid.kernel for grid in grids]
    whole = keep is None and all(map(_is_native, grids, values))
    block_rows = max(rows, 1) if whole else max(_BLOCK_ROWS, cells)
    with np.errstate(all="ignore"):  # converting a signalling NaN may warn
        for first in np.arange(0, rows, block_rows):
            block = slice(first, first + block_rows)
            chosen = slice(None) if keep is None else keep[block]
            read = [_read(grid, x[block][chosen]) for grid, x in zip(grids, values, strict=True)]
            _core.histogram(kernels, read, counts, threads)
    return counts.reshape(shape), [grid.edges for grid in grids]


def _split(columns: Any) -> tuple[list[NDArray[Any]], NDArray[np.bool] | None]:
    """Return the columns without their masks, and which rows no mask hides."""
    if is_frame(columns):
        columns = [x for _, x in columns.items()]
    elif speaks_arrow(columns := opened(columns, "columns")):
        columns = [masked(x, present) for x, present in table_numbers(columns, "columns")]
    elif isinstance(columns, np.ndarray) and columns.ndim == 2:
        columns = list(columns.T)
    elif isinstance(columns, Mapping) or hasattr(columns, "items"):
        columns = [x for _, x in columns.items()]
    if isinstance(columns, str | bytes) or not hasattr(columns, "__len__"):
        raise TypeError(
            f"columns must be a list, mapping or table of columns, not {type(columns).__name__}"
        )
    values = [column(x, "columns") for x in columns]
    if not 1 <= len(values) <= _MOST_COLUMNS:
        raise ValueError(f"columns must be 1 to {_MOST_COLUMNS} columns, not {len(values)}")
    keep = None
    for i, x in enumerate(values):
        if x.ndim != 1 or len(x) != len(values[0]):
            raise ValueError("columns must have one dimension each, and all the same length")
        if isinstance(x, np.ma.MaskedArray):
            shown = ~np.ma.getmaskarray(x)
            keep = shown if keep is None else keep & shown
            values[i] = x.data
    return values, keep


def _grids(values: list[NDArray[Any]], keep: Any, bins: Any, range: Any) -> list[Bins]:
    bins = _one_each(bins, "bins", len(values), operator.index)
    range = _one_each(range, "range", len(values), _none)
    # numpy's sample has one dtype, found from the first column on.
    common = functools.reduce(np.promote_types, [x.dtype for x in values])
    grids = []
    for x, given, ends in zip(values, bins, range, strict=True):
        count = bin_count(given)
        if count is None:
            grids.append(public_bins(given, None, x.dtype))
            continue
        if ends is not None and not isinstance(ends, Sequence | np.ndarray):
            raise _no_pairs(range)
        if ends is None:
            ends = data_ends((x if keep is None else x[keep]).astype(common), "columns")
        grids.append(even_bins(count, ends, x.dtype))
    return grids


def _one_each(given: Any, name: str, columns: int, single: Callable[[Any], Any]) -> Sequence[Any]:
    """Return what is given for each column, or one thing for all of them."""
    if isinstance(given, str | bytes):
        raise TypeError(f"{name} must be given for each column, not as text")
    try:
        length = len(given)
    except TypeError:
        return [single(given)] * columns
    if length != columns:
        raise ValueError(f"{name} must have an entry for each of {columns} columns, not {length}")
    return cast("Sequence[Any]", given)


def _none(range: Any) -> None:
    if range is not None:
        raise _no_pairs(range)


def _no_pairs(range: object) -> TypeError:
    return TypeError(
        "range must be a list of pairs (lo, hi), one for each column, or None, not "
        f"{type(range).__name__}"
    )


def _is_native(grid: Bins, x: NDArray[Any]) -> bool:
    if grid.prepare is not None or x.dtype != grid.read(x.dtype):
        return False
    return bool(x.flags.c_contiguous and x.flags.aligned)


def _read(grid: Bins, x: NDArray[Any]) -> NDArray[Any]:
    read = np.require(x, grid.read(x.dtype), ["C", "ALIGNED"])
    return read if grid.prepare is None else grid.prepare(read)
