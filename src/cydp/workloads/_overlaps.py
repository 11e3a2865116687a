# SPDX-License-Identifier: MIT
"""Tables that share columns: what they say of shared columns, made equal.

docs/workloads.md, "Marginals", has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "effect_weights", "make_consistent", "shared_sets"]

_Floats = NDArray[np.float64]
Columns = tuple[str, ...]
_LEAST = 1e-200  # variance
_MOST = 2**12  # sets of columns that tables share


def shared_sets(sets: Sequence[Columns]) -> list[Columns]:
    """Return all sets of columns that several tables share, small ones first.

    Raises
    ------
    ValueError
        If there are more than 2**12.

    Examples
    --------
    >>> shared_sets([("a", "b"), ("b", "c"), ("a", "c")])
    [(), ('a',), ('b',), ('c',)]

    """
    given = [frozenset(columns) for columns in sets]
    found: set[frozenset[str]] = set()
    new = {a & b for a, b in combinations(given, 2)}
    while new:
        found |= new
        if len(found) > _MOST:
            raise ValueError("sets must share at most 2**12 sets of columns to be made consistent")
        new = {a & b for a in new for b in given} - found
    return sorted((tuple(sorted(each)) for each in found), key=lambda each: (len(each), each))


def make_consistent(
    tables: Sequence[NDArray[np.int64]], sets: Sequence[Columns], variances: Sequence[float]
) -> list[_Floats]:
    """Return the closest tables that agree on the columns that they share.

    They are the least squares, weighted by the variances of the noise of a cell of each table.
    """
    found = [table.astype(np.float64) for table in tables]
    trust = _precisions(variances, [table.size for table in tables])
    for shared in shared_sets(sets):
        those = [i for i, columns in enumerate(sets) if set(shared) <= set(columns)]
        sums = [_project(found[i], sets[i], shared) for i in those]
        total = math.fsum(trust[i] for i in those)
        mean = sum(each * (trust[i] / total) for i, each in zip(those, sums, strict=True))
        for i, each in zip(those, sums, strict=True):
            shape = [n if c in shared else 1 for c, n in zip(sets[i], found[i].shape, strict=True)]
            order = [shared.index(c) for c in sets[i] if c in shared]
            share = each.size / found[i].size  # of the difference, for each cell that it sums
            found[i] += ((mean - each) * share).transpose(order).reshape(shape)
    return found


def _project(table: _Floats, columns: Columns, onto: Columns) -> _Floats:
    kept = [c for c in columns if c in onto]
    sums = table.sum(axis=tuple(i for i, c in enumerate(columns) if c not in onto))
    return np.asarray(sums).transpose([kept.index(c) for c in onto])


def effect_weights(
    sets: Sequence[Columns], sizes: Mapping[str, int], variances: Sequence[float]
) -> list[list[float]]:
    """Return, for a cell of each consistent table, the squares that it has of each table's noise.

    Returns
    -------
    list of list of float
        [i][j]: the sum of the squares of the coefficients of table j's noise in a cell of table i.

    """
    cells = [math.prod(sizes[c] for c in columns) for columns in sets]
    trust = _precisions(variances, cells)
    members = [frozenset(columns) for columns in sets]
    found = []
    for i, columns in enumerate(sets):
        squares = [0.0] * len(sets)
        for many in range(len(columns) + 1):
            for effect in combinations(columns, many):
                those = [j for j, columns in enumerate(members) if columns.issuperset(effect)]
                total = math.fsum(trust[j] for j in those)
                freedom = math.prod(sizes[c] - 1 for c in effect)
                for j in those:
                    squares[j] += freedom * (trust[j] / total) ** 2 * cells[j] / cells[i] ** 2
        found.append(squares)
    return found


def _precisions(variances: Sequence[float], cells: Sequence[int]) -> list[float]:
    """Return 1 / variance of each table's total; noise that is next to none has a variance of 0."""
    return [1 / (max(v, _LEAST) * n) for v, n in zip(variances, cells, strict=True)]
