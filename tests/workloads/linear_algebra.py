"""What trees and their least squares are, by dense linear algebra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.workloads._fractional_sums import FractionalSums
from cydp.workloads._tents import Tents
from cydp.workloads._tree import Tree, levels_to_root

Matrix = NDArray[np.float64]


def nodes_of(tree: Tree) -> Matrix:
    """Return the cells of each node, level after level from the leaves up."""
    levels = [np.eye(tree.cells)]
    for _ in range(tree.levels - 1):
        below = levels[-1]
        groups = np.arange(0, len(below), tree.branching)
        levels.append(np.add.reduceat(below, groups, axis=0))
    return np.concatenate(levels)


def covariance(tree: Tree) -> Matrix:
    """Return the covariance of the least squares, in variances of the noise of a node."""
    nodes = nodes_of(tree)
    found: Matrix = np.linalg.inv(nodes.T @ nodes)
    return found


def all_ranges(cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ends of all ranges, with empty ones among them."""
    lows, highs = np.triu_indices(cells + 1)
    return lows.astype(np.int64), highs.astype(np.int64)


def weights_of(lows: Any, highs: Any, cells: int) -> Matrix:
    """Return a row of zeros and ones for each range."""
    places = np.arange(cells)
    inside = (places >= lows[:, None]) & (places < highs[:, None])
    return inside.astype(np.float64)


def small_trees() -> Iterator[Tree]:
    """Yield trees of all shapes: single nodes, missing cells, with and without a root."""
    for cells in (1, 2, 3, 5, 8, 9, 17, 27):
        for branching in (2, 3, 5):
            for levels in range(1, levels_to_root(cells, branching) + 1):
                yield Tree(cells, branching, levels)


def sums_of(sums: FractionalSums | Tents) -> NDArray[np.int64]:
    """Return the matrix of the sums, shape (sums, cells), in steps."""
    if isinstance(sums, Tents):
        return np.concatenate([np.diag(sums.alone), sums.rows])
    cells = np.arange(sums.cells)
    apart = cells[:, None] - cells
    return np.where(apart >= 0, sums.weights[np.abs(apart)], 0)
