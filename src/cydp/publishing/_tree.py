# SPDX-License-Identifier: MIT
"""A public tree of regions, and counts on it that agree. docs/publishing.md, "Hierarchies"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp._columns.tables import open_table
from cydp.exact._label_sets import find_labels
from cydp.publishing._integers import MOST, project_slices, round_counts

__all__ = ["RegionTree", "estimate_tree", "integers_of_tree", "read_regions"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The nodes of a level below the root.

    Attributes
    ----------
    labels : tuple of ndarrays
        The path to each node, by column.
    order : ndarray of int
        The nodes, sorted by their parents.
    starts : ndarray of int
        Where the children of each parent begin in `order`.

    """

    labels: tuple[NDArray[Any], ...]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many children each parent has."""
        return np.diff(np.append(self.starts, len(self.order)))

    def sum_by_parent(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of the children of each parent."""
        sums: NDArray[Any] = np.add.reduceat(values[self.order], self.starts, axis=0)
        return sums


class RegionTree:
    """A tree, given by the paths to its leaves; the root is above the first level.

    Parameters
    ----------
    paths : sequence of ndarrays, shape (leaves,) each
        The labels of each level on the way to each leaf.

    Attributes
    ----------
    levels : tuple
        The levels below the root, the coarsest first. Nodes are in the order of their first leaves.

    Examples
    --------
    >>> tree = RegionTree([np.array(["a", "a", "b"]), np.array([1, 2, 1])])
    >>> [len(level.order) for level in tree.levels]
    [2, 3]

    """

    __slots__ = ("levels",)

    def __init__(self, paths: Sequence[NDArray[Any]]) -> None:
        above, levels = np.zeros(len(paths[0]), np.intp), []
        for depth in range(1, len(paths) + 1):
            codes = find_labels([Labels(each) for each in paths[:depth]]).codes
            _, first, places = np.unique(codes, return_index=True, return_inverse=True)
            in_order = np.argsort(np.argsort(first))
            first, nodes = np.sort(first), in_order[places]
            parents = above[first]
            order = np.argsort(parents, kind="stable")
            starts = np.searchsorted(parents[order], np.arange(parents.max() + 1))
            labels = tuple(each[first] for each in paths[:depth])
            levels.append(_Level(labels, order, starts))
            above = nodes
        self.levels = tuple(levels)

    def sums(self, leaves: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the counts of the root and of each level, shape (nodes, cells), from leaves."""
        found = [leaves]
        for level in reversed(self.levels):
            found.append(level.sum_by_parent(found[-1]))
        return found[::-1]


def read_regions(regions: Any, levels: tuple[Any, ...]) -> Keys:
    """Return the paths of all regions of the last level.

    Raises
    ------
    TypeError, ValueError
        Unless it is a nested dict as deep as the levels, or keys of columns of these names.

    Examples
    --------
    >>> keys = read_regions({"a": [1, 2], "b": [1]}, ("state", "county"))
    >>> [each.tolist() for each in keys.arrays]
    [['a', 'a', 'b'], [1, 2, 1]]

    """
    try:
        if isinstance(regions, Mapping) and set(regions) != set(levels):
            return Keys(list(_paths(regions, len(levels))), levels)
        plain = len(levels) == 1 and not isinstance(regions, Mapping)
        if plain and isinstance(regions, list) and all(isinstance(each, tuple) for each in regions):
            plain = False
        if isinstance(regions, Mapping):  # a table: a dict of keys would be all combinations
            regions = open_table(regions, "regions")
        return Keys(regions, None if plain else levels)
    except (TypeError, ValueError) as error:
        raise type(error)(f"regions: {error}") from None


def _paths(regions: Any, depth: int) -> Iterator[tuple[Any, ...]]:
    if depth == 1:
        if isinstance(regions, Mapping | str) or not isinstance(regions, Sequence | np.ndarray):
            raise TypeError("a nested dict must be as deep as levels, with lists at its ends")
        yield from ((each,) for each in regions)
        return
    if not isinstance(regions, Mapping):
        raise TypeError("a nested dict must be as deep as levels, with lists at its ends")
    for label, below in regions.items():
        yield from ((label, *path) for path in _paths(below, depth - 1))


def estimate_tree(
    tree: RegionTree,
    noisy: Sequence[NDArray[np.int64] | None],
    variances: Sequence[float],
    total: int | None,
) -> list[Floats]:
    """Return real counts of the root and each level that agree, closest to noisy ones.

    Parameters
    ----------
    tree : RegionTree
    noisy : sequence of ndarrays, shape (nodes, cells), or None
        The noisy counts of the root and of each level; None for a root without noisy counts.
    variances : sequence of float
        The variances of the noise at the root and at each level.
    total : int or None
        The sum of the cells of the root, if it is known.

    Returns
    -------
    list of ndarrays
        They minimise the sum of squared differences over variances, and children sum to parents.

    Examples
    --------
    >>> tree = RegionTree([np.array(["a", "b"])])
    >>> noisy = [np.array([[9]]), np.array([[4], [2]])]
    >>> [each.tolist() for each in estimate_tree(tree, noisy, [1, 1], None)]
    [[[8.0]], [[5.0], [3.0]]]

    """
    below = np.asarray(noisy[-1], np.float64)
    spread = np.full(len(below), float(variances[-1]))
    upward, spreads, sums = [below], [spread], []
    for depth in range(len(tree.levels) - 1, -1, -1):
        level, own = tree.levels[depth], noisy[depth]
        summed, variance = level.sum_by_parent(below), level.sum_by_parent(spread)
        if own is None:
            below, spread = summed, variance
        else:
            share = (variance / (variances[depth] + variance))[:, None]
            below = share * own + (1 - share) * summed
            spread = share[:, 0] * variances[depth]
        upward.append(below)
        spreads.append(spread)
        sums.append((summed, variance))
    found = [upward[-1]]
    if total is not None:
        found[0] = found[0] + (total - found[0].sum()) / found[0].size
    for depth, level in enumerate(tree.levels):
        summed, variance = sums[-1 - depth]
        parents = np.repeat(np.arange(len(level.starts)), level.sizes)
        below, spread = upward[-2 - depth], spreads[-2 - depth]
        made = np.empty_like(below)
        part = (spread[level.order] / variance[parents])[:, None]
        made[level.order] = below[level.order] + part * (found[-1] - summed)[parents]
        found.append(made)
    return found


def integers_of_tree(
    tree: RegionTree, real: Sequence[Floats], total: int | None
) -> tuple[list[NDArray[np.int64]], tuple[str, ...]]:
    """Return non-negative integers of the root and each level; children sum to their parents.

    Parameters
    ----------
    tree : RegionTree
    real : sequence of ndarrays, shape (nodes, cells)
        As `estimate_tree` returns them.
    total : int or None
        The sum of the root's cells. Default: the nearest integer to their real sum, at least 0.

    Returns
    -------
    (counts, notes)

    """
    notes: tuple[str, ...] = ()
    if total is None:
        total = int(round_counts(real[0].sum(keepdims=True)).item())
        if total < 0:
            notes, total = ("the total is below 0, and counts as 0",), 0
    found = [project_slices(real[0], np.array([min(total, MOST)]))]
    for level, wanted in zip(tree.levels, real[1:], strict=True):
        above, cells = found[-1], wanted.shape[1]
        made, sizes = np.empty(wanted.shape, np.int64), level.sizes
        for size in np.unique(sizes):  # parents with as many children are projected together
            parents = np.flatnonzero(sizes == size)
            children = level.order[level.starts[parents][:, None] + np.arange(size)]
            slices = wanted[children].transpose(0, 2, 1).reshape(-1, size)
            split = project_slices(slices, above[parents].reshape(-1))
            made[children] = split.reshape(len(parents), cells, size).transpose(0, 2, 1)
        found.append(made)
    return found, notes
