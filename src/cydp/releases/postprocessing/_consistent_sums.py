# SPDX-License-Identifier: MIT
"""Noisy counts and sums of the same rows, fitted together. docs/releases/postprocessing.md."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_sums"]

_HALVINGS = 80
_LEAST = 1e-30  # of variances over the largest one: it may be 0 as a float

_Floats = NDArray[np.float64]


def fit_sums(
    counts: _Floats, sums: _Floats, bounds: _Floats, variances: _Floats
) -> tuple[_Floats, _Floats]:
    """Return the closest counts n and sums s of numbers of n rows within bounds.

    Closest is meant in squares of differences over the variances of the noise.

    Parameters
    ----------
    counts : ndarray, shape (keys,)
    sums : ndarray, shape (columns, keys)
    bounds : ndarray, shape (columns, 2)
        Of the number of a row: the lower one is 0 or less, the upper one 0 or more.
    variances : ndarray, shape (columns + 1,)
        Of the noise in counts, then in the sums.

    Examples
    --------
    >>> bounds, variances = np.array([[0.0, 10.0]]), np.array([1.0, 100.0])
    >>> n, s = fit_sums(np.array([-1.0, 2.0]), np.array([[7.0, 30.0]]), bounds, variances)
    >>> n.round(6).tolist(), s.round(6).tolist()
    ([0.0, 2.5], [[0.0, 25.0]])

    """
    lower, upper = bounds[:, :1], bounds[:, 1:]
    of_count, *rest = np.maximum(variances / (variances.max() or 1), _LEAST)
    of_sums = np.array(rest)[:, np.newaxis]

    def nearest(n: _Floats) -> _Floats:
        return np.clip(sums, lower * n, upper * n)

    def slope(n: _Floats) -> _Floats:
        apart = sums - nearest(n)
        pull = np.where(apart > 0, upper, lower) * apart / of_sums
        found: _Floats = (n - counts) / of_count - pull.sum(axis=0)
        return found

    with np.errstate(divide="ignore", invalid="ignore"):
        enough = np.nan_to_num(sums / np.where(sums > 0, upper, lower), posinf=0, neginf=0)
    high = np.maximum(counts, 0)
    if len(sums):
        high = np.maximum(high, enough.max(axis=0))
    low = np.zeros_like(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_low = slope(middle) < 0
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return high, nearest(high)  # what is possible is where the search begins, and stays
