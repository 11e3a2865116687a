# SPDX-License-Identifier: MIT
"""Errors by dimension, epsilon, relation, mechanism and workload: measured and predicted."""

from __future__ import annotations

from cydp.teach.utility._case import Setting
from cydp.teach.utility._measure import crossing, measure
from cydp.teach.utility._table import UtilityRow, UtilityTable
from cydp.teach.utility._workloads import WORKLOADS, Method

__all__ = [
    "WORKLOADS",
    "Method",
    "Setting",
    "UtilityRow",
    "UtilityTable",
    "crossing",
    "measure",
]


def __dir__() -> list[str]:
    return __all__
