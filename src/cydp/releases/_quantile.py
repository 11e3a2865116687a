# SPDX-License-Identifier: MIT
"""Private quantiles of clamped numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from cydp._arguments import Bounds, Column, Integer, Number, TimeBounds
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._missing import Missing
from cydp.releases._quantile_list import Method
from cydp.releases._quantile_query import QuantileQuery
from cydp.releases._quantile_release import QuantileRelease
from cydp.releases._run import release, run
from cydp.releases._unit import UnitName

__all__ = ["median", "quantile"]


@release(QuantileQuery)
def quantile(
    x: Column,
    q: Number | Sequence[Number],
    bounds: Bounds | TimeBounds,
    *,
    column: Hashable = None,
    missing: Missing = "drop",
    interval: Number | None = None,
    step: Number | None = None,
    method: Method = "auto",
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> QuantileRelease:
    """Choose quantiles of numbers that are clamped to bounds, by the exponential mechanism.

    Parameters
    ----------
    x : array_like of real numbers, dates or times, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    q : number from 0 to 1, or list of numbers
        Which quantiles: 0.5 is the median. Several share the privacy and one sort, and never fall
        from one to a larger one. 0 and 1 are any points below the least and above the largest
        number: take 0.01 and 0.99.
    bounds : (lower, upper)
        Public ends, to which numbers outside are clamped. A float means its exact binary value.
        Two dates or times, for a column of such: these are rounded down to days if both ends are
        dates, else to the coarsest of s, ms, us and ns that has both ends.
    column : name, optional
        The column to read, if x is a table.
    missing : "drop", number or time, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
        Of dates and times: a public one within the bounds.
    interval : number between 0 and 1, optional
        A confidence, such as 0.95: an interval that holds the exact quantile is released as well,
        by two further choices that take two thirds of the privacy. Default: there is none.
    step : number, optional
        Numbers are rounded to multiples of it, a power of two, of which the quantile is one: 1 for
        ages. Bounds and `missing` must be multiples too. Default: 1 if the column is declared as
        integers, and the bounds and `missing` are such; else at most 2**-28 of the larger bound. A
        column of CSV declares no type, a list counts as float64, and so do integers of pandas but
        for "Int64" and the like, since one that is missing makes floats of all.
    method : {"auto", "independent", "recursive"}, default "auto"
        How several quantiles are chosen: each alone from all numbers, with an equal share of the
        privacy; or the middle one first, and the others from the ranges beside it. "auto": as the
        error to expect is less, which follows from the parameters.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP. Either
        epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP.
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
    QuantileRelease
        The quantiles, in the unit of x, within the bounds; of dates and times as datetime64, or
        as datetimes in the zone of the bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    A point y of the grid is preferred by exp(-rate * d(y)), where d(y) = max(#{x < y} - q n,
    q n - #{x <= y}, 0) and n numbers are not missing: d is 0 where q n is among the ranks of y. One
    record changes d(y) by at most max(q, 1 - q) under "add-remove", and by 1 under "change-one". A
    number of the column may be released, most of all one that many rows share: it is a point like
    any other, and rows act through d alone.

    With "recursive" [2]_ the ranges of one level have no row in common, so that its choices cost
    together what one of them costs; twice that for deeper levels if rows may become others.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.
    .. [2] Kaplan, Schnapp, Stemmer, "Differentially private approximate quantiles", 2022.

    Examples
    --------
    >>> import numpy as np
    >>> ages = list(range(101)) * 100
    >>> release = quantile(ages, [0.25, 0.5], (0, 120), epsilon=2)
    >>> bool(np.abs(release.value - [25, 50]).max() < 2)
    True
    >>> quantile(np.array(ages), [0.25, 0.5], (0, 120), epsilon=2).value  # declared as integers
    array([25., 50.])

    """
    made: QuantileRelease = run(QuantileQuery, locals())
    return made


@release(QuantileQuery)
def median(
    x: Column,
    bounds: Bounds | TimeBounds,
    *,
    column: Hashable = None,
    missing: Missing = "drop",
    interval: Number | None = None,
    step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> QuantileRelease:
    """Choose the median of numbers that are clamped to bounds: `quantile` with q=0.5.

    Parameters
    ----------
    x : array_like of real numbers, dates or times, shape (n,), or table
        A number for each record: a list, which is read as float64, an array, or a column. With
        `column`, a table: of pandas, polars (a lazy frame too), pyarrow, DuckDB or Spark, or CSV or
        Parquet files, such as "data/*.csv": a text is a path. What a query computes must treat each
        record alone, and not fail on one. Or a date or a time for each record.
    bounds : (lower, upper)
        Public ends, to which numbers outside are clamped. A float means its exact binary value.
        Two dates or times, for a column of such: these are rounded down to days if both ends are
        dates, else to the coarsest of s, ms, us and ns that has both ends.
    column : name, optional
        The column to read, if x is a table.
    missing : "drop", number or time, default "drop"
        What NaN, null and masked numbers count as: nothing, or a public number within the bounds.
        Of dates and times: a public one within the bounds.
    interval : number between 0 and 1, optional
        A confidence, such as 0.95: an interval that holds the exact quantile is released as well,
        by two further choices that take two thirds of the privacy. Default: there is none.
    step : number, optional
        Numbers are rounded to multiples of it, a power of two, of which the quantile is one: 1 for
        ages. Bounds and `missing` must be multiples too. Default: 1 if the column is declared as
        integers, and the bounds and `missing` are such; else at most 2**-28 of the larger bound. A
        column of CSV declares no type, a list counts as float64, and so do integers of pandas but
        for "Int64" and the like, since one that is missing makes floats of all.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP. Either
        epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP.
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
    QuantileRelease
        The median, in the unit of x, within the bounds; of dates and times as a datetime64, or as
        a datetime in the zone of the bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.

    Examples
    --------
    >>> release = median([20, 30, 30, 40, 50] * 1000, (0, 100), epsilon=1)
    >>> round(release.value, 3)
    30.0
    >>> import numpy as np
    >>> days = np.arange("2024-01-01", "2025-01-01", dtype="datetime64[D]")
    >>> median(np.repeat(days, 99), ("2023-01-01", "2026-01-01"), epsilon=99).value.astype("M8[M]")
    np.datetime64('2024-07')

    """
    made: QuantileRelease = run(QuantileQuery, locals())
    return made
