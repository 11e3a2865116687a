# SPDX-License-Identifier: MIT
"""What `marginals` does, from its public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cydp._arguments import Integer, Number
from cydp.releases._joint import RowMoves, moves_of_tables
from cydp.releases._parts import Aggregate
from cydp.releases._privacy import read_privacy
from cydp.releases._query import Query
from cydp.releases._release import recorded
from cydp.releases._split import Split, Weights, read_split
from cydp.releases._unit import UnitName, UserKey, read_unit
from cydp.workloads._overlaps import Columns, effect_weights, shared_sets
from cydp.workloads._places import MOST_CELLS
from cydp.workloads._tails import Terms

__all__ = ["MarginalsQuery", "marginals_query", "read_sets"]

_TOTAL = "total"  # the name of the marginal of no columns


@recorded
@dataclass(frozen=True, repr=False)
class MarginalsQuery(Query):
    """Counts in the cells of several tables over some columns each.

    Attributes
    ----------
    sets : tuple of tuple of str
        The columns of each table.
    sizes : tuple of (str, int)
        How many keys or bins each column has.
    weights : tuple of (str, Fraction)
        The weight of each table in the privacy, by its name.
    consistent : bool
        Whether tables are made equal on the columns that they share.

    """

    function: ClassVar[str] = "marginals"

    sets: tuple[Columns, ...]
    sizes: tuple[tuple[str, int], ...]
    weights: Weights
    consistent: bool

    def aggregates(self) -> list[Aggregate]:
        """Return the counts of each table."""
        return [
            Aggregate(name, self.unit.change_each_partition(1, 1, cells), weight=weight)
            for (name, weight), cells in zip(self.weights, self._cells.values(), strict=True)
        ]

    def row_moves(self) -> RowMoves:
        """Return what a row does: one that stays does not change the total."""
        return moves_of_tables(self._cells)

    @property
    def _cells(self) -> dict[str, int]:
        """How many cells each table has."""
        shapes = map(self.shape, self.sets)
        return {name: math.prod(each) for name, each in zip(self.names, shapes, strict=True)}

    @property
    def names(self) -> list[str]:
        """The name of each table: of its columns, or "total"."""
        return [name for name, _ in self.weights]

    def shape(self, columns: Columns) -> tuple[int, ...]:
        """Return the shape of the table over these columns."""
        sizes = dict(self.sizes)
        return tuple(sizes[column] for column in columns)

    @cached_property
    def _squares(self) -> list[list[float]]:
        """The squares of a cell of each table, by the table whose noise they are of."""
        if not self.consistent:
            return [[float(i == j) for j in range(len(self.sets))] for i in range(len(self.sets))]
        return effect_weights(self.sets, dict(self.sizes), self.noise_variances)

    @property
    def noise_variances(self) -> list[float]:
        """The variance of the noise in each cell of each table."""
        return [part.variance for part in self.parts.values()]

    def terms(self, table: int) -> list[Terms]:
        """Return of which noise the error of a cell is a sum."""
        return [
            Terms(part.noise, np.array(squares))
            for part, squares in zip(self.parts.values(), self._squares[table], strict=True)
            if squares > 0
        ]

    @property
    def variance(self) -> dict[str, float]:
        """The exact variance of each count, by table, before any data."""
        known = self.noise_variances
        return {
            name: math.fsum(s * v for s, v in zip(squares, known, strict=True))
            for name, squares in zip(self.names, self._squares, strict=True)
        }

    @property
    def expected_error(self) -> dict[str, float]:
        """The root of the variance of each count, by table, in records."""
        return {name: math.sqrt(variance) for name, variance in self.variance.items()}


def marginals_query(
    sets: Sequence[Columns],
    sizes: Mapping[str, int],
    split: Split | None,
    consistent: bool,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_rows: Integer | None,
    max_rows_per_unit: Integer | None,
) -> MarginalsQuery:
    """Return the query of `marginals`, from its public parameters."""
    protected = read_unit(
        relation, user, unit, max_rows=max_rows, max_rows_per_unit=max_rows_per_unit,
        by_partition=False,
    )  # fmt: skip
    if not isinstance(consistent, bool):
        raise TypeError(f"consistent must be True or False, not {type(consistent).__name__}")
    for columns in sets:
        cells = math.prod(sizes[column] for column in columns)
        if cells > MOST_CELLS:
            raise ValueError(f"sets must give tables of at most 2**26 cells, not {cells}")
    if consistent:
        shared_sets(sets)
    used = tuple((column, sizes[column]) for column in sizes)
    weights = read_split(split, [", ".join(columns) or _TOTAL for columns in sets])
    privacy = read_privacy(epsilon, rho, delta, relation)
    return MarginalsQuery(privacy, protected, tuple(sets), used, weights, consistent)


def read_sets(sets: Any, columns: Sequence[str]) -> tuple[Columns, ...]:
    """Return the columns of each table.

    Raises
    ------
    TypeError, ValueError
        Unless sets is a list of distinct sets of names of columns.

    Examples
    --------
    >>> read_sets(["sex", ("sex", "age"), ()], ["sex", "age"])
    (('sex',), ('sex', 'age'), ())

    """
    if isinstance(sets, str) or not isinstance(sets, Sequence):
        raise TypeError(
            "sets must be a list with the columns of each table, such as ['sex', ('sex', 'age')]"
        )
    found = []
    for each in sets:
        names = (each,) if isinstance(each, str) else each
        if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
            raise TypeError("sets must have names of columns, or tuples of them")
        for name in names:
            if name not in columns:
                raise ValueError(f"sets must be of columns in domains, which has no {name!r}")
        if len(set(names)) < len(names):
            raise ValueError("sets must have each column of a table once")
        found.append(tuple(names))
    if not any(found):
        raise ValueError("sets must have a table over a column: cydp.count counts all rows")
    titles = [", ".join(names) or _TOTAL for names in found]
    if len({frozenset(names) for names in found}) < len(found) or len(set(titles)) < len(titles):
        raise ValueError("sets must be distinct")
    return tuple(found)
