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
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> LinearRelease:
    """Answer many linear queries on the counts of bins, with noise where it costs the least error.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one.
    workload : Workload, or array_like of real numbers, shape (queries, bins)
        The weights of each query.
    bins : int, sequence of edges, or a width of time
        The cells of the workload: a number of equal bins over `range`, or edges that never
        decrease. The last bin includes its right edge. Missing numbers, and numbers in no bin, are
        left out.
        Of dates or times: edges that are such, or a width over `range`, such as "15m", "6h", "1d",
        "1w", "1mo" or "1y", or a timedelta; then no bin includes its right edge.
    range : (float, float), or two dates or times, optional
        The ends of the bins, unless `bins` are edges. There is no default, because the range of the
        data would reveal records.
    strategy : {"identity", "tree", "workload", "fractional_sums", "tents"}, optional
        Where noise is added: to the counts of bins; to the counts of a tree's nodes, which are sums
        of bins; to the answers themselves, which must have integer weights; with Gaussian noise, to
        sums of all bins up to each one, whose weights fall with the distance; or, with Laplace
        noise, to bins and overlapping sums of neighbours. Default: the strategy with the least sum
        of variances, which depends on no data.
    branching : int >= 2, optional
        How many counts of one level of the tree have one sum in the next. Default: the number with
        the least mean variance over all ranges.
    levels : int >= 1, optional
        How many levels of the tree have noise. Default: chosen together with `branching`.
    column : name, optional
        The column to read, if x is a table.
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
    max_partitions : int >= 1, optional
        Required with `user`: the most partitions (bins, keys or cells) in which records of one user
        count, chosen at random.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each bin, key or cell.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    LinearRelease
        `answers`, with the variance of each.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or the strategy cannot be used. Nothing is charged, and no
        data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

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
