# SPDX-License-Identifier: MIT
"""Consistent tables that are closest to noisy ones. docs/publishing.md, "Least squares"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "agree", "intersections", "marginal"]

Columns: TypeAlias = tuple[int, ...]
"""The columns of a table, by their places in the domains, in the order of its axes."""

Floats: TypeAlias = NDArray[np.float64]

_MOST = 2**12  # sets of columns, each of which is a pass over tables


def marginal(counts: NDArray[Any], columns: Columns, kept: Columns) -> NDArray[Any]:
    """Return the sums of a table over all but some columns, whose axes come in the given order.

    >>> marginal(np.array([[1, 2, 3], [4, 5, 6]]), (0, 7), (7,)).tolist()
    [5, 7, 9]
    """
    summed = counts.sum(axis=tuple(i for i, each in enumerate(columns) if each not in kept))
    left = [each for each in columns if each in kept]
    return np.transpose(summed, [left.index(each) for each in kept])


def agree(
    noisy: Sequence[NDArray[np.int64]],
    tables: Sequence[Columns],
    variances: Sequence[float],
    total: int | None,
) -> tuple[list[Floats], float]:
    """Return real tables that agree in all shared marginals and the total, closest to noisy ones.

    Parameters
    ----------
    noisy : sequence of ndarrays
        A table of no columns is a noisy total.
    tables : sequence of Columns
        Those of each table.
    variances : sequence of float
        Of the noise in each table.
    total : int or None
        The exact total, if it is known.

    Returns
    -------
    (tables, total)
        They minimise the sum, over all tables, of squared differences over variances.

    Examples
    --------
    >>> noisy = [np.array([[4, 2], [1, 1]]), np.array([9, 3])]
    >>> made, total = agree(noisy, [(0, 1), (0,)], [1.0, 1.0], None)
    >>> made[0].sum(axis=1).round(9).tolist() == made[1].round(9).tolist()
    True

    """
    found = [np.asarray(each, np.float64) for each in noisy]
    estimate = 0.0 if total is None else float(total)
    for shared in intersections(tables):
        having = [i for i, columns in enumerate(tables) if set(shared) <= set(columns)]
        sums = [marginal(found[i], tables[i], shared) for i in having]
        if not shared and total is not None:
            wanted: Floats = np.array(float(total))
        else:
            # The noise of a marginal is that of the cells that it sums, as many as all its slices.
            weights = [1 / (found[i].size * variances[i]) for i in having]
            all_weights = math.fsum(weights)
            wanted = sum(
                (each * (weight / all_weights) for each, weight in zip(sums, weights, strict=True)),
                np.zeros(sums[0].shape),
            )
        if not shared:
            estimate = float(wanted)
        for i, each in zip(having, sums, strict=True):
            spread = (wanted - each) * (each.size / found[i].size)
            found[i] = found[i] + _along(spread, shared, tables[i])
    return found, estimate


def intersections(tables: Sequence[Columns]) -> list[Columns]:
    """Return all sets that tables share, and their own, none of them after a larger one.

    More than 2**12 are a ValueError.

    >>> intersections([(0, 1), (1, 2)])
    [(), (1,), (0, 1), (1, 2)]

    """
    closed: set[frozenset[int]] = {frozenset()}
    for columns in map(frozenset, tables):
        closed |= {columns} | {columns & each for each in closed}
        if len(closed) > _MOST:
            raise ValueError("tables must share at most 2**12 sets of columns")
    return sorted((tuple(sorted(each)) for each in closed), key=lambda each: (len(each), each))


def _along(spread: Floats, shared: Columns, columns: Columns) -> Floats:
    """Return a marginal with an axis for each column of a table, of length 1 for others."""
    ordered = np.transpose(spread, [shared.index(each) for each in columns if each in shared])
    sizes = iter(ordered.shape)
    return ordered.reshape([next(sizes) if each in shared else 1 for each in columns])
