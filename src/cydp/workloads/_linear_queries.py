# SPDX-License-Identifier: MIT
"""Private answers of any workload of linear queries, by the best of three strategies."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._run import release, run
from cydp.releases._unit import UnitName
from cydp.workloads._linear_release import LinearRelease
from cydp.workloads._strategies import (
    LinearQuery,
)

__all__ = ["linear_queries"]


@release(LinearQuery)
def linear_queries(
    x: Column,
    workload: Any,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
    strategy: str | None = None,
    branching: Integer | None = None,
    levels: Integer | None = None,
    column: Hashable = None,
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
) -> LinearRelease:
    """Answer many linear queries on the counts of bins, with noise in what costs least error.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column of pandas,
        polars, pyarrow or DuckDB, whose own expressions must fail on no record. Missing numbers,
        and those outside the bins, are left out.
    workload : Workload, or array_like of real numbers, shape (queries, bins)
        The weights of each query.
    bins : int or sequence of edges
        The cells of the workload: a number of equal bins over `range`, or edges that never
        decrease. The last bin includes its right edge.
    range : (float, float), optional
        The ends of equal bins. There is no default, because the range of the data would reveal
        records.
    strategy : {"identity", "tree", "workload"}, optional
        What has noise: the counts of bins, the counts of a tree's nodes, or the answers themselves,
        which must have integer weights. Default: that with the least sum of variances, which
        depends on no data.
    branching : int >= 2, optional
        Of a tree: how many counts of a level have one sum in the next level. Default: that with the
        least mean variance over all ranges.
    levels : int >= 1, optional
        Of a tree: how many levels have noise. Default: that with the least mean variance over all
        ranges.
    column : str, optional
        The name of the column, if x is a table.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, instead of `epsilon`.
    delta : number between 0 and 1, optional
        The delta of approximate DP, beside `epsilon`.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. Then the unit that is protected is a user, and some of their
        records count, chosen at random. Default: the unit is a record.
    unit : str or sequence of str, optional
        What a value of `user` stands for, in the words of a ledger's `privacy_unit`, such as
        "person". A sequence adds the units that lie within one, such as ("household", "person").
        Default: the name of the column, or "user".
    max_partitions : int >= 1, optional
        In how many partitions (bins, keys or cells) records of each user count. It must be given
        with `user`.
    max_rows_per_partition : int >= 1, default 1
        How many records of each user count in each partition.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    LinearRelease
        `answers`, with the variance of each.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or the strategy cannot be used. Nothing is charged,
        and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Noise is discrete Laplace for `epsilon` alone, and discrete Gaussian for `rho`, or `epsilon`
    with `delta`.

    References
    ----------
    .. [1] Li, Hay, Rastogi, Miklau, McGregor, "Optimizing linear counting queries under
       differential privacy", 2010.

    Examples
    --------
    >>> under_20_and_over_60 = [[1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]
    >>> ages = [18, 25, 31, 64]
    >>> release = linear_queries(ages, under_20_and_over_60, 10, (0, 100), epsilon=1)
    >>> release.query.strategy, release.answers.shape, release.error_bound()
    ('workload', (2,), array([3., 3.]))

    """
    made: LinearRelease = run(LinearQuery, locals())
    return made
