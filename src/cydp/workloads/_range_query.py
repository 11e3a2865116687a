# SPDX-License-Identifier: MIT
"""What `range_counts` does, from its public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.releases._parts import Aggregate, Part, split_privacy
from cydp.releases._privacy import read_privacy
from cydp.releases._query import Query, kept
from cydp.releases._release import recorded
from cydp.releases._unit import Change, Unit, UnitName, UserKey, read_unit
from cydp.workloads._places import MOST_CELLS, read_cells, read_ranges
from cydp.workloads._tree import Tree, levels_to_root
from cydp.workloads._tree_change import change_nodes
from cydp.workloads._tree_variance import mean_range_variance, range_variance

__all__ = ["RangeQuery", "choose_tree", "range_query"]

_BRANCHINGS = 64  # all smaller ones are tried, and those that give each number of levels


@recorded
@dataclass(frozen=True, repr=False)
class RangeQuery(Query):
    """The counts of all nodes of a tree over cells.

    Attributes
    ----------
    cells : int
        The number of cells.
    branching : int
        How many nodes of a level have one parent.
    levels : int
        How many levels have noise, with the cells themselves.

    """

    function: ClassVar[str] = "range_counts"

    cells: int
    branching: int
    levels: int

    def aggregates(self) -> list[Aggregate]:
        """Return the counts of nodes."""
        return [Aggregate("nodes", change_nodes(self.unit, self.tree))]

    @property
    def tree(self) -> Tree:
        """The nodes that are counted."""
        return Tree(self.cells, self.branching, self.levels)

    @property
    def part(self) -> Part:
        """The counts of nodes with their noise."""
        return self.parts["nodes"]

    def range_variance(self, lows: Any, highs: Any) -> NDArray[np.float64]:
        """Return the variance of the count of each range of cells, before any data.

        Parameters
        ----------
        lows, highs : int or array_like of int
            A range is of the cells lo, ..., hi - 1.

        Returns
        -------
        ndarray of float64, of the shape of lows and highs together
            In squared records.

        Raises
        ------
        TypeError, ValueError
            Unless 0 <= lo <= hi <= cells.

        """
        first, last, shape = read_ranges(lows, highs, self.cells)
        return (self.part.variance * range_variance(self.tree, first, last)).reshape(shape)

    @property
    def mean_variance(self) -> float:
        """The mean of `range_variance` over all ranges of at least one cell."""
        return self.part.variance * mean_range_variance(self.tree)

    @property
    def expected_error(self) -> float:
        """The root of `mean_variance`: the typical error of a range, in records."""
        return math.sqrt(self.mean_variance)


@kept
def range_query(
    cells: int,
    branching: Integer | None,
    levels: Integer | None,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_partitions: Integer | None,
    max_rows_per_partition: Integer | None,
    max_rows_per_unit: Integer | None,
) -> RangeQuery:
    """Return the query of `range_counts`, from its public parameters."""
    protected = read_unit(
        relation,
        user,
        unit,
        max_partitions=max_partitions,
        max_rows_per_partition=max_rows_per_partition,
        max_rows_per_unit=max_rows_per_unit,
        by_partition=True,
    )
    privacy = read_privacy(epsilon, rho, delta, relation)
    read_cells(cells, "the number of bins")
    tree = choose_tree(cells, branching, levels, privacy, protected)
    return RangeQuery(privacy, protected, cells, tree.branching, tree.levels)


def choose_tree(
    cells: int, branching: Integer | None, levels: Integer | None, privacy: Loss, unit: Unit
) -> Tree:
    """Return the tree of the least mean variance of all ranges, of those that parameters allow.

    Raises
    ------
    TypeError, ValueError
        If branching is no integer of at least 2, or levels is not one from 1 to that of a root.

    """
    width = None if branching is None else read_integer(branching, "branching")
    height = None if levels is None else read_integer(levels, "levels")
    if width is not None and not 2 <= width <= MOST_CELLS:
        raise ValueError(f"branching must be from 2 to 2**26, not {width}")
    most = levels_to_root(cells, width or 2)
    if height is not None and not 1 <= height <= most:
        raise ValueError(f"levels must be from 1 to {most}, that of the root, not {height}")
    if None not in (width, height):
        return Tree(cells, width or 2, height or 1)
    known: dict[Change, float] = {}

    def mean_variance(tree: Tree) -> float:
        change = change_nodes(unit, tree)
        if change not in known:
            try:
                parts, _ = split_privacy(privacy, [Aggregate("nodes", change)])
                known[change] = parts["nodes"].variance
            except ValueError:  # no noise fits this tree; if it fits none, the query says so
                known[change] = math.inf
        return known[change] * mean_range_variance(tree)

    return min(_candidates(cells, width, height), key=mean_variance)


def _candidates(cells: int, branching: int | None, levels: int | None) -> Iterator[Tree]:
    for width in _branchings(cells) if branching is None else [branching]:
        most = levels_to_root(cells, width)
        for height in range(1, most + 1) if levels is None else [levels]:
            if height <= most:
                yield Tree(cells, width, height)


def _branchings(cells: int) -> list[int]:
    """Return how many children a node may have: those of which some could be best."""
    few = range(2, max(min(cells, _BRANCHINGS), 2) + 1)
    even = [math.ceil(Fraction(cells) ** Fraction(1, height)) for height in range(2, 7)]
    return sorted({*few, *(each for each in even if each >= 2)})
