# SPDX-License-Identifier: MIT
"""Global sensitivity: how much one record can change an answer.

Neighbouring tables differ by one record more or less under "add-remove", by one record that has
another value under "change-one", and by either under "add-remove-or-change", where a sensitivity is
the larger one. A sensitivity states its relation, and so does a mechanism that it is passed to. The
definition is by Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section
3.3.
"""

from __future__ import annotations

from cydp._sensitivity import Sensitivity, Unbounded
from cydp.sensitivity._counts import count, histogram, queries
from cydp.sensitivity._numbers import maximum, mean, minimum, sum

__all__ = [
    "Sensitivity",
    "Unbounded",
    "count",
    "histogram",
    "maximum",
    "mean",
    "minimum",
    "queries",
    "sum",
]


def __dir__() -> list[str]:
    return __all__
