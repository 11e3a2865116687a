# SPDX-License-Identifier: MIT
"""Workloads: many linear queries that are known in advance, with less noise than one by one."""

from __future__ import annotations

from cydp.workloads._linear_queries import linear_queries
from cydp.workloads._linear_release import LinearRelease
from cydp.workloads._marginals import marginals
from cydp.workloads._marginals_release import MarginalsRelease
from cydp.workloads._range_counts import range_counts
from cydp.workloads._range_release import RangeRelease
from cydp.workloads._running_counts import RunningCounts
from cydp.workloads._strategies import StrategyError
from cydp.workloads._workload import Workload

__all__ = [
    "LinearRelease",
    "MarginalsRelease",
    "RangeRelease",
    "RunningCounts",
    "StrategyError",
    "Workload",
    "linear_queries",
    "marginals",
    "range_counts",
]


def __dir__() -> list[str]:
    return __all__
