# SPDX-License-Identifier: MIT
"""Exact noise and private histograms for differential privacy."""

from cydp import accounting, exact, testing
from cydp._random import build_info
from cydp.accounting import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    PrivacyError,
    PrivacyFilter,
    PrivacyOdometer,
    PureDP,
    group_privacy,
    parallel,
    sequential,
)
from cydp.build import get_include, get_lib
from cydp.mechanisms import DiscreteLaplace, ExponentialMechanism, PermuteAndFlip
from cydp.random import Generator, bernoulli, discrete_gaussian, discrete_laplace
from cydp.releases import HistogramRelease, histogram

__version__ = "0.1.0.dev0"

__all__ = [
    "ZCDP",
    "ApproxDP",
    "BudgetExceededError",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Generator",
    "HistogramRelease",
    "PermuteAndFlip",
    "PrivacyError",
    "PrivacyFilter",
    "PrivacyOdometer",
    "PureDP",
    "__version__",
    "accounting",
    "bernoulli",
    "build_info",
    "discrete_gaussian",
    "discrete_laplace",
    "exact",
    "get_include",
    "get_lib",
    "group_privacy",
    "histogram",
    "parallel",
    "sequential",
    "testing",
]
