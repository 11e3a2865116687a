# SPDX-License-Identifier: MIT
"""Exact noise and private histograms for differential privacy."""

from __future__ import annotations

from cydp import accounting, exact, sensitivity, testing
from cydp._build import build_info, get_include, get_lib
from cydp._version import __version__
from cydp.accounting import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    LedgerError,
    Plan,
    PrivacyError,
    PrivacyFilter,
    PrivacyOdometer,
    PureDP,
    calibrate,
    convert,
    group_privacy,
    optimal_composition,
    parallel,
    sequential,
)
from cydp.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PartitionSelection,
    PermuteAndFlip,
    RandomizedResponse,
    Snapping,
)
from cydp.random import Generator, bernoulli, discrete_gaussian, discrete_laplace
from cydp.releases import (
    HistogramRelease,
    bounds,
    count,
    explain,
    group_by,
    histogram,
    histogramdd,
    mean,
    median,
    quantile,
    sum,
    top_k,
    value_counts,
    variance,
)

__all__ = [
    "ZCDP",
    "ApproxDP",
    "BudgetExceededError",
    "BudgetLedger",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "Generator",
    "HistogramRelease",
    "Laplace",
    "LedgerError",
    "PartitionSelection",
    "PermuteAndFlip",
    "Plan",
    "PrivacyError",
    "PrivacyFilter",
    "PrivacyOdometer",
    "PureDP",
    "RandomizedResponse",
    "Snapping",
    "__version__",
    "accounting",
    "bernoulli",
    "bounds",
    "build_info",
    "calibrate",
    "convert",
    "count",
    "discrete_gaussian",
    "discrete_laplace",
    "exact",
    "explain",
    "get_include",
    "get_lib",
    "group_by",
    "group_privacy",
    "histogram",
    "histogramdd",
    "mean",
    "median",
    "optimal_composition",
    "parallel",
    "quantile",
    "sensitivity",
    "sequential",
    "sum",
    "testing",
    "top_k",
    "value_counts",
    "variance",
]


def __dir__() -> list[str]:
    return __all__
