# SPDX-License-Identifier: MIT
"""Exact aggregates: fast, and NOT private. What they return is the data's own."""

from __future__ import annotations

from cydp.exact._accumulators import GroupedAccumulator, HistogramAccumulator
from cydp.exact._bincount import bincount
from cydp.exact._contributions import bound_contributions
from cydp.exact._histogram import histogram
from cydp.exact._histogramdd import histogramdd
from cydp.exact._keys import Keys
from cydp.exact._match import match_keys, value_counts
from cydp.exact._sums import GridSum, clamped_sum, clamped_sum_and_squares, grouped_clamped_sum

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
    "match_keys",
    "value_counts",
]


def __dir__() -> list[str]:
    return __all__
