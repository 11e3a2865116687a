# SPDX-License-Identifier: MIT
"""The counts of all ranges of bins, by a tree of noisy counts that are made consistent."""

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
    made: RangeRelease = run(RangeQuery, locals())
    return made
