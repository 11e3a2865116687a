# SPDX-License-Identifier: MIT
"""What `marginals` does, from its public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cydp.accounting.ledger._paid import Payment
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._domains import Domain, domain_rows, labels_of, read_domains
from cydp.releases._parts import Aggregate, RowMoves, moves_of_tables
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._release import recorded
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._terms import Weights, read_split, read_terms, terms_of
from cydp.workloads._marginals_release import MarginalsRelease
from cydp.workloads._overlaps import Columns, effect_weights, shared_sets
from cydp.workloads._places import MOST_CELLS
from cydp.workloads._tails import SumsAnswer, Terms

__all__ = ["MarginalsQuery"]

_TOTAL = "total"  # the name of the marginal of no columns


@recorded
@dataclass(frozen=True, repr=False)
class MarginalsQuery(DataQuery):
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
    data: ClassVar[str] = "table"

    sets: tuple[Columns, ...]
    sizes: tuple[tuple[str, int], ...]
    weights: Weights
    consistent: bool

    @classmethod
    def settled(cls, given: Given) -> Given:
        """Return the arguments, with the domains read."""
        return {**given, "domains": read_domains(given["domains"])}

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        sets, used = _read_tables(given["domains"], given["sets"])
        consistent = given["consistent"]
        if not isinstance(consistent, bool):
            raise TypeError(f"consistent must be True or False, not {type(consistent).__name__}")
        sizes = {name: each.size for name, each in used.items()}
        for columns in sets:
            cells = math.prod(sizes[column] for column in columns)
            if cells > MOST_CELLS:
                raise ValueError(f"sets must give tables of at most 2**26 cells, not {cells}")
        if consistent:
            shared_sets(sets)
        weights = read_split(given["split"], [", ".join(columns) or _TOTAL for columns in sets])
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        made = cls(privacy, unit, sets, tuple(sizes.items()), weights, consistent)
        labels = () if source is None else tuple(map(labels_of, source.axes))
        return made.reading(columns=names_of(given, "user"), public=used, labels=labels)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of the domains that a table has, and of users."""
        _, used = _read_tables(given["domains"], given["sets"])
        domains = [(each, "domains") for each in used.values()]
        return domain_rows(given["table"], domains, given["user"])

    def answers(self) -> list[Answer]:
        """Return the counts of each table."""
        named = zip(self.names, self._cells.values(), self.parts.values(), strict=True)
        if not self.consistent:
            return [NoisyAnswer(name, cells, "rows", part) for name, cells, part in named]
        return [
            SumsAnswer(name, cells, "rows", tuple(self.terms(i)))
            for i, (name, cells, _) in enumerate(named)
        ]

    @property
    def nbytes(self) -> int:
        """How many bytes the counts have."""
        return 8 * sum(self._cells.values())

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in the cells of each table."""
        place = {name: i for i, (name, _) in enumerate(self.sizes)}
        tables = [[place[name] for name in columns] for columns in self.sets]
        counts = source.count_tables(tables, self.unit, key)
        return Tally(self, dict(zip(self.names, counts, strict=True)))

    def result(self, drawn: Any, payment: Payment | None) -> MarginalsRelease:
        """Return the release."""
        noisy = drawn if isinstance(drawn, list) else [drawn]
        return MarginalsRelease(
            query=self,
            tables=tuple(
                each.reshape(self.shape(columns))
                for each, columns in zip(noisy, self.sets, strict=True)
            ),
            domains=self.reads.labels,
            payment=payment,
        )

    def _other_before(self) -> Any:
        return {name: each.digest() for name, each in self.reads.public.items()}

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


def _read_tables(domains: Any, sets: Any) -> tuple[tuple[Columns, ...], dict[str, Domain]]:
    """Return the columns of each table, and the domains of those that a table has."""
    public = {domain.names[0]: domain for domain in read_domains(domains)}
    if not all(isinstance(name, str) for name in public):
        raise TypeError("domains must have the names of columns, which are text")
    columns = read_sets(sets, list(public))
    used = {name for table in columns for name in table}
    return columns, {name: each for name, each in public.items() if name in used}


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
