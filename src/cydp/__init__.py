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
from cydp.releases import HistogramRelease, histogram

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
    "build_info",
    "calibrate",
    "convert",
    "discrete_gaussian",
    "discrete_laplace",
    "exact",
    "get_include",
    "get_lib",
    "group_privacy",
    "histogram",
    "optimal_composition",
    "parallel",
    "sensitivity",
    "sequential",
    "testing",
]


def __dir__() -> list[str]:
    return __all__
