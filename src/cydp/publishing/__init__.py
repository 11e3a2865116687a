# SPDX-License-Identifier: MIT
"""Tables for publication: they agree, are non-negative integers, and can be sampled from."""

from __future__ import annotations

from cydp.publishing._contingency_tables import ContingencyTables, contingency_tables
from cydp.publishing._hierarchy import HierarchyRelease, hierarchy
from cydp.publishing._mbi import MbiModel, estimate_with_mbi, to_mbi
from cydp.publishing._published import PublishedTable
from cydp.publishing._synthetic import SyntheticTable

__all__ = [
    "ContingencyTables",
    "HierarchyRelease",
    "MbiModel",
    "PublishedTable",
    "SyntheticTable",
    "contingency_tables",
    "estimate_with_mbi",
    "hierarchy",
    "to_mbi",
]


def __dir__() -> list[str]:
    return __all__
