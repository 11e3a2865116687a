# SPDX-License-Identifier: MIT
"""Exact noise and private histograms for differential privacy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cydp import build  # loads the C core: an instruction set that is not there fails here
from cydp._version import __version__

if TYPE_CHECKING:
    from cydp import (
        accounting,
        distributed,
        exact,
        interactive,
        local,
        mechanisms,
        models,
        publishing,
        random,
        releases,
        sampling,
        sensitivity,
        teach,
        testing,
        workloads,
    )
    from cydp.accounting import (
        ZCDP,
        ApproxDP,
        ApproxZCDP,
        BudgetExceededError,
        BudgetLedger,
        LedgerError,
        Plan,
        PrivacyError,
        PrivacyFilter,
        PureDP,
        calibrate,
        group_privacy,
    )
    from cydp.interactive import Session
    from cydp.mechanisms import (
        DiscreteGaussian,
        DiscreteLaplace,
        ExponentialMechanism,
        Gaussian,
        Laplace,
        PermuteAndFlip,
        RandomizedResponse,
    )
    from cydp.random import Generator, discrete_gaussian, discrete_laplace
    from cydp.releases import (
        bounds,
        contribution_bound,
        count,
        date_trunc,
        explain,
        group_by,
        histogram,
        histogramdd,
        mean,
        median,
        quantile,
        top_k,
        value_counts,
        variance,
        where,
    )
    from cydp.releases import sum as sum  # offered, though __all__ leaves it out

__all__ = [
    "ZCDP",
    "ApproxDP",
    "ApproxZCDP",
    "BudgetExceededError",
    "BudgetLedger",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "Generator",
    "Laplace",
    "LedgerError",
    "PermuteAndFlip",
    "Plan",
    "PrivacyError",
    "PrivacyFilter",
    "PureDP",
    "RandomizedResponse",
    "Session",
    "__version__",
    "accounting",
    "bounds",
    "build",
    "calibrate",
    "contribution_bound",
    "count",
    "date_trunc",
    "discrete_gaussian",
    "discrete_laplace",
    "distributed",
    "exact",
    "explain",
    "group_by",
    "group_privacy",
    "histogram",
    "histogramdd",
    "interactive",
    "local",
    "mean",
    "mechanisms",
    "median",
    "models",
    "publishing",
    "quantile",
    "random",
    "releases",
    "sampling",
    "sensitivity",
    "teach",
    "testing",
    "top_k",
    "value_counts",
    "variance",
    "where",
    "workloads",
]
_BUILTINS = ("sum",)  # left out of __all__: `from cydp import *` must not replace Python's own


# A name is imported when it is first used: a program that only draws noise loads no ledger.
_PACKAGES = (
    "accounting", "distributed", "exact", "interactive", "local", "mechanisms", "models",
    "publishing", "random", "releases", "sampling", "sensitivity", "teach", "testing", "workloads",
)  # fmt: skip
_PACKAGE_OF = {
    name: package
    for package, names in {
        "accounting": (
            "ZCDP ApproxDP ApproxZCDP BudgetExceededError BudgetLedger LedgerError Plan "
            "PrivacyError PrivacyFilter PureDP calibrate group_privacy"
        ),
        "interactive": "Session",
        "mechanisms": (
            "DiscreteGaussian DiscreteLaplace ExponentialMechanism Gaussian Laplace PermuteAndFlip "
            "RandomizedResponse"
        ),
        "random": "Generator discrete_gaussian discrete_laplace",
        "releases": (
            "bounds contribution_bound count date_trunc explain group_by histogram histogramdd "
            "mean median quantile sum top_k value_counts variance where"
        ),
    }.items()
    for name in names.split()
}


_USERS = "distinct users are count(user=..., max_rows=1)"
_MEANT = {  # what is tried first
    "nunique": _USERS, "count_distinct": _USERS, "percentile": "it is quantile(x, q, bounds)",
    "std": "it is the square root of variance", "crosstab": "it is group_by(table, by=[...])",
    "min": "quantile has q near 0", "max": "quantile has q near 1", "Ledger": "it is BudgetLedger",
}  # fmt: skip


def __dir__() -> list[str]:
    return [*__all__, *_BUILTINS]


def __getattr__(name: str) -> Any:
    if name in _PACKAGE_OF:
        found = getattr(import_module(f"cydp.{_PACKAGE_OF[name]}"), name)
    elif name in _PACKAGES:
        found = import_module(f"cydp.{name}")
    else:
        hint = f": {_MEANT[name]}" if name in _MEANT else ""
        raise AttributeError(f"module 'cydp' has no attribute {name!r}{hint}")
    globals()[name] = found
    return found
