# SPDX-License-Identifier: MIT
"""What `range_counts` does, from its public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._histogram import binned_rows, bins_of
from cydp.releases._parts import Aggregate, Part, split_privacy
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import known_names
from cydp.releases._release import recorded
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._unit import Change, Unit
from cydp.workloads._places import MOST_CELLS, read_cells, read_ranges
from cydp.workloads._range_release import RangeRelease
from cydp.workloads._tails import SumsAnswer, Terms
from cydp.workloads._tree import Tree, levels_to_root
from cydp.workloads._tree_change import change_nodes
from cydp.workloads._tree_variance import mean_range_variance, range_variance

__all__ = ["RangeQuery", "choose_tree"]

_BRANCHINGS = 64  # all smaller ones are tried, and those that give each number of levels


@recorded
@dataclass(frozen=True, repr=False)
class RangeQuery(DataQuery):
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
    bounded: ClassVar[str] = "partitions"

    cells: int
    branching: int
    levels: int

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        (edges,) = (bins_of(given).edges,) if source is None else source.edges
        cells, own = len(edges) - 1, (given["branching"], given["levels"])
        return cls.kept(given, cells, *own).reading(edges=(edges,))

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of a number of cells, and of the tree, if it was given."""
        cells, branching, levels = own
        read_cells(cells, "the number of bins")
        tree = choose_tree(cells, branching, levels, privacy, unit)
        return cls(privacy, unit, cells, tree.branching, tree.levels)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of numbers and users, and the bins."""
        return binned_rows(given, given["bins"], given["range"])

    def answers(self) -> list[Answer]:
        """Return the counts of bins; `range_variance` is that of any range."""
        if self.levels == 1:  # a histogram
            return [NoisyAnswer("counts", self.cells, "rows", self.part)]
        return [SumsAnswer("counts", self.cells, "rows", (self.terms,))]

    @property
    def terms(self) -> Terms:
        """What the counts of bins have of the noise."""
        cells = np.arange(self.cells)
        return Terms(self.part.noise, range_variance(self.tree, cells, cells + 1))

    @property
    def nbytes(self) -> int:
        """How many bytes the counts of nodes have."""
        return 8 * self.tree.nodes

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in each node."""
        return Tally(self, {"nodes": self.tree.count_nodes(source.count(self.unit, key))})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> RangeRelease:
        """Return the release."""
        names = known_names([self.reads.columns["column"]])
        return RangeRelease(
            query=self, nodes=drawn, axes=self.reads.edges, names=names, payment=payment
        )

    def _other_before(self) -> Any:
        return {"edges": self.reads.edges[0]}

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
