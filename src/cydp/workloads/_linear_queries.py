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
    x, bins, range, column
        As in `cydp.histogram`. The cells of the workload are the bins.
    workload : Workload, or array_like of real numbers, shape (queries, bins)
        The weights of each query.
    strategy : {"identity", "tree", "workload"}, optional
        What has noise: the counts of bins; those of a tree's nodes, as in `range_counts`; or the
        answers themselves, which must have integer weights. Default: that with the least sum of
        variances, which depends on no data.
    branching, levels : int, optional
        Those of the tree, as in `range_counts`.
    epsilon, rho, delta, relation, user, unit, max_partitions, max_rows_per_partition
        As in `cydp.histogram`. A partition is a bin.
    max_rows_per_unit, budget, rng
        As in `cydp.histogram`.

    Returns
    -------
    LinearRelease
        `answers`, with the variance of each.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or the strategy cannot be used. Then nothing is charged and
        no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

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
