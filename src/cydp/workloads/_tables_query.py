# SPDX-License-Identifier: MIT
"""The query of several tables of some columns each, from public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from cydp._arguments import Number
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._noise_split import Aggregate, RowMoves, moves_of_tables
from cydp.releases._query import DataQuery
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._terms import Weights, read_split

__all__ = ["TOTAL", "Columns", "TablesQuery", "read_sets", "read_weights", "sizes_of"]

TOTAL = "total"
"""The name of the part that is the number of rows."""

Columns: TypeAlias = tuple[str, ...]
"""The names of the columns of a table, in the order of its axes."""


@dataclass(frozen=True, repr=False)
class TablesQuery(DataQuery):
    """Counts in several tables; the cells of each are disjoint and public.

    Attributes
    ----------
    columns : tuple of tuple of str
        The names of the columns of each table; none for the number of rows.
    names : tuple of str
        The names of the tables.
    shapes : tuple of tuple of int
        How many cells each table has along its axes.
    measured : tuple of bool
        Which tables are released with noise; the others are made from these.
    total : int or None
        The number of rows, if it is given.
    weights : tuple of (name, weight)
        How the privacy is split among the tables that are measured.

    """

    data: ClassVar[str] = "table"

    columns: tuple[Columns, ...]
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    measured: tuple[bool, ...]
    total: int | None
    weights: Weights

    @property
    def contents(self) -> tuple[str, ...]:
        """The names of the tables."""
        return self.names

    @property
    def notes_on_domains(self) -> tuple[str, ...]:
        """Notes on rows that are in no table, from the domains."""
        names = [*sizes_of(self.columns, self.shapes)]
        every = f"a row counts in all tables or in none: each of {', '.join(names)} must be in its "
        missed = (f"{every}domain, and not missing",) if len(names) > 1 else ()
        return (*missed, *(note for each in self.reads.public.values() for note in each.notes))

    def answers(self) -> list[Answer]:
        """Return the noisy counts of each measured table."""
        return [
            NoisyAnswer(name, self._cells[name], "rows", part) for name, part in self.parts.items()
        ]

    @property
    def nbytes(self) -> int:
        """How many bytes the counts have, with the tables that are made from others."""
        return 8 * sum(map(math.prod, self.shapes))

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in the cells of each measured table."""
        counts = source.count_tables(self._places(), self.unit, key)
        return Tally(self, dict(zip(self.noisy_names, counts, strict=True)))

    def _places(self) -> list[list[int]]:
        """Return the columns of each measured table by their places in the domains."""
        place = {name: i for i, name in enumerate(self.reads.public)}
        named = zip(self.columns, self.measured, strict=True)
        return [[place[name] for name in columns] for columns, noisy in named if noisy]

    def _other_before(self) -> Any:
        return {name: each.digest() for name, each in self.reads.public.items()}

    def aggregates(self) -> list[Aggregate]:
        """Return the counts of each measured table: the same rows are in all of them."""
        weights = dict(self.weights)
        return [
            Aggregate(name, self.unit.change_each_partition(1, 1, cells), weight=weights[name])
            for name, cells in self._cells.items()
        ]

    def row_moves(self) -> RowMoves | None:
        """Return what a row does: one that stays does not change the number of rows."""
        return moves_of_tables(self._cells)

    @property
    def _cells(self) -> dict[str, int]:
        """How many cells each measured table has."""
        shapes = dict(zip(self.names, self.shapes, strict=True))
        return {name: math.prod(shapes[name]) for name in self.noisy_names}

    @property
    def noisy_names(self) -> tuple[str, ...]:
        """The names of the tables that are released with noise."""
        return tuple(name for name, noisy in zip(self.names, self.measured, strict=True) if noisy)

    @property
    def noise_variances(self) -> dict[str, float]:
        """The variance of the noise in each cell of the measured tables."""
        return {name: part.variance for name, part in self.parts.items()}


def read_weights(
    split: Mapping[Any, Number] | None, names: Iterable[str], default: Mapping[str, Number]
) -> Weights:
    """Return the weights of parts; a part may be named by a tuple of columns.

    >>> [str(each) for _, each in read_weights({("a", "b"): 3}, ["a, b", "c"], {"c": "1/2"})]
    ['3', '1/2']
    """
    known = list(names)
    given: Any = split
    if split is None or isinstance(split, Mapping):
        given = {name: each for name, each in default.items() if name in known}
        for name, weight in (split or {}).items():
            given[", ".join(map(str, name)) if isinstance(name, tuple) else name] = weight
    return read_split(given, known)


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
    titles = [", ".join(names) or TOTAL for names in found]
    if len({frozenset(names) for names in found}) < len(found) or len(set(titles)) < len(titles):
        raise ValueError("sets must be distinct")
    return tuple(found)


def sizes_of(columns: Sequence[Columns], shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """Return how many places each column has."""
    pairs = zip(columns, shapes, strict=True)
    return {name: size for each in pairs for name, size in zip(*each, strict=True)}
