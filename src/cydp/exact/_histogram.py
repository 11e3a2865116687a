# SPDX-License-Identifier: MIT
"""Counts in bins, as numpy counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.numbers import column
from cydp.exact._bins import bin_count, check_bins, data_ends, public_bins

__all__ = ["histogram"]


@explain_arguments
def histogram(
    x: Column, bins: BinsLike, range: RangeLike | None = None
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Count values in bins, as `numpy.histogram` does. NOT private.

    Parameters
    ----------
    x : array_like of real numbers, any shape
        NaN, masked values and what lies outside the bins are left out. A list has the dtype
        that numpy infers from its entries; an array or column has its own.
    bins : int or sequence of edges
        A number of equal bins, or edges that never decrease. The last bin is closed.
    range : (lo, hi), optional
        Ends of the equal bins; default: those of the data. Ignored if `bins` are edges.

    Returns
    -------
    (counts, edges) : ndarray of int64, shape (bins,), and ndarray, shape (bins + 1,)
        Those of numpy. Exact comparison with the edges decides; numpy's differs from it only
        where bins are a few roundings wide.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter; without `range`, for data that is not finite too.

    Examples
    --------
    >>> histogram([0.5, 1.5, 2, 4], bins=2, range=(0, 2))
    (array([1, 2]), array([0., 1., 2.]))

    """
    check_bins(bins, range)
    values = column(x)
    if range is None and bin_count(bins) is not None:
        range = data_ends(values, "x")
    grid = public_bins(bins, range, values.dtype)
    return grid.count(values), grid.edges
