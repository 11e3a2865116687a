# SPDX-License-Identifier: MIT
"""Counts in bins, as numpy counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.numbers import is_real_array
from cydp._columns.reading import read_numbers
from cydp.exact._bins import check_bins, public_bins, range_of, read_bin_count
from cydp.exact._data_bins import mark_data_bins
from cydp.exact._kept_bins import kept_bins

__all__ = ["histogram"]


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
