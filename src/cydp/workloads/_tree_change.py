# SPDX-License-Identifier: MIT
"""How far one unit can change the counts of a tree's nodes. docs/workloads.md, "Sensitivity"."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

from cydp.releases._unit import Change, Unit, root_above
from cydp.workloads._tree import Tree

__all__ = ["change_nodes"]


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
    """Return the most that one row in each of so many cells does to all nodes, norm by norm."""
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
    """Return the largest sum of powers of nodes, of as many cells' ones among so many cells."""
    whole = min(ones // capacity, cells // capacity)
    rest = min(ones - whole * capacity, cells - whole * capacity)
    return int(whole * capacity**norm + rest**norm)


@lru_cache(1024)
def _most_of_two(ones: int, cells: int, capacity: int, norm: int) -> int:
    """Return the same of ones in some cells, and of as many -1 in others."""
    full, whole = cells // capacity, ones // capacity
    found = 0
    # The last node and i full ones have ones. The sum is linear in i between these numbers.
    for i in {0, full, whole, whole + 1, full - whole, full - whole - 1}:
        if 0 <= i <= full:
            minus = capacity * (full - i)
            plus = _most(ones, cells - minus, capacity, norm)
            found = max(found, plus + _most(ones, minus, capacity, norm))
    return found
