# SPDX-License-Identifier: MIT
"""Private counts of values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

from cydp._arguments import Column, Integer, Number
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp._columns.table import called
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._group_query import GroupQuery
from cydp.releases._group_rows import GroupRows
from cydp.releases._histogram_release import TableRelease
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import count_keys, key_names
from cydp.releases._rows import declare_users, open_columns
from cydp.releases._run import release, run
from cydp.releases._terms import Split
from cydp.releases._unit import UnitName

__all__ = ["ValuesQuery", "value_counts"]


class ValuesQuery(GroupQuery):
    """Counts of the values of one column: a query of `group_by`, from other arguments."""

    data: ClassVar[str] = "x"

    @classmethod
    def of(cls, given: Given, source: GroupRows | None) -> DataQuery:
        """Return the query of a call."""
        keys = None if source is None else source.keys
        n_keys = count_keys(given["keys"], None) if keys is None else len(keys)
        split, left_out, selection = given["split"], given["left_out"], given["selection"]
        asked = n_keys, True, None, None, None, "drop", split, left_out, selection, None
        found = GroupQuery.kept(given, *asked)
        columns = {**found.reads.columns, "by": key_names([given["column"]])}
        return found.reading(columns=columns, keys=keys, called="value_counts")

    @classmethod
    def declare(cls, given: Given) -> GroupRows:
        """Return the columns of labels and users, and the keys."""
        public = None if given["keys"] is None else Keys(given["keys"])
        x, found = open_columns(given["x"], given["column"], user=given["user"])
        return GroupRows(
            [Labels(x, called(given["column"], "x"))], public, declare_users(found["user"]), {}
        )


@release(ValuesQuery)
def value_counts(
    x: Column,
    keys: Any = None,
    *,
    column: Hashable = None,
    left_out: Integer | None = None,
    selection: str | None = None,
    split: Split | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> TableRelease:
    """Count how often each value occurs, and add exact noise.

    Parameters
    ----------
    x : array_like of labels, shape (n,), or table
        A label of any kind for each record. Missing labels are left out. A table, with `column`,
        is one of those that `group_by` takes.
    keys : list of labels, Keys, or None
        Public keys; records with others are left out. None: the keys that occur are selected
        privately, which takes epsilon and delta. Which keys occur would reveal who has them.
    column : name, optional
        The column to read, if x is a table.
    left_out : int >= 1, optional
        With `user`: estimate how many records the bounds leave out, of one user so many at most,
        with noise, as `release.left_out`.
    selection : {"threshold", "optimal"}, optional
        How keys that are not public are selected: by a threshold on their noisy counts, or by an
        optimal selection before them, which takes a share of the privacy. Default: the way with
        less error.
    split : dict, optional
        The weights in the privacy of "n", of "keys" if they are selected, and of "left_out".
        Default: 1 each.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent. Keys that are not public need it, also with
        `rho`: approximate zCDP.
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
    max_partitions : int >= 1, optional
        Required with `user`: the most partitions (bins, keys or cells) in which records of one user
        count, chosen at random.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each bin, key or cell.
    max_rows : int >= 1, optional
        Instead of `max_partitions`: the most records of one user that count, in all bins, keys or
        cells together, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    TableRelease
        `keys` are in the given order, or sorted, and `counts` are noisy.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    References
    ----------
    .. [1] Desfontaines, Voss, Gipson, Mandayam, "Differentially private partition selection", 2022.

    Examples
    --------
    >>> release = value_counts(["b", "z", None, "a", "b"], ["a", "b"], epsilon=1)
    >>> release.keys, release.counts.shape
    (array(['a', 'b'], dtype=object), (2,))
    >>> release = value_counts(["x"] * 1000 + ["rare"], epsilon=1, delta=1e-9)
    >>> release.keys
    array(['x'], dtype=object)

    """
    made: TableRelease = run(ValuesQuery, locals())
    return made
