# SPDX-License-Identifier: MIT
"""Tables that share columns: of all tables that agree, the ones closest to noisy tables.

docs/workloads.md, "Marginals", and docs/publishing.md, "Least squares", have the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "agree", "along", "divisible", "effect_weights", "marginal", "shared_sets"]

Floats: TypeAlias = NDArray[np.float64]
Column = TypeVar("Column", str, int)
"""A column by its name, or by its place in the domains."""

_LEAST = 1e-200  # variance
_MOST = 2**12  # sets of columns that tables share: each is a pass over tables


def marginal(
    counts: NDArray[Any], columns: Sequence[Column], kept: Sequence[Column]
) -> NDArray[Any]:
    """Return the sums of a table over all but some columns; their axes come in the given order.

    >>> marginal(np.array([[1, 2, 3], [4, 5, 6]]), (0, 7), (7,)).tolist()
    [5, 7, 9]
    """
    summed = counts.sum(axis=tuple(i for i, each in enumerate(columns) if each not in kept))
    left = [each for each in columns if each in kept]
    return np.transpose(summed, [left.index(each) for each in kept])


def shared_sets(
    tables: Sequence[tuple[Column, ...]], argument: str = "tables"
) -> list[tuple[Column, ...]]:
    """Return all sets of columns that several tables share, small ones first.

    Parameters
    ----------
    tables : sequence of tuples
        The columns of each table.
    argument : str
        The name of the argument with them, for an error.

    Raises
    ------
    ValueError
        If there are more than 2**12.

    Examples
    --------
    >>> shared_sets([("a", "b"), ("b", "c"), ("a", "c")])
    [(), ('a',), ('b',), ('c',)]

    """
    given = [frozenset(columns) for columns in tables]
    found: set[frozenset[Column]] = set()
    new = {a & b for a, b in combinations(given, 2)}
    while new:
        found |= new
        if len(found) > _MOST:
            raise ValueError(
                f"{argument} must share at most 2**12 sets of columns to be made consistent"
            )
        new = {a & b for a in new for b in given} - found
    return sorted((tuple(sorted(each)) for each in found), key=lambda each: (len(each), each))


def agree(
    noisy: Sequence[NDArray[np.int64]],
    tables: Sequence[tuple[Column, ...]],
    variances: Sequence[float],
    total: int | None = None,
) -> list[Floats]:
    """Return real tables that agree in all shared marginals and the total, closest to noisy ones.

    Parameters
    ----------
    noisy : sequence of ndarrays
        A table of no columns is a noisy total.
    tables : sequence of tuples
        The columns of each table, in the order of its axes.
    variances : sequence of float
        The variance of the noise in a cell of each table.
    total : int, optional
        The exact total, if it is known.

    Returns
    -------
    list of ndarrays of float64
        They minimise the sum, over all tables, of squared differences over variances.

    Examples
    --------
    >>> noisy = [np.array([[4, 2], [1, 1]]), np.array([9, 3])]
    >>> made = agree(noisy, [(0, 1), (0,)], [1.0, 1.0])
    >>> made[0].sum(axis=1).round(9).tolist() == made[1].round(9).tolist()
    True

    """
    found = [np.asarray(each, np.float64) for each in noisy]
    trust = _precisions(variances, [each.size for each in noisy])
    shared = shared_sets(tables)
    if total is not None and () not in shared:
        shared.insert(0, ())
    for kept in shared:
        having = [i for i, columns in enumerate(tables) if set(kept) <= set(columns)]
        sums = [marginal(found[i], tables[i], kept) for i in having]
        if not kept and total is not None:
            wanted: Floats = np.array(float(total))
        else:
            all_trust = math.fsum(trust[i] for i in having)
            pairs = zip(having, sums, strict=True)
            wanted = sum(
                (each * (trust[i] / all_trust) for i, each in pairs), np.zeros(sums[0].shape)
            )
        for i, each in zip(having, sums, strict=True):
            share = each.size / found[i].size  # of the difference, for each cell that it sums
            found[i] = np.asarray(found[i] + along((wanted - each) * share, kept, tables[i]))
    return found


def effect_weights(
    tables: Sequence[tuple[Column, ...]], sizes: Mapping[Column, int], variances: Sequence[float]
) -> list[list[float]]:
    """Return how much noise of each table is in a cell of each table that `agree` makes.

    Returns
    -------
    list of list of float
        [i][j]: the sum of the squares of the coefficients of table j's noise in a cell of table i.

    """
    cells = [math.prod(sizes[each] for each in columns) for columns in tables]
    trust = _precisions(variances, cells)
    members = [frozenset(columns) for columns in tables]
    found = []
    for i, columns in enumerate(tables):
        squares = [0.0] * len(tables)
        for many in range(len(columns) + 1):
            for effect in combinations(columns, many):
                those = [j for j, columns in enumerate(members) if columns.issuperset(effect)]
                total = math.fsum(trust[j] for j in those)
                freedom = math.prod(sizes[each] - 1 for each in effect)
                for j in those:
                    squares[j] += freedom * (trust[j] / total) ** 2 * cells[j] / cells[i] ** 2
        found.append(squares)
    return found


def along(spread: Floats, shared: Sequence[Column], columns: Sequence[Column]) -> Floats:
    """Return a marginal with an axis for each column of a table, of length 1 for others.

    >>> along(np.array([[1, 2, 3]]), ("b", "a"), ("a", "c", "b")).shape
    (3, 1, 1)
    """
    ordered = np.transpose(spread, [shared.index(each) for each in columns if each in shared])
    sizes = iter(ordered.shape)
    return ordered.reshape([next(sizes) if each in shared else 1 for each in columns])


def _precisions(variances: Sequence[float], cells: Sequence[int]) -> list[float]:
    """Return 1 / variance of the noise in each table's total."""
    return [1 / (divisible(v) * n) for v, n in zip(variances, cells, strict=True)]


def divisible(variance: float) -> float:
    """Return a variance within what floats can divide by.

    >>> divisible(0.0), divisible(2.0), divisible(math.inf)
    (1e-200, 2.0, 1e+200)
    """
    return min(max(variance, _LEAST), 1 / _LEAST)
