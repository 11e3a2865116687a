# SPDX-License-Identifier: MIT
"""Counts in bins, as numpy counts them; and in bins of each group of rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import BinsLike, Column, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.blocks import block_rows, paired_blocks
from cydp._columns.numbers import is_real_array
from cydp._columns.reading import read_numbers
from cydp._threads import threads_for
from cydp.exact._bins import Bins, check_bins, kept_bins, public_bins, range_of, read_bin_count
from cydp.exact._data_bins import mark_data_bins

__all__ = ["grouped_histogram", "histogram"]


@explain_arguments
def histogram(
    x: Column, bins: BinsLike, range: RangeLike | None = None
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Count values in bins, as `numpy.histogram` does. NOT private.

    Parameters
    ----------
    x : array_like of real numbers, any shape
        NaN, null and masked entries, and values outside the bins, are left out. A list is read in
        the dtype that numpy infers from its entries, an array or a column in its own dtype.
    bins : int or sequence of edges
        A number of equal bins, or edges that never decrease. The last bin includes its right edge.
    range : (lo, hi), optional
        The ends of the equal bins. Default: the least and the largest value of the data; then
        `release` of a mechanism refuses the counts. It is ignored if `bins` are edges.

    Returns
    -------
    (counts, edges) : ndarray of int64, shape (bins,), and ndarray, shape (bins + 1,)
        What numpy returns. Values are compared with the edges exactly; numpy counts differently
        only where a bin is a few roundings wide.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; without `range`, also if the data is not finite.

    Examples
    --------
    >>> histogram([0.5, 1.5, 2, 4], bins=2, range=(0, 2))
    (array([1, 2]), array([0., 1., 2.]))

    """
    if is_real_array(x):
        kept = kept_bins(bins, range, x.dtype)
        if kept is not None:
            return kept.count(x), kept.edges.copy()
    check_bins(bins, range)
    values = read_numbers(x)
    if range is None and read_bin_count(bins) is not None:
        grid = public_bins(bins, range_of(values, "x"), values.dtype)
        return mark_data_bins(grid.count(values)), grid.edges
    grid = public_bins(bins, range, values.dtype)
    return grid.count(values), grid.edges


_MOST_CELLS = 2**30
_CODE = np.dtype(np.int32)  # of a group; negative ones are codes of uint32 above all groups


def grouped_histogram(
    grid: Bins, codes: NDArray[np.uint32], n_groups: int, x: NDArray[Any]
) -> NDArray[np.int64]:
    """Count the values of each group in bins.

    Parameters
    ----------
    grid : Bins
        Bins of the dtype of x.
    codes : ndarray of uint32, shape (n,)
        The group of each row. Rows with a code of n_groups or more are left out.
    n_groups : int >= 0
        The number of groups.
    x : ndarray, shape (n,)
        A column as `read_numbers` returns it. Masked entries, NaN, and values outside the bins are
        left out.

    Returns
    -------
    ndarray of int64, shape (n_groups, bins)

    Raises
    ------
    ValueError
        If there are more than 2**30 counts, or if the columns have different shapes.

    Examples
    --------
    >>> from cydp.exact._bins import public_bins
    >>> x = np.array([0.5, 2, 1.5, 9])
    >>> grouped_histogram(public_bins(2, (0, 2), x.dtype), np.array([1, 1, 0, 0], np.uint32), 2, x)
    array([[0, 1],
           [1, 1]])

    """
    cells = n_groups * grid.kernel.count
    if cells > _MOST_CELLS:
        raise ValueError(f"groups and bins must give at most 2**30 counts, not {cells}")
    if codes.shape != x.shape:
        raise ValueError("codes and x must be of one shape")
    counts = np.zeros(cells, np.int64)
    if n_groups > 0:
        kernels = [_bins_of_codes(n_groups), grid.kernel]
        columns, dtypes = (codes.view(_CODE), x), (_CODE, grid.dtype_for(x.dtype))
        threads = threads_for(x.size)
        with np.errstate(all="ignore"):  # converting a signalling NaN may warn
            for group, rows in paired_blocks(columns, dtypes, block_rows(cells)):
                prepared = rows if grid.prepare is None else grid.prepare(rows)
                _core.histogram(kernels, [group, prepared], counts, threads)
    return counts.reshape(n_groups, grid.kernel.count)


@lru_cache(16)
def _bins_of_codes(n_groups: int) -> _core.Bins:
    """Return a bin for each code. Its edges are halves: the last bin's edge is in the bin."""
    return _core.Bins(np.arange(-0.5, n_groups, dtype=np.float64))
