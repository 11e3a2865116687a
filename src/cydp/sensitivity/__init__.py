# SPDX-License-Identifier: MIT
"""Global sensitivity: how much one record can change an answer.

Neighbouring tables differ by one record more or less under "add-remove", by one record that has
another value under "change-one", and by either under "add-remove-or-change", where a sensitivity is
the larger one. A sensitivity states its relation, and so does a mechanism that it is passed to. The
definition is that of Dwork, Roth, "The algorithmic foundations of differential privacy", 2014,
section 3.3; docs/sensitivity.md has the proofs.
"""

from __future__ import annotations

from cydp._sensitivity import Sensitivity, Unbounded
from cydp.sensitivity._count import count
from cydp.sensitivity._exhaustive import ExhaustiveSensitivity
from cydp.sensitivity._extremes import maximum, minimum
from cydp.sensitivity._histogram import histogram
from cydp.sensitivity._mean import mean
from cydp.sensitivity._of import of
from cydp.sensitivity._queries import queries
from cydp.sensitivity._scores import quantile_score, rank_difference_score, tail_share_score
from cydp.sensitivity._sum import sum

__all__ = [
    "ExhaustiveSensitivity",
    "Sensitivity",
    "Unbounded",
    "count",
    "histogram",
    "maximum",
    "mean",
    "minimum",
    "of",
    "quantile_score",
    "queries",
    "rank_difference_score",
    "sum",
    "tail_share_score",
]


def __dir__() -> list[str]:
    return __all__
