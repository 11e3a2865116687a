"""workloads/_tree_change.py: neighbours' nodes are as far apart as the noise is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from workloads.linear_algebra import nodes_of

from cydp.releases._unit import Unit
from cydp.workloads._tree import Tree
from cydp.workloads._tree_change import change_nodes

ROUNDING = 1e-5  # roots are rounded up to six digits
TREES = [Tree(6, 2, 1), Tree(6, 2, 3), Tree(6, 2, 4), Tree(5, 3, 3), Tree(6, 6, 2), Tree(1, 2, 1)]
UNITS = [
    Unit(),
    Unit(max_partitions=2, has_users=True),
    Unit(max_partitions=2, max_rows=2, has_users=True),
    Unit(max_rows=2, promised=True),
]


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


def distances(unit: Unit, tree: Tree) -> tuple[float, float]:
    """Return the largest L1 and L2 distance of the nodes of neighbours."""
    tables = np.unique(np.array(list(tables_of(unit, tree.cells))), axis=0)
    nodes = tables @ nodes_of(tree).T
    # No rows at all are among the tables, so the differences have rows that come or go.
    apart = nodes if unit.relation == "add-remove" else nodes[:, None] - nodes[None, :]
    return float(np.abs(apart).sum(-1).max()), float(np.sqrt((apart**2).sum(-1).max()))


@pytest.mark.parametrize("unit", UNITS, ids=["row", "cells", "rows in cells", "promise"])
def test_neighbours_are_as_far_apart_as_stated(unit: Unit) -> None:
    for relation, tree in product(("add-remove", "change-one", "add-remove-or-change"), TREES):
        one = replace(unit, relation=relation)
        change, (l1, l2) = change_nodes(one, tree), distances(one, tree)
        assert l1 <= change.l1, (relation, tree)
        assert l2 <= change.l2 * (1 + 1e-12), (relation, tree)
        # Under change-one users of several cells may do less where a level has few nodes.
        if tree.cells > 1 and (relation == "add-remove" or one == Unit(relation)):
            assert l1 == change.l1
            assert l2 == pytest.approx(float(change.l2), rel=ROUNDING)
