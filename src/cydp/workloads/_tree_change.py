# SPDX-License-Identifier: MIT
"""How far one unit can change the counts of a tree's nodes. docs/workloads.md, "Sensitivity"."""

from __future__ import annotations

from fractions import Fraction

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
    if unit.promised:  # k rows, each in any cell
        row, rows = change_nodes(Unit(unit.relation), tree), unit.max_rows
        return Change(rows * row.l1, rows * row.l2, rows * row.coordinates, unit.relation)
    cells = min(unit.max_partitions or 1, tree.cells)
    # The rows that come, or that go, change the squares most where they fill nodes.
    squares = [_square_of(cells, tree.branching**height) for height in range(tree.levels)]
    levels, square = tree.levels, sum(squares)
    sums, reached = cells * levels, cells * levels
    if unit.rows_may_become_others:
        root = squares[-1] if tree.has_root and levels > 1 else 0
        # A root does not change by rows that go where others come; that of several cells may.
        sums = 2 * cells * (levels - (root > 0))
        square = 2 * (square - root) + (root if cells > 1 else 0)
        reached *= 2
    rows = unit.max_rows
    return Change(
        Fraction(rows * sums), rows * root_above(Fraction(square)), reached, unit.relation
    )


def _square_of(cells: int, capacity: int) -> int:
    """Return the largest sum of squares of as many cells' ones, by nodes of that many cells."""
    whole, rest = divmod(cells, capacity)
    return whole * capacity**2 + rest**2
