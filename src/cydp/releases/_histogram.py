# SPDX-License-Identifier: MIT
"""The private histogram, of one column or for each key of others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Records
from cydp._columns.label_keys import LabelKeys
from cydp._columns.labels import Labels
from cydp._columns.pieces import add_pieces
from cydp._generator import Generator
from cydp.exact._bins import Bins, public_bins
from cydp.exact._cell_codes import cell_codes
from cydp.exact._contributions import sample_key
from cydp.exact._grouped_histogram import grouped_histogram
from cydp.exact._kept_bins import kept_bins
from cydp.exact._label_codes import match_labels
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._histogram_release import HistogramRelease
from cydp.releases._keys import digest_keys
from cydp.releases._partitions import bound_rows, count_codes, join_codes
from cydp.releases._parts import Aggregate
from cydp.releases._privacy import read_privacy
from cydp.releases._query import Query, kept
from cydp.releases._release import recorded
from cydp.releases._rows import (
    by_names,
    check_lengths,
    declare_users,
    known_names,
    open_columns,
)
from cydp.releases._run import run
from cydp.releases._unit import UnitName, UserKey, read_unit, user_key

__all__ = ["HistogramQuery", "HistogramRows", "draw_counts", "histogram", "histogram_query"]


@recorded
@dataclass(frozen=True, repr=False)
class HistogramQuery(Query):
    """Counts in disjoint cells that are public.

    Attributes
    ----------
    cells : int
        How many counts there are.

    """

    function: ClassVar[str] = "histogram"

    cells: int

    def aggregates(self) -> list[Aggregate]:
        """Return the counts."""
        return [Aggregate("counts", self.unit.change_each_partition(1, 1, self.cells))]


@kept
def histogram_query(
    cells: int,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_partitions: Integer | None,
    max_rows_per_partition: Integer | None,
    max_rows_per_unit: Integer | None,
) -> HistogramQuery:
    """Return the query of `histogram`, from its public parameters."""
    protected = read_unit(
        relation,
        user,
        unit,
        max_partitions=max_partitions,
        max_rows_per_partition=max_rows_per_partition,
        max_rows_per_unit=max_rows_per_unit,
        by_partition=True,
    )
    return HistogramQuery(read_privacy(epsilon, rho, delta, relation), protected, cells)


@explain_arguments
def histogram(
    x: Column,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
    column: Hashable = None,
    by: Any = None,
    by_keys: Any = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> HistogramRelease:
    """Count records in bins and add exact noise to every count.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        One entry for each record. It may be a list, which is read as float64, an array, or a
        column or one-column table of pandas, polars, pyarrow or DuckDB (whose own expressions must
        fail on no record). NaN, null and masked entries, and values outside the bins, are left out.
    bins : int or sequence of edges
        A number of equal bins over `range`, or edges that never decrease. The last bin includes
        its right edge.
    range : (float, float)
        The ends of the equal bins. There is no default, because the range of the data would
        reveal records.
    column : str, optional
        The name of the column, if x is a table.
    by : column of labels, or its name if x is a table, optional
        Makes a histogram for each of `by_keys`. Several columns are a tuple or a list of names.
    by_keys : list of labels, optional
        The public keys of `by`; records with others are left out. For several columns a list of
        tuples, a dict of columns, or a frame.
    epsilon, rho, delta : numbers > 0
        Privacy cost of the release. epsilon: pure DP, in nats, with discrete Laplace noise. rho:
        zCDP, and epsilon with delta: approximate DP, both with discrete Gaussian noise.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name if x is a table, optional
        Whose record each one is. Then the unit that is protected is a user. Default: the unit is a
        record.
    unit : str or sequence of str, optional
        What a value of `user` stands for, as in `count`.
    max_partitions : int >= 1
        Required with `user`: the most bins, or pairs of a key and a bin, in which records of one
        user count. They are chosen at random.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each of these.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`, the caller's promise that no unit has more records in x.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    HistogramRelease
        The noisy counts, with their edges, privacy loss and intervals. It unpacks to counts and
        edges.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    A record changes one count by 1 under "add-remove", and two under "change-one";
    docs/releases/units.md has the sensitivities of users.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data
       analysis", 2006, example 1.

    Examples
    --------
    >>> counts, edges = histogram([18, 25, 31], bins=2, range=(0, 40), epsilon=1)
    >>> counts.shape, edges
    ((2,), array([ 0., 20., 40.]))
    >>> histogram([1, 2, 3], 2, (0, 4), by=["a", "b", "b"], by_keys=["a", "b"], rho=1).counts.shape
    (2, 2)

    """
    if range is not None and np.ndim(cast(Any, bins)) != 0:
        raise ValueError("range must be None if bins are edges")
    rows = HistogramRows(x, bins, range, column, by, by_keys, user)
    query = histogram_query(
        rows.cells, epsilon, rho, delta, relation, user_key(user), unit, max_partitions,
        max_rows_per_partition, max_rows_per_unit,
    )  # fmt: skip
    edges, keys = rows.grid.edges, rows.keys
    shape = (len(edges) - 1,) if keys is None else (len(keys), len(edges) - 1)
    counts, payment = run(
        query, partial(draw_counts, query, rows), budget, rng,
        arguments=lambda: {"edges": edges, "keys": digest_keys(keys)},
        columns=[column, user, *(by_names(by, column) or [by])],
        nbytes=8 * rows.cells,
    )  # fmt: skip
    return HistogramRelease(
        query=query,
        counts=counts.reshape(shape),
        axes=(edges,),
        by_columns=() if keys is None else keys.arrays,
        names=known_names([column]),
        by_names=known_names(by_names(by, column) or [by]),
        payment=payment,
    )


class HistogramRows:
    """The columns of a histogram, declared, and its bins and keys."""

    __slots__ = ("_labels", "_records", "_users", "cells", "grid", "keys")

    def __init__(
        self, x: Column, bins: Any, range: Any, column: Any, by: Any, by_keys: Any, user: Any
    ) -> None:
        self._labels: list[Labels] = []
        self._users: Labels | None = None
        self.keys: LabelKeys | None = None
        if by is not None or user is not None or column is not None:
            x, found = open_columns(x, column, user=user, by=by)
            self._users = declare_users(found["user"])
            self._labels = [Labels(each, "by") for each in found["by"] or ()]
        if (by is None) != (by_keys is None):
            raise TypeError("by and by_keys must be given together: the column, and public keys")
        self._records = Records(x)
        for declared in (self._users, *self._labels):
            check_lengths(self._records, declared)
        dtype = self._records.dtype
        self.grid: Bins = kept_bins(bins, range, dtype) or public_bins(bins, range, dtype)
        self.cells = len(self.grid.edges) - 1
        if by is not None:
            self.keys = LabelKeys(by_keys, by_names(by, column))
            self.keys.check(self._labels)
            self.cells *= len(self.keys)

    def count(self, query: Query, generator: Generator) -> NDArray[np.int64]:
        """Return the exact counts of the rows that count."""
        if self._records.length is not None:  # most often, and the quickest way
            return self._count(query, generator, None)
        key = sample_key(self._users, generator)
        counts: NDArray[np.int64]
        (counts,) = add_pieces(
            lambda: [self._count(query, generator, key)],
            [self._records, *self._labels],
            self._users,
        )
        return counts

    def _count(
        self, query: Query, generator: Generator, key: NDArray[np.uint64] | None
    ) -> NDArray[np.int64]:
        values = self._records.read()
        keys = None if self.keys is None else match_labels(self._labels, self.keys)
        if self._users is None:
            if keys is None:
                return self.grid.count(values)
            assert self.keys is not None
            return grouped_histogram(self.grid, keys, len(self.keys), values).reshape(-1)
        codes = cell_codes([self.grid], [values])
        if keys is not None:
            assert self.keys is not None
            codes = join_codes(keys, len(self.keys), codes, len(self.grid.edges) - 1)
        codes = bound_rows(codes, self.cells, query.unit, self._users, generator, key=key)
        return count_codes(codes, self.cells)


def draw_counts(query: Query, rows: HistogramRows, generator: Generator) -> NDArray[np.int64]:
    """Return the noisy counts; the data is read here."""
    return query.parts["counts"].noise.release(rows.count(query, generator), rng=generator)
