# SPDX-License-Identifier: MIT
"""A tree of counts over cells: its nodes, and the consistent counts of noisy ones.

docs/workloads.md, "Consistency", has the proofs.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp.releases._unit import Change, Unit, root_above

__all__ = ["Level", "Tree", "change_nodes", "levels_to_root", "parent_variance"]


_Floats = NDArray[np.float64]


def parent_variance(children: float) -> float:
    """Return the variance of a node's count by the noisy counts of its subtree.

    It is in
    variances of the noise.

    Parameters
    ----------
    children : float
        The sum of these variances over its children.

    """
    return children / (1 + children)  # 1 / (1 + 1 / children)


@dataclass(frozen=True, slots=True)
class Level:
    """The nodes of one height: all alike but the last one, which may miss cells below it.

    Attributes
    ----------
    nodes : int
    each, last : float
        The variance of a node's count by the noisy counts of its subtree, in variances of noise.
    below, last_below : float
        The sum of these variances over the children of a node; 0 for leaves.
    last_children : int
        How many children the last node has; 0 for leaves.

    """

    nodes: int
    each: float = 1.0
    last: float = 1.0
    below: float = 0.0
    last_below: float = 0.0
    last_children: int = 0


@dataclass(frozen=True)
class Tree:
    """Nodes: each counts `branching` neighbours of the level below; the leaves are cells.

    Attributes
    ----------
    cells : int
        The number of leaves.
    branching : int
        The number of children of each node; the last node of a level may have fewer.
    levels : int
        How many levels there are, with the leaves. The uppermost need not be a single root.

    """

    cells: int
    branching: int
    levels: int

    largest: ClassVar[float] = 1.0  # the coefficient of noise in a sum of cells

    @cached_property
    def shape(self) -> tuple[Level, ...]:
        """The levels from the leaves up."""
        found = [Level(self.cells)]
        for _ in range(self.levels - 1):
            child = found[-1]
            nodes = -(-child.nodes // self.branching)
            children = child.nodes - (nodes - 1) * self.branching
            below = self.branching * child.each
            last_below = (children - 1) * child.each + child.last
            each, last = parent_variance(below), parent_variance(last_below)
            found.append(Level(nodes, each, last, below, last_below, children))
        return tuple(found)

    @property
    def nodes(self) -> int:
        """The number of nodes of all levels."""
        return sum(level.nodes for level in self.shape)

    @property
    def has_root(self) -> bool:
        """Whether the uppermost level is a single node: the total."""
        return self.shape[-1].nodes == 1

    def count_nodes(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the exact counts of all nodes, level after level from the leaves up."""
        levels = [cells]
        for _ in range(self.levels - 1):
            levels.append(self._add_children(levels[-1]))
        return np.concatenate(levels)

    def split_levels(self, nodes: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the part of an array of nodes that belongs to each level."""
        ends = np.cumsum([level.nodes for level in self.shape])
        return np.split(nodes, ends[:-1])

    def fit(self, nodes: NDArray[np.int64]) -> _Floats:
        """Return the counts of cells that are closest to noisy counts of all nodes.

        They are the least-squares estimates, and so the linear unbiased ones of least variance.

        Parameters
        ----------
        nodes : ndarray of int64, shape (nodes,)
            Noisy counts, as `count_nodes` orders them, with noise of one variance.

        """
        noisy = self.split_levels(nodes.astype(np.float64))
        sums: list[_Floats] = []
        for level, counts in zip(self.shape[1:], noisy[1:], strict=True):
            below = self._add_children(noisy[len(sums)])
            sums.append(below)
            last = counts[-1] * level.last + below[-1] * (level.last / level.last_below)
            counts *= level.each
            counts += below * (level.each / level.below)
            counts[-1] = last
        for height in range(self.levels - 2, -1, -1):  # each parent's misfit goes to its children
            child, parent = self.shape[height], self.shape[height + 1]
            misfit = noisy[height + 1] - sums[height]
            last = misfit[-1] * (child.last / parent.last_below)
            misfit *= child.each / parent.below
            misfit[-1] = misfit[-1] * (parent.below / parent.last_below)
            counts = noisy[height]
            counts[:-1] += np.repeat(misfit, self.branching)[: child.nodes - 1]
            counts[-1] += last
        return noisy[0]

    def _add_children(self, counts: NDArray[Any]) -> NDArray[Any]:
        whole = len(counts) // self.branching
        split = whole * self.branching
        sums = counts[:split].reshape(whole, self.branching).sum(1)
        return sums if split == len(counts) else np.append(sums, counts[split:].sum())


def levels_to_root(cells: int, branching: int) -> int:
    """Return how many levels a tree with a root has.

    >>> levels_to_root(8, 2), levels_to_root(9, 2), levels_to_root(1, 2)
    (4, 5, 1)
    """
    levels = 1
    while cells > 1:
        cells, levels = -(-cells // branching), levels + 1
    return levels


def change_nodes(unit: Unit, tree: Tree) -> Change:
    """Return how far one unit can change the exact counts of all nodes together.

    Parameters
    ----------
    unit : Unit
        Its partitions are cells.
    tree : Tree

    """
    rows, becomes = unit.max_rows, unit.rows_may_become_others
    cells = min(unit.max_partitions or 1, tree.cells)
    l1, square = (_most_of_tree(tree, cells, becomes, norm) for norm in (1, 2))
    # Each of k promised rows may be in a cell of its own.
    reached = cells * (2 if becomes else 1) * (rows if unit.promised else 1)
    return Change(
        Fraction(rows * l1),
        rows * root_above(Fraction(square)),
        sum(min(-(-tree.cells // capacity), reached) for capacity in _capacities(tree)),
        unit.relation,
    )


def _capacities(tree: Tree) -> list[int]:
    """Return how many cells a full node of each level has."""
    return [tree.branching**height for height in range(tree.levels)]


def _most_of_tree(tree: Tree, cells: int, becomes: bool, norm: int) -> int:
    """Return the most that rows in so many cells, one in each, change all nodes, in one norm."""
    capacities = _capacities(tree)
    alone = [_most(cells, tree.cells, each, norm) for each in capacities]
    if not becomes:
        return sum(alone)
    levels = [_most_of_two(cells, tree.cells, each, norm) for each in capacities]
    if not tree.has_root or tree.levels == 1:
        return sum(levels)
    # A root changes by the difference of the numbers of cells: `cells` of one sign, q of the other.
    below, least, most = capacities[:-1], sum(alone[:-1]), sum(levels[:-1])

    def reached(q: int) -> int:
        return min(most, least + sum(_most(q, tree.cells, each, norm) for each in below))

    other = min(cells, tree.cells - cells)
    enough = min(bisect_left(range(other + 1), most, key=reached), other)
    last = max(enough - 1, 0)
    places = {0, enough, *(last - last % each for each in below)}
    # With more of the other sign there is no room for `cells`: the root is apart by less.
    room = most + int((cells - other) ** norm)
    return max(room, *(reached(q) + int((cells - q) ** norm) for q in places))


def _most(ones: int, cells: int, capacity: int, norm: int) -> int:
    """Return the largest sum of powers of nodes' counts, for so many ones among so many cells."""
    whole = min(ones // capacity, cells // capacity)
    rest = min(ones - whole * capacity, cells - whole * capacity)
    return int(whole * capacity**norm + rest**norm)


@lru_cache(1024)
def _most_of_two(ones: int, cells: int, capacity: int, norm: int) -> int:
    """Return the same for ones in some cells, and as many -1 in others."""
    full, whole = cells // capacity, ones // capacity
    found = 0
    # The last node and i full ones have ones. The sum is linear in i between these numbers.
    for i in {0, full, whole, whole + 1, full - whole, full - whole - 1}:
        if 0 <= i <= full:
            minus = capacity * (full - i)
            plus = _most(ones, cells - minus, capacity, norm)
            found = max(found, plus + _most(ones, minus, capacity, norm))
    return found
