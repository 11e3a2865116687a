"""workloads/_tree.py: neighbours' nodes are as far apart as the noise is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from workloads.linear_algebra import nodes_of

from cydp.releases._unit import Unit
from cydp.workloads._tree import Tree, _most, _most_of_tree, change_nodes, levels_to_root

ROUNDING = 1e-5  # roots are rounded up to six digits
TREES = [
    Tree(6, 2, 1), Tree(6, 2, 3), Tree(6, 2, 4), Tree(5, 3, 3), Tree(6, 6, 2), Tree(1, 2, 1),
    Tree(2, 2, 2), Tree(3, 2, 2), Tree(4, 2, 3), Tree(6, 5, 2), Tree(6, 5, 3),
]  # fmt: skip
UNITS = {
    "row": [Unit()],
    "promise": [Unit(max_rows=2, promised=True)],
    "cells": [Unit(max_partitions=n, has_users=True) for n in range(1, 8)],
    "rows in cells": [Unit(max_partitions=n, max_rows=2, has_users=True) for n in (2, 5, 9)],
}
_SMALL_NODE = "a node of 5 of 6 cells is far apart if it has one sign, the cells if they have two"
_ROOT = "as few cells of the other sign as the root is apart for are beside others in a node"
OVERSTATED = {
    (Tree(6, 2, 3), 3): "4 of 6 cells are a node, which three cells of one sign do not fill",
    (Tree(6, 2, 4), 5): _ROOT,
    (Tree(5, 3, 3), 4): _ROOT,
    (Tree(4, 2, 3), 3): _ROOT,
    (Tree(6, 5, 2), 2): _SMALL_NODE,
    (Tree(6, 5, 2), 3): _SMALL_NODE,
    (Tree(6, 5, 2), 4): _SMALL_NODE,
    (Tree(6, 5, 3), 3): _SMALL_NODE,
}
"""By tree and the number of a user's cells, why the levels are not all far apart at once."""


def tables_of(unit: Unit, cells: int) -> Iterator[NDArray[np.int64]]:
    """Yield the counts that the rows of one unit can add."""
    if unit.promised:
        for rows in product(range(cells + 1), repeat=unit.max_rows):
            yield np.bincount(rows, minlength=cells + 1)[:cells]  # the last one is in no cell
        return
    most = min(unit.max_partitions or 1, cells)
    for reached in combinations(range(cells), most):
        for counts in product(range(unit.max_rows + 1), repeat=most):
            table = np.zeros(cells, np.int64)
            table[list(reached)] = counts
            yield table


def distances(unit: Unit, tree: Tree) -> tuple[float, float, int]:
    """Return the largest L1 and L2 distance of the nodes of neighbours, and how many differ."""
    tables = np.unique(np.array(list(tables_of(unit, tree.cells))), axis=0)
    nodes = (tables @ nodes_of(tree).T).astype(np.int32)
    # No rows at all are among the tables, so the differences have rows that come or go.
    others = [np.zeros(nodes.shape[1], np.int32)] if unit.relation == "add-remove" else nodes
    l1 = square = reached = 0
    for other in others:
        apart = np.abs(nodes - other)
        l1, square = max(l1, apart.sum(1).max()), max(square, (apart**2).sum(1).max())
        reached = max(reached, (apart > 0).sum(1).max())
    return float(l1), float(square) ** 0.5, int(reached)


@pytest.mark.parametrize("name", UNITS)
def test_neighbours_are_as_far_apart_as_stated(name: str) -> None:
    """Never farther, and as far but for the trees that are listed."""
    relations = ("add-remove", "change-one", "add-remove-or-change")
    for unit, relation, tree in product(UNITS[name], relations, TREES):
        one = replace(unit, relation=relation)
        change, (l1, l2, reached) = change_nodes(one, tree), distances(one, tree)
        assert l1 <= change.l1, (one, tree)
        assert l2 <= change.l2 * (1 + 1e-12), (one, tree)
        assert reached <= change.coordinates <= tree.nodes, (one, tree)
        is_tight = l1 == change.l1 and l2 >= float(change.l2) * (1 - ROUNDING)
        is_listed = relation != "add-remove" and (tree, one.max_partitions) in OVERSTATED
        assert is_tight != is_listed, (one, tree, l1, l2, change)


def test_all_cells_of_a_user_change_as_much_as_come() -> None:
    """Where the user may have rows in all cells, a level of n cells changes by n, and not 2 n."""
    for cells, branching in product((1, 5, 100), (2, 7)):
        for levels in range(1, levels_to_root(cells, branching) + 1):
            tree = Tree(cells, branching, levels)
            unit = Unit(max_partitions=2 * cells, max_rows=3, has_users=True)
            comes, changes = (
                change_nodes(replace(unit, relation=each), tree)
                for each in ("add-remove", "change-one")
            )
            assert (changes.l1, changes.l2) == (comes.l1, comes.l2)
            assert changes.l1 == 3 * levels * cells
            assert changes.coordinates == tree.nodes


def test_the_numbers_that_are_tried_are_the_worst_of_all() -> None:
    """Docs: of a level, how many full nodes have ones; of a root, how many cells are of B."""
    for n, b, cells in product((7, 20, 31), (2, 3, 5, 19), (1, 3, 5, 9, 13, 17, 30)):
        tree = Tree(n, b, levels_to_root(n, b))
        cells = min(cells, n)
        for norm in (1, 2):
            alone: Any = partial(_most, cells=n, norm=norm)
            levels, root = [b**height for height in range(tree.levels - 1)], 0
            most = 0
            for each in levels:
                nodes = range(0, n - n % each + 1, each)  # of B
                most += max(
                    _most(cells, n - minus, each, norm) + _most(cells, minus, each, norm)
                    for minus in nodes
                )
            for q in range(n // 2 + 1):
                more = min(cells, n - q)
                below = sum(alone(more, capacity=c) + alone(q, capacity=c) for c in levels)
                if q <= more:
                    root = max(root, min(most, below) + (more - q) ** norm)
            found = _most_of_tree(tree, cells, True, norm)
            assert root <= found <= max(root, most + max(2 * cells - n, 0) ** norm), (n, b, cells)
