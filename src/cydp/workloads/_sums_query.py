# SPDX-License-Identifier: MIT
"""Queries of sums of cells with noise: which sums these are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from cydp.releases._query import DataQuery
from cydp.workloads._fractional_sums import FractionalSums
from cydp.workloads._tents import Tents
from cydp.workloads._tree import Tree

__all__ = ["Sums", "SumsQuery"]

Sums: TypeAlias = Tree | FractionalSums | Tents
"""Sums of cells that may have noise."""


class SumsQuery(DataQuery):
    """A query with noise in sums of cells: one set of its fields says in which.

    Attributes
    ----------
    cells : int
        The number of cells.
    branching : int
        How many nodes of a level of the tree have one parent.
    levels : int
        How many levels of the tree have noise, with the cells themselves.
    percent : int
        The power of the running sums that has noise; 0, if they have none.
    tents : tuple of int
        The first knot with a tent, and into how many pieces the knots of each level cut the cells;
        empty, if tents have no noise.

    """

    bounded: ClassVar[str] = "partitions"

    cells: int
    branching: int
    levels: int
    percent: int
    tents: tuple[int, ...]

    @property
    def sums(self) -> Sums:
        """The sums of cells that have noise."""
        if self.tents:
            return Tents(self.cells, self.tents)
        return FractionalSums(self.cells, self.percent) if self.percent else self.tree

    @property
    def tree(self) -> Tree:
        """The nodes that are counted; a tree of the cells alone, where there is none."""
        return Tree(self.cells, self.branching, self.levels)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the query shows, and a ledger records."""
        other = {"percent": self.percent, "tents": self.tents}
        found = super().parameters
        return {name: each for name, each in found.items() if other.get(name, True)}
