# SPDX-License-Identifier: MIT
"""The queries of `marginals`, and what has noise, from public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp._numbers.rational import float_of
from cydp.accounting._loss import Loss, PureDP
from cydp.accounting.ledger._paid import Payment
from cydp.accounting.ledger._serialize import register
from cydp.exact._domains import Domain, read_domains
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._cells import CellRows
from cydp.releases._domains import domain_rows, labels_of
from cydp.releases._format import counted
from cydp.releases._noise_split import ALONE, Aggregate, Joint
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._terms import read_split, read_terms, terms_of
from cydp.releases._unit import Unit
from cydp.workloads._cell_ranges import MOST_CELLS
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms
from cydp.workloads._consistency import agree, effect_weights, marginal, shared_sets
from cydp.workloads._marginals_release import MarginalsRelease
from cydp.workloads._residuals import (
    Residual,
    best_shares,
    cost_together,
    residuals_of,
    spread_of,
    tables_of,
    why_no_residuals,
)
from cydp.workloads._tables_query import TOTAL, Columns, TablesQuery, read_sets, sizes_of

__all__ = ["MarginalsQuery"]

_MADE = {
    "tables": "made consistent by weighted least squares",
    "joint": "sums of noisy counts in the cells of all columns together",
    "residuals": "made consistent by residuals",
}
_LEAST = 5e-324  # a variance that is below it is 0 as a float
_MOST_JOINT = 2**22  # cells: noise is drawn for all of them
_MOST_VARIANCE = 2.0**100  # of sums in int64, so that they stay there


@dataclass(frozen=True, repr=False)
class MarginalsQuery(TablesQuery):
    """Counts in the cells of several tables over some columns each, which all have noise.

    Attributes
    ----------
    consistent : bool
        Whether tables are made equal on the columns that they share.

    """

    function: ClassVar[str] = "marginals"
    strategy: ClassVar[str] = "tables"

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
        shapes = tuple(tuple(used[column].size for column in columns) for columns in sets)
        for shape in shapes:
            if (cells := math.prod(shape)) > MOST_CELLS:
                raise ValueError(f"sets must give tables of at most 2**26 cells, not {cells}")
        if consistent:
            shared_sets(sets, "sets")
        names = tuple(", ".join(columns) or TOTAL for columns in sets)
        weights = read_split(given["split"], names)
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        measured = (True,) * len(sets)
        own = sets, names, shapes, measured, None, weights, consistent
        made = _best(privacy, unit, own, given)
        labels = () if source is None else tuple(map(labels_of, source.axes))
        return made.reading(columns=names_of(given, "user"), public=used, labels=labels)

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of the domains that a table has, and of users."""
        _, used = _read_tables(given["domains"], given["sets"])
        domains = [(each, "domains") for each in used.values()]
        return domain_rows(given["table"], domains, given["user"])

    @property
    def combines(self) -> bool:
        """Whether the released counts are made of several numbers with noise."""
        return self.consistent

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on rows in no table, and on what counts are made of if they are no noisy counts."""
        return (*((_MADE[self.strategy],) if self.combines else ()), *self.notes_on_domains)

    def answers(self) -> list[Answer]:
        """Return the counts of each table."""
        if not self.combines:
            return super().answers()
        return [
            SumsAnswer(name, math.prod(shape), counted(self.unit)[1], tuple(self.terms(i)))
            for i, (name, shape) in enumerate(zip(self.names, self.shapes, strict=True))
        ]

    def result(self, drawn: Any, payment: Payment | None) -> MarginalsRelease:
        """Return the release."""
        noisy = drawn if isinstance(drawn, list) else [drawn]
        return MarginalsRelease(
            query=self,
            tables=self.shaped(noisy),
            domains=self.reads.labels,
            payment=payment,
        )

    def shaped(self, noisy: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], ...]:
        """Return the numbers with noise, with an axis for each column."""
        return tuple(each.reshape(shape) for each, shape in zip(noisy, self.shapes, strict=True))

    def fitted(self, tables: Sequence[NDArray[np.int64]]) -> Sequence[NDArray[Any]]:
        """Return the tables that agree, of the numbers with noise."""
        return agree(tables, self.columns, [*self.noise_variances.values()])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the query shows: the columns of each table, and how many places each column has."""
        sizes = tuple(self.sizes.items())
        found = {"sets": self.columns, "sizes": sizes, "weights": self.weights}
        named = {} if self.strategy == "tables" else {"strategy": self.strategy}
        return {**found, "consistent": self.consistent, **named}

    @property
    def sizes(self) -> dict[str, int]:
        """How many keys or bins each column has, in the order of the domains if these are read."""
        found = sizes_of(self.columns, self.shapes)
        return {name: found[name] for name in self.reads.public or found}

    @property
    def log_noise(self) -> float:
        """The sum of the logarithms of the variances of tables."""
        return math.fsum(math.log(each or _LEAST) for each in self.variance.values())

    @cached_property
    def _squares(self) -> list[list[float]]:
        """The squares of the noise of each table in a cell of each table."""
        if not self.consistent:
            n = range(len(self.columns))
            return [[float(i == j) for j in n] for i in n]
        return effect_weights(self.columns, self.sizes, [*self.noise_variances.values()])

    def terms(self, table: int) -> list[Terms]:
        """Return the noise that adds up to the error of a cell."""
        return [
            Terms(part.noise, np.array(squares * float_of(part.step) ** 2))
            for part, squares in zip(self.parts.values(), self._squares[table], strict=True)
            if squares > 0
        ]

    @property
    def variance(self) -> dict[str, float]:
        """The exact variance of each count, by table, before any data."""
        known = self.noise_variances.values()
        return {
            name: math.fsum(s * v for s, v in zip(squares, known, strict=True))
            for name, squares in zip(self.names, self._squares, strict=True)
        }

    @property
    def expected_error(self) -> dict[str, float]:
        """The root of the variance of each count, by table, in records."""
        return {name: math.sqrt(variance) for name, variance in self.variance.items()}


