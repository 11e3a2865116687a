# SPDX-License-Identifier: MIT
"""Exact noise and private histograms for differential privacy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cydp._build import build_info, get_include, get_lib
from cydp._version import __version__

if TYPE_CHECKING:
    from cydp import (
        accounting,
        exact,
        local,
        models,
        publishing,
        sampling,
        sensitivity,
        teach,
        testing,
        workloads,
    )
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
    from cydp.interactive import Session
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
    "Session",
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
    "local",
    "mean",
    "median",
    "models",
    "optimal_composition",
    "parallel",
    "publishing",
    "quantile",
    "sampling",
    "sensitivity",
    "sequential",
    "sum",
    "teach",
    "testing",
    "top_k",
    "value_counts",
    "variance",
    "workloads",
]


# A name is imported when it is first used: a program that only draws noise loads no ledger.
_PACKAGES = (
    "accounting", "exact", "interactive", "local", "mechanisms", "models", "publishing", "random",
    "releases", "sampling", "sensitivity", "teach", "testing", "workloads",
)  # fmt: skip
_PACKAGE_OF = {
    name: package
    for package, names in {
        "accounting": (
            "ZCDP ApproxDP BudgetExceededError BudgetLedger LedgerError Plan PrivacyError "
            "PrivacyFilter PrivacyOdometer PureDP calibrate convert group_privacy "
            "optimal_composition parallel sequential"
        ),
        "interactive": "Session",
        "mechanisms": (
            "DiscreteGaussian DiscreteLaplace ExponentialMechanism Gaussian Laplace "
            "PartitionSelection PermuteAndFlip RandomizedResponse Snapping"
        ),
        "random": ("Generator bernoulli discrete_gaussian discrete_laplace"),
        "releases": (
            "HistogramRelease bounds count explain group_by histogram histogramdd mean median "
            "quantile sum top_k value_counts variance"
        ),
    }.items()
    for name in names.split()
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _PACKAGE_OF:
        found = getattr(import_module(f"cydp.{_PACKAGE_OF[name]}"), name)
    elif name in _PACKAGES:
        found = import_module(f"cydp.{name}")
    else:
        raise AttributeError(f"module 'cydp' has no attribute {name!r}")
    globals()[name] = found
    return found
