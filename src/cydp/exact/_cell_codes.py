# SPDX-License-Identifier: MIT
"""The cell of every row, where `histogram` and `histogramdd` count only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.blocks import BLOCK_ROWS
from cydp._threads import threads_for
from cydp.exact._bins import Bins

__all__ = ["cell_codes"]


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