class ResidualsQuery(MarginalsQuery):
    """Several tables that agree, by the deviations of each set of their columns.

    Attributes
    ----------
    weights : tuple of (name, weight)
        Of the variances of tables, of which the weighted sum is the least that is possible.

    """

    strategy: ClassVar[str] = "residuals"

    @cached_property
    def residuals(self) -> tuple[Residual, ...]:
        """What has noise."""
        return residuals_of(self.columns, self.shapes)

    @cached_property
    def _shares(self) -> list[Fraction]:
        weights = [weight for _, weight in self.weights]
        return best_shares(self.residuals, self.columns, self.shapes, weights)

    def aggregates(self) -> list[Aggregate]:
        """Return the deviations of each set of columns: the same rows are in all of them."""
        return [
            Aggregate(each.name, each.change(self.unit), Fraction(1, each.cells), share)
            for each, share in zip(self.residuals, self._shares, strict=True)
        ]

    @cached_property
    def joint(self) -> Joint:
        """What all deviations cost together: a row that comes changes all of them to the full."""
        if not self.unit.rows_may_become_others:
            return ALONE
        return Joint(Fraction(1), cost_together(self.residuals, self._shares))

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in the cells of each set of columns, in shares of a record."""
        place = {name: i for i, name in enumerate(self.reads.public)}
        places = [[place[name] for name in each.columns] for each in self.residuals]
        counts = source.count_tables(places, self.unit, key)
        pairs = zip(self.residuals, counts, strict=True)
        return Tally(self, {each.name: each.cells * table for each, table in pairs})

    def draw(self, tally: Tally, generator: Generator) -> list[NDArray[np.int64]]:
        """Return the differences of noisy counts; what else noisy counts tell is not paid for."""
        pairs = zip(self.residuals, self.noisy(tally, generator), strict=True)
        return [each.differences(noisy) for each, noisy in pairs]

    def shaped(self, noisy: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], ...]:
        """Return the differences, with an axis for each column."""
        return tuple(noisy)

    def fitted(self, tables: Sequence[NDArray[np.int64]]) -> Sequence[NDArray[Any]]:
        """Return the tables with these deviations."""
        return tables_of(self.residuals, tables, self.columns, self.shapes)

    @cached_property
    def _squares(self) -> list[list[float]]:
        spreads = [
            [spread_of(each, *table) for each in self.residuals]
            for table in zip(self.columns, self.shapes, strict=True)
        ]
        shares = [float_of(each.share) for each in self.residuals]
        return [
            [share / n**2 if n else 0.0 for share, n in zip(shares, row, strict=True)]
            for row in spreads
        ]


class JointQuery(MarginalsQuery):
    """Several tables that agree: sums of the cells of all their columns, which have noise."""

    strategy: ClassVar[str] = "joint"
    combines: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if max(self.variance.values()) > _MOST_VARIANCE:
            raise ValueError("strategy cannot be 'joint': sums of its noise could leave int64")

    @property
    def cells(self) -> int:
        """How many cells all columns have together."""
        return math.prod(self.sizes.values())

    @property
    def nbytes(self) -> int:
        """How many bytes the counts with noise have."""
        return 8 * self.cells

    def aggregates(self) -> list[Aggregate]:
        """Return the counts of cells."""
        return [Aggregate("cells", self.unit.change_each_partition(1, 1, self.cells))]

    def row_moves(self) -> None:
        """Return nothing: there is one part."""

    def answers(self) -> list[Answer]:
        """Return the counts of each table; those of cells themselves have the noise's bound."""
        part, (_, rows) = self.parts["cells"], counted(self.unit)
        named = zip(self.names, self.shapes, range(len(self.names)), strict=True)
        return [
            NoisyAnswer(name, cells, rows, part)
            if (cells := math.prod(shape)) == self.cells
            else SumsAnswer(name, cells, rows, tuple(self.terms(i)), whole=True)
            for name, shape, i in named
        ]

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in the cells of all columns."""
        (counts,) = source.count_tables([range(len(self.sizes))], self.unit, key)
        return Tally(self, {"cells": counts})

    def shaped(self, noisy: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], ...]:
        """Return the counts of cells, with an axis for each column."""
        return (noisy[0].reshape([*self.sizes.values()]),)

    def fitted(self, tables: Sequence[NDArray[np.int64]]) -> Sequence[NDArray[Any]]:
        """Return the sums of cells, which are integers."""
        names = [*self.sizes]
        return [np.asarray(marginal(tables[0], names, columns)) for columns in self.columns]

    @cached_property
    def _squares(self) -> list[list[float]]:
        return [[self.cells / math.prod(shape)] for shape in self.shapes]


_KINDS: dict[str, type[MarginalsQuery]] = {
    each.strategy: each for each in (MarginalsQuery, JointQuery, ResidualsQuery)
}


def _best(privacy: Loss, unit: Unit, own: Sequence[Any], given: Given) -> MarginalsQuery:
    """Return the query of the strategy with the least variance, unless it was given."""
    strategy, noise, split = given["strategy"], given["noise"], given["split"] is not None
    if strategy is not None and strategy not in list(_KINDS):  # which need not be hashable
        raise ValueError(f"strategy must be one of {', '.join(_KINDS)}, not {strategy!r}")
    why_not = _why_not(own, isinstance(privacy, PureDP) or noise == "laplace", split)
    if strategy is None:
        strategies = ["tables"] if split else [name for name in _KINDS if not why_not.get(name)]
    elif strategy in why_not:
        raise ValueError(f"strategy cannot be {strategy!r}: {why_not[strategy]}")
    else:
        strategies = [strategy]
    made, errors = [], []
    for kind in map(_KINDS.__getitem__, strategies):
        try:
            asked = (noise or "gaussian") if kind is ResidualsQuery else noise
            made.append(kind.least_noisy(privacy, unit, asked, *own))
        except ValueError as error:  # mostly since no noise fits
            errors.append(error)
    if not made:
        raise errors[0]
    return min(made, key=lambda query: query.log_noise)


def _why_not(own: Sequence[Any], pure: bool, split: bool) -> dict[str, str]:
    """Return why strategies cannot be used, of those that cannot."""
    sets, _, shapes, *_, consistent = own
    found = {}
    if math.prod(sizes_of(sets, shapes).values()) > _MOST_JOINT:
        found["joint"] = "all columns together have more than 2**22 cells"
    elif split:
        found["joint"] = "no table has noise of its own, which split would weight"
    if not consistent:
        found["residuals"] = "the tables are consistent then"
    elif pure:
        found["residuals"] = "deviations cost no less with Laplace noise"
    elif why_not := why_no_residuals(sets, shapes):
        found["residuals"] = why_not
    return found


def _pack(query: MarginalsQuery) -> dict[str, Any]:
    return {"privacy": query.privacy, "unit": query.unit, **query.parameters}


def _unpack(parts: dict[str, Any]) -> MarginalsQuery:
    kind = _KINDS[parts.get("strategy", MarginalsQuery.strategy)]
    sets, sizes = tuple(map(tuple, parts["sets"])), dict(parts["sizes"])
    weights = tuple(map(tuple, parts["weights"]))
    shapes = tuple(tuple(sizes[column] for column in columns) for columns in sets)
    names, measured = tuple(name for name, _ in weights), (True,) * len(sets)
    return kind(
        parts["privacy"], parts["unit"], sets, names, shapes, measured, None, weights,
        parts["consistent"],
    )  # fmt: skip


for _kind in _KINDS.values():
    register(_kind, _pack, _unpack)  # a ledger has sets and sizes; all else follows


def _read_tables(domains: Any, sets: Any) -> tuple[tuple[Columns, ...], dict[str, Domain]]:
    """Return the columns of each table, and the domains of all columns that are in a table."""
    public = {domain.names[0]: domain for domain in read_domains(domains)}
    if not all(isinstance(name, str) for name in public):
        raise TypeError("domains must have the names of columns, which are text")
    columns = read_sets(sets, list(public))
    used = {name for table in columns for name in table}
    return columns, {name: each for name, each in public.items() if name in used}
