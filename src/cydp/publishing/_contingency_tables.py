# SPDX-License-Identifier: MIT
"""Contingency tables that agree. docs/publishing.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp.accounting.ledger._paid import Payment
from cydp.exact._domains import Domain, read_domains
from cydp.exact._histogramdd import MOST_BINS
from cydp.mechanisms._run import Budget
from cydp.publishing._integers import (
    Columns,
    junction_order,
    project_slices,
    read_total,
    round_counts,
)
from cydp.publishing._published import Published
from cydp.releases._cells import CellRows
from cydp.releases._domains import axes_of, domain_rows, labels_of
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._release import recorded
from cydp.releases._run import release, run
from cydp.releases._terms import read_terms, terms_of
from cydp.releases._unit import UnitName
from cydp.releases.output._sheet import Axis
from cydp.workloads._consistency import agree, marginal, shared_sets
from cydp.workloads._tables_query import TOTAL, TablesQuery, read_weights

__all__ = ["ContingencyTables", "contingency_tables"]

_CYCLE = "the tables overlap in a cycle, and are not made to agree: their counts are noisy"


@recorded
@dataclass(frozen=True, repr=False)
class ContingencyQuery(TablesQuery):
    """Counts in contingency tables."""

    function: ClassVar[str] = "contingency_tables"

    @classmethod
    def settled(cls, given: Given) -> Given:
        """Return the arguments, with the domains read."""
        return {**given, "domains": read_domains(given["domains"])}

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        known = read_domains(given["domains"])
        chosen = _read_tables(given["tables"], known)
        shared_sets(chosen)  # refuses too many before the charge
        consistent = given["consistent"]
        if not isinstance(consistent, bool):
            raise TypeError(f"consistent must be True or False, not {type(consistent).__name__}")
        if consistent and junction_order(chosen) is None:
            raise ValueError(
                "tables must not overlap in a cycle, such as ab, bc and ca, in which integers need "
                "not agree: give one table with all columns of the cycle, or consistent=False and "
                "estimate_with_mbi"
            )
        used = sorted({i for columns in chosen for i in columns})
        if len(used) < len(known):
            unused = next(each.words[0] for i, each in enumerate(known) if i not in used)
            raise ValueError(
                f"domains must be of columns in tables, and {unused} is in none of them"
            )
        names = [", ".join(known[i].words[0] for i in columns) for columns in chosen]
        if TOTAL in names or len(set(names)) < len(names):
            raise ValueError("tables must differ in their columns, and not be 'total' alone")
        shapes = [tuple(known[i].size for i in columns) for columns in chosen]
        public = read_total(given["total"])
        if public is None:
            chosen, names, shapes = [*chosen, ()], [*names, TOTAL], [*shapes, ()]
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        made = cls.least_noisy(
            privacy,
            unit,
            given["noise"],
            tuple(tuple(known[i].words[0] for i in columns) for columns in chosen),
            tuple(names),
            tuple(shapes),
            (True,) * len(names),
            public,
            read_weights(given["split"], names, {TOTAL: "0.1"}),
        )
        return made.reading(
            columns=names_of(given, "user"),
            public={each.words[0]: each for each in known},
            labels=() if source is None else tuple(map(labels_of, source.axes)),
        )

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of the domains, and of users."""
        domains = [(each, "domains") for each in read_domains(given["domains"])]
        return domain_rows(given["table"], domains, given["user"])

    def result(self, drawn: Any, payment: Payment | None) -> ContingencyTables:
        """Return the release."""
        return ContingencyTables(
            query=self,
            noisy=tuple(drawn) if isinstance(drawn, list) else (drawn,),
            names=tuple(self.reads.public),
            labels=self.reads.labels,
            binned=tuple(each.keys is None for each in self.reads.public.values()),
            payment=payment,
        )


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ContingencyTables(Published):
    """Contingency tables that agree. `contingency_tables` returns them.

    ``published["sex", "age"]`` is a table. All tables are marginals of one table of non-negative
    integers: the sums that two of them share, and the total, are equal.

    Attributes
    ----------
    query : Query
        The query: tables, noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    noisy : tuple of ndarrays of int64
        The noisy counts of each table, flat, and last the noisy total if it is released.
    names : tuple of str
        The columns of the domains.
    labels : tuple of ndarrays
        The labels, or the edges of the bins, of each column.
    binned : tuple of bool
        Which columns have bins.

    """

    names: tuple[str, ...]
    labels: tuple[NDArray[Any], ...]
    binned: tuple[bool, ...]

    @property
    def consistent(self) -> bool:
        """Whether the tables are made to agree; else their counts are noisy as they are."""
        return junction_order(self._sets) is not None

    @property
    def total(self) -> int:
        """The number of rows: what each table sums to, if they agree."""
        return max(int(round_counts(np.array(self.estimated_total))), 0)

    @property
    def noisy_tables(self) -> dict[str, NDArray[np.int64]]:
        """The noisy counts by table, unbiased, which need not agree; without the total."""
        noisy = self._noisy_by_name
        return {
            name: noisy[name].reshape(shape)
            for name, shape in zip(self.query.names, self.query.shapes, strict=True)
            if name != TOTAL
        }

    @property
    def noisy_total(self) -> int | None:
        """The noisy total; None if the total was given."""
        noisy = self._noisy_by_name
        return int(noisy[TOTAL][0]) if TOTAL in noisy else None

    @property
    def _sets(self) -> list[Columns]:
        place = {name: i for i, name in enumerate(self.names)}
        return [tuple(place[each] for each in columns) for columns in self.query.columns]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The labels or bins of each column."""
        return axes_of(self.names, self.labels, self.binned)

    def _axes_of(self, i: int) -> tuple[Axis, ...]:
        axes = self.axes
        return tuple(axes[each] for each in self._sets[i])

    def _make(self) -> tuple[list[NDArray[np.int64]], tuple[str, ...]]:
        query, sets, order = self.query, self._sets, junction_order(self._sets)
        if order is None:
            pairs = zip(self.noisy, query.shapes, strict=True)
            return [each.reshape(shape) for each, shape in pairs], (_CYCLE,)
        real, estimate = self._agreed, self.estimated_total
        notes = ("the total is below 0, and counts as 0",) if round(estimate) < 0 else ()
        total = np.array(self.total)
        made: dict[int, NDArray[np.int64]] = {}
        for step in order:
            i = step.table
            if query.names[i] == TOTAL:
                made[i] = total
                continue
            shared, given = step.shared, total
            if step.parent is not None:
                given = marginal(made[step.parent], sets[step.parent], shared)
            elif step.start:  # what most tables share is made integer before the first of them
                shared = step.start
                sums = marginal(real[i], sets[i], shared)
                given = project_slices(sums.reshape(1, -1), total.reshape(1)).reshape(sums.shape)
            made[i] = _within(real[i], sets[i], shared, given)
        return [made[i] for i in range(len(sets))], notes

    @cached_property
    def _agreed(self) -> list[NDArray[np.float64]]:
        """Real tables that agree."""
        query = self.query
        noisy = [each.reshape(shape) for each, shape in zip(self.noisy, query.shapes, strict=True)]
        return agree(noisy, self._sets, [*query.noise_variances.values()], query.total)

    @property
    def estimated_total(self) -> float:
        """The total by least squares, from the noisy total and all noisy tables."""
        total, names = self.query.total, self.query.names
        return float(self._agreed[names.index(TOTAL)] if total is None else total)

    def _to_sample(self) -> tuple[list[Axis], list[tuple[Columns, NDArray[np.int64]]], Any]:
        order = junction_order(self._sets)
        if order is None:
            raise TypeError(f"{_CYCLE}: estimate_with_mbi fits a model that has a sample()")
        return list(self.axes), list(zip(self._sets, self._made[0], strict=True)), order


def _within(
    real: NDArray[np.float64], columns: Columns, shared: Columns, given: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the closest non-negative integers to a table with a given marginal."""
    rest = tuple(each for each in columns if each not in shared)
    order = [columns.index(each) for each in (*shared, *rest)]
    ahead = np.transpose(real, order)
    made = project_slices(ahead.reshape(given.size, -1), given.reshape(-1)).reshape(ahead.shape)
    return np.ascontiguousarray(np.transpose(made, np.argsort(order)))


