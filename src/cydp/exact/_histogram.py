# SPDX-License-Identifier: MIT
"""Counts in bins, as numpy counts them; in bins of each group of rows; and of integers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import BinsLike, Column, Integer, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.blocks import block_rows, blocks, is_for_kernel, paired_blocks
from cydp._columns.numbers import is_real_array
from cydp._columns.reading import read_integers, read_numbers
from cydp._outputs import read_length
from cydp._threads import threads_for
from cydp.exact._bins import (
    Bins,
    check_bins,
    kept_bins,
    mark_data_bins,
    public_bins,
    range_of,
    read_bin_count,
)
from cydp.exact._time_bins import read_time_edges

__all__ = ["bincount", "grouped_histogram", "histogram"]


@explain_arguments
def histogram(
    x: Column, bins: BinsLike, range: RangeLike | None = None
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Count values in bins, as `numpy.histogram` does. NOT private.

    Parameters
    ----------
    x : array_like of real numbers, any shape, or of dates or times, shape (n,)
        NaN, null and masked entries, and values outside the bins, are left out. A list is read in
        the dtype that numpy infers from its entries, an array or a column in its own dtype.
    bins : int, sequence of edges, or a width of time
        A number of equal bins, or edges that never decrease. The last bin includes its right edge.
        Of dates or times: edges that are such, or a width over `range`, such as "15m", "6h", "1d",
        "1w", "1mo" or "1y", or a timedelta; then no bin includes its right edge.
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
    if (edges := read_time_edges(bins, range)) is not None:
        column, grid = edges.open(x)
        return grid.count(column.read()), grid.edges
    check_bins(bins, range)
    values = read_numbers(x)
    if range is None and read_bin_count(bins) is not None:
        grid = public_bins(bins, range_of(values, "x"), values.dtype)
        return mark_data_bins(grid.count(values)), grid.edges
    grid = public_bins(bins, range, values.dtype)
    return grid.count(values), grid.edges


_MOST_CELLS = 2**30
_CODE = np.dtype(np.uint32)


def grouped_histogram(
    grid: Bins, blocks: Iterable[tuple[NDArray[np.uint32], NDArray[Any]]], n_groups: int
) -> NDArray[np.int64]:
    """Count the values of each group in bins.

    Parameters
    ----------
    grid : Bins
        Bins of the dtype of x.
    blocks : iterable of (ndarray of uint32, ndarray), each of shape (m,)
        The group of each of some rows, and their values, of a column as `read_numbers` returns it.
        Rows with a code of n_groups or more are left out, and so are masked entries, NaN, and
        values outside the bins.
    n_groups : int >= 0
        The number of groups.

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
    >>> codes = np.array([1, 1, 0, 0], np.uint32)
    >>> grouped_histogram(public_bins(2, (0, 2), x.dtype), [(codes, x)], 2)
    array([[0, 1],
           [1, 1]])

    """
    cells = n_groups * grid.kernel.count
    if cells > _MOST_CELLS:
        raise ValueError(f"groups and bins must give at most 2**30 counts, not {cells}")
    counts, kernels = np.zeros(cells, np.int64), [_core.Bins(max(n_groups, 1)), grid.kernel]
    for columns in blocks:
        codes, x = columns
        if codes.shape != x.shape:
            raise ValueError("codes and x must be of one shape")
        dtypes, threads = (_CODE, grid.dtype_for(x.dtype)), threads_for(x.size)
        with np.errstate(all="ignore"):  # converting a signalling NaN may warn
            for group, values in paired_blocks(columns, dtypes, block_rows(cells)):
                prepared = values if grid.prepare is None else grid.prepare(values)
                if n_groups > 0:
                    _core.histogram(kernels, [group, prepared], counts, threads)
    return counts.reshape(n_groups, grid.kernel.count)


_SAMPLE = 4096  # codes: the number of counts is guessed from them
_FEW = 4096  # codes, or counts
_KERNELS = frozenset(map(np.dtype, "?bBhHiIlLqQ"))
_MOST_COUNTS = 2**32 - 3  # numpy counts where there are more
_ADDRESSABLE = 2**59  # counts, more than any memory holds


@explain_arguments
def bincount(codes: Column, minlength: Integer = 0) -> NDArray[np.int64]:
    """Count how often each code occurs, as `numpy.bincount` does. NOT private.

    Parameters
    ----------
    codes : array_like of integers or bool, shape (n,)
        Codes must not be negative. Masked and null entries are left out.
    minlength : int, default 0
        The least length of the result. If it is 0, the data determine the length, and `release` of
        a mechanism refuses the counts. A code of `minlength` or more still adds to the length:
        before a release, cut the counts off by [:minlength].

    Returns
    -------
    ndarray of int64, shape (max(largest code + 1, minlength),)

    Raises
    ------
    TypeError, ValueError
        If codes are not integers, are negative, or have not one dimension; if minlength is not
        allowed.

    Examples
    --------
    >>> bincount([0, 3, 1, 3], minlength=5)
    array([1, 1, 0, 2, 0])

    """
    least = read_length(minlength, "minlength")
    counts = _count_codes(read_integers(codes), least)
    return counts if least else mark_data_bins(counts)


def _count_codes(values: NDArray[Any], least: int) -> NDArray[np.int64]:
    is_plain = type(values) is np.ndarray
    if values.size == 0 or (not is_plain and np.ma.getmaskarray(values).all()):
        return np.zeros(least, np.int64)
    try:
        if is_plain and values.size <= _FEW and least <= _FEW:
            counts = _count_few(values, least)
            if counts is not None:
                return counts
        return _bincount(values, max(least, _guess_length(values), 1), least)
    except MemoryError:  # numpy's message would show the largest code
        raise MemoryError(
            "no memory for a count of each code up to the largest: codes must be smaller"
        ) from None


def _count_few(values: NDArray[Any], least: int) -> NDArray[np.int64] | None:
    """Count few codes without a guess of the largest; None if a kernel does not do it at once."""
    if values.dtype not in _KERNELS or not is_for_kernel(values, values.dtype):
        return None
    length = least or _FEW
    counts = np.zeros(length, np.int64)
    largest = _core.bincount(values, counts, 1)
    if largest >= length:
        return None
    if largest >= least:
        counts.resize(largest + 1, refcheck=False)
    return counts


def _bincount(values: NDArray[Any], length: int, least: int) -> NDArray[np.int64]:
    for _ in range(2):  # a third is needed only if another thread writes to the codes
        if length > _MOST_COUNTS:
            if isinstance(values, np.ma.MaskedArray):
                values = values.compressed()
            _check_signs(int(values.min()), int(values.max()))
            if (
                int(values.max()) >= _ADDRESSABLE
            ):  # numpy's index would overflow, and it would write anywhere
                raise MemoryError
            return np.bincount(values.astype(np.int64), minlength=least)
        counts = np.zeros(length, np.int64)
        largest = _count(values, counts)
        _check_signs(0, largest)
        if largest < length:
            break
        length = largest + 1
    counts.resize(max(least, min(length, largest + 1)), refcheck=False)
    return counts


def _check_signs(smallest: int, largest: int) -> None:
    if smallest < 0 or largest >= 2**63:
        raise ValueError("codes must be from 0 to 2**63 - 1")


def _guess_length(values: NDArray[Any]) -> int:
    """Return the number of counts for the codes: for many, guessed from a sample, and some more."""
    step = max(1, len(values) // _SAMPLE)
    sample = values[::step]
    if isinstance(sample, np.ma.MaskedArray):
        sample = sample.compressed()
    needed = max(0, int(sample.max(initial=0)) + 1)
    return needed if step == 1 else needed + needed // 32 + 64


def _count(values: NDArray[Any], counts: NDArray[np.int64]) -> int:
    """Add to counts; return the largest code, or more than 2**63 if any code is negative."""
    threads = threads_for(len(values))
    largest = 0
    for rows in blocks(values, values.dtype.newbyteorder("="), block_rows(len(counts))):
        largest = max(largest, _core.bincount(rows, counts, threads))
    return largest
