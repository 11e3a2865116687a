# SPDX-License-Identifier: MIT
"""Counts in a hierarchy of regions, as a census publishes them. docs/publishing.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._columns.keys import Keys
from cydp._columns.table import is_column
from cydp._generator import Generator
from cydp.accounting.ledger._paid import Payment
from cydp.exact._domains import Domain, read_domains
from cydp.exact._histogramdd import MOST_BINS
from cydp.mechanisms._run import Budget
from cydp.publishing._integers import Columns, Step, read_total
from cydp.publishing._published import Published
from cydp.publishing._tree import RegionTree, estimate_tree, integers_of_tree, read_regions
from cydp.releases._cells import CellRows
from cydp.releases._domains import axes_of, domain_rows, labels_of
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._release import recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import read_terms, terms_of
from cydp.releases._unit import UnitName
from cydp.releases.output._sheet import Axis, keys_of
from cydp.workloads._consistency import divisible
from cydp.workloads._tables_query import TOTAL, TablesQuery, read_weights

__all__ = ["HierarchyRelease", "hierarchy"]


@recorded
@dataclass(frozen=True, repr=False)
class HierarchyQuery(TablesQuery):
    """Counts at each level of a tree of regions."""

    function: ClassVar[str] = "hierarchy"

    @classmethod
    def settled(cls, given: Given) -> Given:
        """Return the arguments, with regions and domains read."""
        keys, inner = _read_domains_of(given)
        regions = Domain(tuple(given["levels"]), keys, size=len(keys))
        return {**given, "regions": regions, "cells": inner or None}

    @classmethod
    def of(cls, given: Given, source: CellRows | None) -> DataQuery:
        """Return the query of a call."""
        keys, inner = _read_domains_of(given)
        names = tuple(map(str, given["levels"]))
        cells = tuple(each.words[0] for each in inner)
        shape = tuple(each.size for each in inner)
        if (size := len(keys) * math.prod(shape)) > MOST_BINS:
            raise ValueError(
                f"regions and cells must give at most 2**30 cells together, not {size}"
            )
        public, tree = read_total(given["total"]), _tree_of(keys)
        measured = (bool(shape) or public is None, *(True for _ in names))
        tables = (TOTAL, *names)
        noisy = [name for name, has_noise in zip(tables, measured, strict=True) if has_noise]
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        made = cls.least_noisy(
            privacy,
            unit,
            given["noise"],
            tuple((*names[:i], *cells) for i in range(len(tables))),
            tables,
            (shape, *((len(level.order), *shape) for level in tree.levels)),
            measured,
            public,
            read_weights(given["split"], noisy, {}),
        )
        domains = [Domain(tuple(given["levels"]), keys, size=len(keys)), *inner]
        return made.reading(
            columns=names_of(given, "user"),
            public={"/".join(each.words): each for each in domains},
            labels=() if source is None else tuple(map(labels_of, source.axes[1:])),
        )

    @classmethod
    def declare(cls, given: Given) -> CellRows:
        """Return the columns of regions, of cells and of users."""
        keys, inner = _read_domains_of(given)
        regions = Domain(tuple(given["levels"]), keys, size=len(keys))
        domains = [(regions, "levels"), *((each, "cells") for each in inner)]
        return domain_rows(given["table"], domains, given["user"])

    @property
    def _regions(self) -> Keys:
        keys: Keys = next(iter(self.reads.public.values())).keys
        return keys

    def read(self, source: CellRows, key: Key) -> Tally:
        """Count the rows in the cells of each region, and add them up."""
        (leaves,) = source.count_tables([range(len(self.reads.public))], self.unit, key)
        sums = _tree_of(self._regions).sums(leaves.reshape(len(self._regions), -1))
        exact = [each.ravel() for each, noisy in zip(sums, self.measured, strict=True) if noisy]
        return Tally(self, dict(zip(self.noisy_names, exact, strict=True)))

    def result(self, drawn: Any, payment: Payment | None) -> HierarchyRelease:
        """Return the release."""
        names, (_, *inner) = self.names[1:], self.reads.public.values()
        return HierarchyRelease(
            query=self,
            noisy=tuple(drawn) if isinstance(drawn, list) else (drawn,),
            levels=names,
            paths=self._regions.arrays,
            cell_names=tuple(each.words[0] for each in inner),
            cell_labels=self.reads.labels,
            cell_binned=tuple(each.keys is None for each in inner),
            payment=payment,
        )


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchyRelease(Published):
    """Counts, or tables, in a hierarchy of regions that agree. `hierarchy` returns them.

    ``published["county"]`` is the table of a level. The counts of regions sum to the counts of the
    region around them, cell by cell.

    Attributes
    ----------
    query : Query
        The query: levels, noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    noisy : tuple of ndarrays of int64
        The noisy counts of each level, flat.
    levels : tuple of str
        The columns of regions, the coarsest first.
    paths : tuple of ndarrays
        The labels of each level, for each region of the last one.
    cell_names : tuple of str
        The columns of the table in each region.
    cell_labels : tuple of ndarrays
        The labels, or the edges of the bins, of each of these.
    cell_binned : tuple of bool
        Which of these have bins.

    """

    levels: tuple[str, ...]
    paths: tuple[NDArray[Any], ...]
    cell_names: tuple[str, ...] = ()
    cell_labels: tuple[NDArray[Any], ...] = ()
    cell_binned: tuple[bool, ...] = ()

    @cached_property
    def _tree(self) -> RegionTree:
        return RegionTree(self.paths)

    @property
    def _cell_axes(self) -> tuple[Axis, ...]:
        return axes_of(self.cell_names, self.cell_labels, self.cell_binned)

    def _axes_of(self, i: int) -> tuple[Axis, ...]:
        if i == 0:
            return self._cell_axes
        labels = self._tree.levels[i - 1].labels
        return (keys_of(labels, self.levels[:i], what="region"), *self._cell_axes)

    def _make(self) -> tuple[list[NDArray[np.int64]], tuple[str, ...]]:
        query, noisy = self.query, self._noisy_by_name
        cells = math.prod(query.shapes[0])
        given = [noisy[name].reshape(-1, cells) if name in noisy else None for name in query.names]
        known = query.noise_variances
        variances = [divisible(known[name]) if name in noisy else 0.0 for name in query.names]
        real = estimate_tree(self._tree, given, variances, query.total)
        return integers_of_tree(self._tree, real, query.total)

    def _to_sample(self) -> tuple[list[Axis], list[tuple[Columns, NDArray[np.int64]]], Any]:
        leaves = self.tables[self.levels[-1]]
        columns = tuple(range(len(leaves.axes)))
        return list(leaves.axes), [(columns, leaves.counts)], [Step(0, None, ())]


@release(HierarchyQuery)
def hierarchy(
    table: Any,
    levels: Sequence[Any],
    regions: Any,
    *,
    cells: Mapping[Any, Any] | None = None,
    total: Any = None,
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
) -> HierarchyRelease:
    """Publish counts in a hierarchy of regions, top down, as non-negative integers that agree.

    Parameters
    ----------
    table : frame, table, relation, path or dict of columns
        Of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark; CSV or Parquet files, as
        "data/*.csv": a text is a path; a dict of arrays or lists; a structured array. What a query
        computes must treat each record alone, and not fail on one.
    levels : list of column names
        The columns of regions, the coarsest first, such as ["state", "county", "tract"].
    regions : nested dict, list of tuples, dict of columns, or frame
        The public tree: {"NC": {"Wake": ["0501", "0502"]}}, or the path of each region of the last
        level, such as [("NC", "Wake", "0501"), ...]. Rows of other paths do not count.
    cells : dict by column, optional
        The columns of a table in each region, and their public values: a list of labels, or a tuple
        (bins, range): a number of bins and (low, high), or edges and None. Rows with other values
        do not count. Default: rows are counted.
    total : int, or release of `count`, optional
        The number of rows that count, if it is public or released; then no privacy is spent on it.
        Default: it is released, with noise, as part "total". ``len(data)`` is public under
        "change-one" alone, if a unit is a row.
    split : dict, optional
        The weights of levels in the privacy, by their columns, and of "total", the whole. Default:
        1 each.
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
    HierarchyRelease
        ``published["county"]`` has the `counts` of counties, `noisy` ones, and their `keys`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    The same `max_rows` rows of a user count in all levels.

    Noisy counts of all levels are brought to agreement by weighted least squares [1]_, and made
    integer from the top down, as in [2]_, at no privacy cost.

    References
    ----------
    .. [1] Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private histograms
       through consistency", 2010.
    .. [2] Abowd et al., "The 2020 Census disclosure avoidance system TopDown algorithm", 2022.

    Examples
    --------
    >>> people = {"state": ["NC", "NC", "VA"], "county": ["Wake", "Durham", "York"]}
    >>> published = hierarchy(
    ...     people, ["state", "county"], {"NC": ["Wake", "Durham"], "VA": ["York"]}, epsilon=3
    ... )
    >>> states, counties = published["state"].counts, published["county"].counts
    >>> counties.shape, bool(states[0] == counties[:2].sum()), int(states.sum() - published.total)
    ((3,), True, 0)

    """
    made: HierarchyRelease = run(HierarchyQuery, locals())
    return made


def _read_domains_of(given: Given) -> tuple[Keys, list[Domain]]:
    """Return the regions of the last level, and the domains of the table in each region."""
    levels, cells = given["levels"], given["cells"]
    is_list = isinstance(levels, Sequence) and not isinstance(levels, str)
    if not is_list or not levels or any(map(is_column, levels)):  # a column would be shown
        raise TypeError("levels must be a list of column names, the coarsest region first")
    names = tuple(map(str, levels))
    inner = [] if cells is None else read_domains(cells)
    columns = (*names, *(each.words[0] for each in inner))
    if TOTAL in names or len(set(columns)) < len(columns):
        raise ValueError("levels and cells must be different columns, and no level 'total'")
    regions = given["regions"]
    if isinstance(regions, Domain) and regions.keys is not None:  # they were read before
        return regions.keys, inner
    return read_regions(regions, tuple(levels)), inner


@lru_cache(4)  # trees of public regions
def _tree_of(keys: Keys) -> RegionTree:
    return RegionTree(keys.arrays)
