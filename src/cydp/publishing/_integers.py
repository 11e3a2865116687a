# SPDX-License-Identifier: MIT
"""The closest non-negative integer tables with given totals. docs/publishing.md."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cydp._core import project_nonnegative

__all__ = ["MOST", "project_slices", "round_counts"]

MOST = 2**62
"""No total is larger, so that sums of cells stay in int64."""


def round_counts(estimates: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the nearest integers, within 2**62.

    >>> round_counts(np.array([1.4, -0.6, 1e300])).tolist()
    [1, -1, 4611686018427387904]
    """
    rounded: NDArray[np.int64] = np.rint(np.clip(estimates, -MOST, MOST)).astype(np.int64)
    return rounded


def project_slices(estimates: NDArray[np.float64], totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the closest non-negative integers to rounded estimates, with a total for each row.

    Parameters
    ----------
    estimates : ndarray of float64, shape (slices, cells)
    totals : ndarray of int64, shape (slices,)
        From 0 to 2**62.

    Returns
    -------
    ndarray of int64, of the shape of estimates

    Examples
    --------
    >>> project_slices(np.array([[4.2, -3, 1], [0, 0, 0]]), np.array([4, 2]))
    array([[4, 0, 0],
           [0, 1, 1]])

    """
    counts = np.ascontiguousarray(round_counts(estimates))
    out = np.empty(counts.shape, np.int64)
    words = np.zeros((len(totals), 2), np.uint64)  # low, high
    words[:, 0] = totals
    project_nonnegative(counts, words, out)
    return out
