# SPDX-License-Identifier: MIT
"""Exact aggregates: fast, and NOT private. They add no noise to what they return."""

from __future__ import annotations

from cydp._columns.keys import Keys
from cydp.exact._clamped_sum import clamped_sum, clamped_sum_and_squares, grouped_clamped_sum
from cydp.exact._contributions import bound_contributions
from cydp.exact._domains import match_domains
from cydp.exact._grid_sum import GridSum
from cydp.exact._grouped_accumulator import GroupedAccumulator
from cydp.exact._histogram import bincount, histogram
from cydp.exact._histogram_accumulator import HistogramAccumulator
from cydp.exact._histogramdd import histogramdd
from cydp.exact._lookup import match_keys, value_counts

__all__ = [
    "GridSum",
    "GroupedAccumulator",
    "HistogramAccumulator",
    "Keys",
    "bincount",
    "bound_contributions",
    "clamped_sum",
    "clamped_sum_and_squares",
    "grouped_clamped_sum",
    "histogram",
    "histogramdd",
    "match_domains",
    "match_keys",
    "value_counts",
]


def __dir__() -> list[str]:
    return __all__
