# SPDX-License-Identifier: MIT
"""Private releases: check, charge, read, count, add noise."""

from __future__ import annotations

from cydp.releases._bounds import BoundsRelease, bounds
from cydp.releases._contribution_bound import ContributionBoundRelease, contribution_bound
from cydp.releases._count import NumberRelease, count
from cydp.releases._date_trunc import date_trunc
from cydp.releases._explain import explain
from cydp.releases._explanation import Explanation
from cydp.releases._group_by import group_by
from cydp.releases._histogram import histogram
from cydp.releases._histogram_release import (
    HistogramRelease,
    TableRelease,
    TopCountsRelease,
)
from cydp.releases._histogramdd import histogramdd
from cydp.releases._mean import MeanRelease, mean
from cydp.releases._quantile import median, quantile
from cydp.releases._quantile_release import QuantileRelease
from cydp.releases._sum import sum
from cydp.releases._top_k import top_k
from cydp.releases._top_release import TopRelease
from cydp.releases._value_counts import value_counts
from cydp.releases._variance import VarianceRelease, variance
from cydp.releases._where import where
from cydp.releases.postprocessing._post_processed import PostProcessed

__all__ = [
    "BoundsRelease",
    "ContributionBoundRelease",
    "Explanation",
    "HistogramRelease",
    "MeanRelease",
    "NumberRelease",
    "PostProcessed",
    "QuantileRelease",
    "TableRelease",
    "TopCountsRelease",
    "TopRelease",
    "VarianceRelease",
    "bounds",
    "contribution_bound",
    "count",
    "date_trunc",
    "explain",
    "group_by",
    "histogram",
    "histogramdd",
    "mean",
    "median",
    "quantile",
    "sum",
    "top_k",
    "value_counts",
    "variance",
    "where",
]


def __dir__() -> list[str]:
    return __all__
