# SPDX-License-Identifier: MIT
"""The counts of all ranges of bins, by a tree of noisy counts that are made consistent."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._histogram import HistogramRows
from cydp.releases._rows import known_names
from cydp.releases._run import run
from cydp.releases._unit import UnitName, user_key
from cydp.workloads._range_query import RangeQuery, range_query
from cydp.workloads._range_release import RangeRelease

__all__ = ["declare_bins", "plan_ranges", "range_counts"]


@explain_arguments
def range_counts(
    x: Column,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
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
) -> RangeRelease:
    """Count records in all ranges of bins at once, by a tree of noisy counts.

    The counts of bins, of groups of bins, of groups of these and so on have exact noise, and are
    then made consistent by least squares. A long range is the sum of few noisy counts; in a
    histogram it is one of many.

    Parameters
    ----------
    x, bins, range, column
        As in `cydp.histogram`; at most 2**26 bins.
    branching : int >= 2, optional
        How many counts of a level have one sum in the next level. Default: that with the least
        mean variance over all ranges, which depends on the number of bins and on the unit.
    levels : int >= 1, optional
        How many levels have noise. 1 is the histogram; the most has the total of all bins. Default:
        as for branching.
    epsilon, rho, delta, relation, user, unit, max_partitions, max_rows_per_partition
        As in `cydp.histogram`. A partition is a bin.
    max_rows_per_unit, budget, rng
        As in `cydp.histogram`.

    Returns
    -------
    RangeRelease
        ``release.range(lo, hi)`` and ``release.ranges(lows, highs)`` are the counts of ranges, with
        `range_variance` and `range_interval`; `counts` are those of the bins.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    A record changes one count of each level by 1 under "add-remove". Under the other relations it
    is two counts of each level below a total, if that has noise. docs/workloads.md has the proofs.

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
    >>> release.query.branching, release.query.levels, round(release.query.expected_error, 1)
    (9, 2, 6.8)

    """
    rows = declare_bins(x, bins, range, column, user)
    query = range_query(
        rows.cells, branching, levels, epsilon, rho, delta, relation, user_key(user), unit,
        max_partitions, max_rows_per_partition, max_rows_per_unit,
    )  # fmt: skip
    edges = rows.grid.edges
    nodes, payment = run(
        query, partial(_draw, query, rows), budget, rng,
        arguments=lambda: {"edges": edges}, columns=[column, user], nbytes=8 * query.tree.nodes,
    )  # fmt: skip
    return RangeRelease(
        query=query, nodes=nodes, axes=(edges,), names=known_names([column]), payment=payment
    )


def declare_bins(x: Any, bins: Any, range: Any, column: Any, user: Any) -> HistogramRows:
    """Return a column, declared, and its bins.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    """
    if range is not None and np.ndim(cast(Any, bins)) != 0:
        raise ValueError("range must be None if bins are edges")
    return HistogramRows(x, bins, range, column, None, None, user)


@explain_arguments
def plan_ranges(
    cells: Integer,
    *,
    branching: Integer | None = None,
    levels: Integer | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
) -> Any:
    """Return what `range_counts` would do with as many bins, and its errors, without data.

    Parameters
    ----------
    cells : int
        The number of bins.
    branching, levels, epsilon, rho, delta, relation, user, unit, max_partitions
        As in `range_counts`.
    max_rows_per_partition, max_rows_per_unit
        As in `range_counts`.

    Returns
    -------
    RangeQuery, which ``release.query`` is too
        With `branching`, `levels`, `range_variance`, `mean_variance`, `expected_error` and `loss`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> plan = plan_ranges(2**20, epsilon=1)
    >>> plan.branching, plan.levels, round(plan.expected_error, 1)
    (16, 5, 34.5)
    >>> round(plan_ranges(2**20, levels=1, epsilon=1).expected_error)
    802

    """
    number = read_integer(cells, "cells")
    return range_query(
        number, branching, levels, epsilon, rho, delta, relation, user_key(user), unit,
        max_partitions, max_rows_per_partition, max_rows_per_unit,
    )  # fmt: skip


def _draw(query: RangeQuery, rows: HistogramRows, generator: Generator) -> NDArray[np.int64]:
    """Return the noisy counts of nodes; the data is read here."""
    nodes = query.tree.count_nodes(rows.count(query, generator))
    return query.part.noise.release(nodes, rng=generator)
