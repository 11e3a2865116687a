# SPDX-License-Identifier: MIT
"""A histogram for each group of rows, in one pass."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.blocks import block_rows, paired_blocks
from cydp._threads import threads_for
from cydp.exact._bins import Bins

__all__ = ["grouped_histogram"]

_MOST_CELLS = 2**30
_CODE = np.dtype(np.int32)  # of a group; negative ones are those of uint32 above all groups


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
