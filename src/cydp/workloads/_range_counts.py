# SPDX-License-Identifier: MIT
"""The counts of all ranges of bins, for one charge."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._run import release, run
from cydp.releases._unit import UnitName
from cydp.workloads._range_query import RangeQuery
from cydp.workloads._range_release import RangeRelease

__all__ = ["range_counts"]


@release(RangeQuery)
def range_counts(
    x: Column,
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
) -> RangeRelease:
    """Count records in all ranges of bins at once, by a tree of noisy counts, or by weighted sums.

    The counts of bins, of groups of bins, of groups of these and so on have exact noise, and are
    then made consistent by least squares. A long range is the sum of few noisy counts; in a
    histogram it is one of many. With Gaussian noise, sums of all bins up to each one, whose weights
    fall with the distance, are better.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    bins : int, sequence of edges, or a width of time
        A number of equal bins over `range`, or edges that never decrease: at most 2**26 bins. The
        last bin includes its right edge. Missing numbers, and numbers in no bin, are left out.
        Of dates or times: edges that are such, or a width over `range`, such as "15m", "6h", "1d",
        "1w", "1mo" or "1y", or a timedelta; then no bin includes its right edge.
    range : (float, float), or two dates or times, optional
        The ends of the bins, unless `bins` are edges. There is no default, because the range of the
        data would reveal records.
    strategy : {"tree", "fractional_sums", "tents"}, optional
        Which sums of bins have noise. Default: those of the least mean variance over all ranges;
        unless `branching` or `levels` is given, fractional sums are tried for Gaussian noise and at
        most 2**13 bins, and tents, which overlap, for Laplace noise and at most 2**11.
    branching : int >= 2, optional
        How many counts of one level have one sum in the next. Default: the number with the least
        mean variance over all ranges, which depends on the number of bins and on the unit.
    levels : int >= 1, optional
        How many levels have noise. 1 is the histogram; the most has the total of all bins. Default:
        chosen together with `branching`.
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
    RangeRelease
        ``release.range(lo, hi)`` and ``release.ranges(lows, highs)`` are the counts of ranges, with
        `range_variance` and `range_interval`; `counts` are the counts of the bins.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    A record changes one count of each level by 1 under "add-remove". Under the other relations it
    changes two counts of each level below a total, if that has noise.

    References
    ----------
    .. [1] Hay, Rastogi, Miklau, Suciu, "Boosting the accuracy of differentially private histograms
       through consistency", 2010.
    .. [2] Qardaji, Yang, Li, "Understanding hierarchical methods for differentially private
       histograms", 2013.

    Examples
    --------
    >>> release = range_counts([18, 25, 31, 64], 100, (0, 100), epsilon=1)
    >>> bool(abs(release.range(0, 100) - release.counts.sum()) < 1e-9)
    True
    >>> release.query.strategy, round(release.query.expected_error, 1)
    ('tents', 6.3)

    """
    made: RangeRelease = run(RangeQuery, locals())
    return made