@release(ContingencyQuery)
def contingency_tables(
    table: Any,
    domains: Mapping[Any, Any],
    tables: Sequence[Any],
    *,
    total: Any = None,
    consistent: bool = True,
    split: Mapping[Any, Number] | None = None,
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
) -> ContingencyTables:
    """Publish contingency tables of non-negative integers that agree with each other.

    Parameters
    ----------
    table : frame, table, relation, path or dict of columns
        Of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark; CSV or Parquet files, as
        "data/*.csv": a text is a path; a dict of arrays or lists; a structured array. What a query
        computes must treat each record alone, and not fail on one.
    domains : dict by column
        The public values of each column: a list of labels, or a tuple (bins, range): a number of
        bins and (low, high), or edges and None. So [0, 18, 65] are three labels, and in
        `histogramdd` they are edges: write ([0, 18, 65], None).
    tables : list of column names and tuples of them
        The tables to count, such as [("sex", "age"), ("age", "educ")]. Tables may overlap, but not
        in a cycle such as [("a", "b"), ("b", "c"), ("c", "a")]. A row counts, in all of them, if
        each column of `domains` has a value in its domain.
    total : int, or release of `count`, optional
        The number of rows that count, if it is public or released; then no privacy is spent on it.
        Default: it is released, with noise, as part "total". ``len(data)`` is public under
        "change-one" alone, if a unit is a row.
    consistent : bool, default True
        Whether tables that cannot be made to agree are refused. False allows any overlap, for
        `estimate_with_mbi`: then there are only `noisy_tables`.
    split : dict, optional
        The weights of tables in the privacy, by their columns, such as {("sex", "age"): 2}.
        Default: 1 each, and "0.1" for "total".
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
    ContingencyTables
        ``published["sex", "age"]`` is a table, with `counts`, `noisy` counts, labels and edges.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    The same `max_rows` rows of a user count in all tables.

    Noisy tables are brought to agreement by weighted least squares, and made integer along a
    junction tree, at no privacy cost.

    References
    ----------
    .. [1] Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, "Privacy, accuracy, and consistency
       too", 2007.
    .. [2] Qardaji, Yang, Li, "PriView: practical differentially private release of marginal
       contingency tables", 2014.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "m"], "age": [18, 44, 71], "job": ["a", "b", "a"]}
    >>> published = contingency_tables(
    ...     people, {"sex": ["f", "m"], "age": (4, (0, 100)), "job": ["a", "b"]},
    ...     [("sex", "age"), ("sex", "job")], epsilon=2,
    ... )
    >>> by_age, by_job = published["sex", "age"].counts, published["sex", "job"].counts
    >>> by_age.shape, bool((by_age >= 0).all()), bool((by_age.sum(1) == by_job.sum(1)).all())
    ((2, 4), True, True)
    >>> published.sample().n == published.total
    True

    """
    made: ContingencyTables = run(ContingencyQuery, locals())
    return made


def _read_tables(tables: Any, domains: Sequence[Domain]) -> list[Columns]:
    """Return the columns of each table by their places in the domains."""
    if not isinstance(tables, list | tuple) or not tables:
        raise TypeError("tables must be a list of column names and tuples of them")
    place = {domain.names[0]: i for i, domain in enumerate(domains)}
    found: list[Columns] = []
    for given in tables:
        columns = tuple(given) if isinstance(given, tuple | list) else (given,)
        for name in columns:
            if name not in place:
                raise ValueError(f"tables must have columns of domains, not {name!r}")
        chosen = tuple(place[name] for name in columns)
        if not chosen or len(set(chosen)) < len(chosen):
            raise ValueError("tables must have at least one column each, and none twice")
        if any(set(chosen) == set(each) for each in found):
            raise ValueError(f"tables must differ: {', '.join(map(str, columns))} is there twice")
        if (cells := math.prod(domains[i].size for i in chosen)) > MOST_BINS:
            raise ValueError(f"each of tables must have at most 2**30 cells, not {cells}")
        found.append(chosen)
    return found
