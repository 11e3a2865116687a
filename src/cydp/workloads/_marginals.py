# SPDX-License-Identifier: MIT
"""Several private contingency tables of one table, for one charge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp.accounting.ledger._paid import Payment
from cydp.accounting.ledger._serialize import register
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer
from cydp.releases._cells import CellRows
from cydp.releases._domains import Domain, domain_rows, labels_of, read_domains
from cydp.releases._format import counted
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._run import release, run
from cydp.releases._terms import Split, read_split, read_terms, terms_of
from cydp.releases._unit import UnitName
from cydp.workloads._cell_ranges import MOST_CELLS
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms
from cydp.workloads._consistency import effect_weights, shared_sets
from cydp.workloads._marginals_release import MarginalsRelease
from cydp.workloads._tables_query import TOTAL, Columns, TablesQuery

__all__ = ["marginals"]


@dataclass(frozen=True, repr=False)
class MarginalsQuery(TablesQuery):
    """Counts in the cells of several tables over some columns each, which all have noise.

    Attributes
    ----------
    consistent : bool
        Whether tables are made equal on the columns that they share.

    """

    function: ClassVar[str] = "marginals"

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
        made = cls.least_noisy(privacy, unit, given["noise"], *own)
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
        if not self.consistent:
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
            tables=tuple(
                each.reshape(shape) for each, shape in zip(noisy, self.shapes, strict=True)
            ),
            domains=self.reads.labels,
            payment=payment,
        )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the query shows: the columns of each table, and how many places each column has."""
        sizes = tuple(self.sizes.items())
        found = {"sets": self.columns, "sizes": sizes, "weights": self.weights}
        return {**found, "consistent": self.consistent}

    @property
    def sizes(self) -> dict[str, int]:
        """How many keys or bins each column has, in the order of the domains."""
        return {name: each.size for name, each in self.reads.public.items()}

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
            Terms(part.noise, np.array(squares))
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


def _pack(query: MarginalsQuery) -> dict[str, Any]:
    return {"privacy": query.privacy, "unit": query.unit, **query.parameters}


def _unpack(parts: dict[str, Any]) -> MarginalsQuery:
    sets, sizes = tuple(map(tuple, parts["sets"])), dict(parts["sizes"])
    weights = tuple(map(tuple, parts["weights"]))
    shapes = tuple(tuple(sizes[column] for column in columns) for columns in sets)
    names, measured = tuple(name for name, _ in weights), (True,) * len(sets)
    return MarginalsQuery(
        parts["privacy"], parts["unit"], sets, names, shapes, measured, None, weights,
        parts["consistent"],
    )  # fmt: skip


register(MarginalsQuery, _pack, _unpack)  # a ledger has sets and sizes; all else follows


def _read_tables(domains: Any, sets: Any) -> tuple[tuple[Columns, ...], dict[str, Domain]]:
    """Return the columns of each table, and the domains of all columns that are in a table."""
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
    titles = [", ".join(names) or TOTAL for names in found]
    if len({frozenset(names) for names in found}) < len(found) or len(set(titles)) < len(titles):
        raise ValueError("sets must be distinct")
    return tuple(found)


@release(MarginalsQuery)
def marginals(
    table: Any,
    domains: Any,
    sets: Any,
    *,
    consistent: bool = False,
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> MarginalsRelease:
    """Count records in the cells of several tables over some columns each, with exact noise.

    Parameters
    ----------
    table : frame, table, relation, path or dict of columns
        Of pandas, polars (a lazy frame too), pyarrow or DuckDB; CSV or Parquet files, such as
        "data/*.csv": a text is a path; a dict of arrays or lists; a structured array. What a query
        computes must treat each record alone, and not fail on one.
    domains : dict by column
        The public values of each column: a list of labels, or a tuple (bins, range): a number of
        bins and (low, high), or edges and None.
    sets : list of names, or tuples of names
        The columns of each table, such as ["sex", ("sex", "age")]; () is the total. A record counts
        in all tables or in none: each column of a set must have a value in its domain.
    consistent : bool, default False
        Whether the sums that tables share, such as the total, are made equal by weighted least
        squares. Then counts are floats.
    split : dict, optional
        The weights of tables in the privacy by name, such as {"sex, age": 2}. Default: 1 each.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent.
    noise : {"laplace", "gaussian"}, optional
        Which noise is added with `delta`. Default: the one with less variance; if a budget in zCDP
        pays, Gaussian noise, which costs it less.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_rows : int >= 1, optional
        Required with `user`: the most records of one user that count, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    MarginalsRelease
        ``release["sex", "age"]`` is a table, ``release.domain("age")`` has the labels of its
        places.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    The same `max_rows` records of a user count in every table.

    A record is in one cell of each table, so k tables have k times the noise of one in pure DP, and
    sqrt(k) times that in zCDP. docs/workloads.md has the proofs.

    References
    ----------
    .. [1] Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, "Privacy, accuracy, and consistency too:
       a holistic solution to contingency table release", 2007.
    .. [2] Qardaji, Yang, Li, "PriView: practical differentially private release of marginal
       contingency tables", 2014.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "m"], "age": [31, 64, 12]}
    >>> domains = {"sex": ["f", "m"], "age": (4, (0, 100))}
    >>> release = marginals(people, domains, ["sex", ("sex", "age")], epsilon=1)
    >>> errors = release.expected_error.items()
    >>> release["sex", "age"].shape, {name: round(error, 1) for name, error in errors}
    ((2, 4), {'sex': 2.8, 'sex, age': 2.8})

    """
    made: MarginalsRelease = run(MarginalsQuery, locals())
    return made
