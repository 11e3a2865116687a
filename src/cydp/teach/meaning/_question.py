# SPDX-License-Identifier: MIT
"""The question that a cost is about, asked of what it protects: of a person, a row or a user."""

from __future__ import annotations

from cydp.releases._explanation import Explanation
from cydp.releases._release import Release
from cydp.teach.meaning._reading import CostOrPlan, question_of

__all__ = ["question_about", "unit_of"]


def unit_of(cost: CostOrPlan) -> str:
    """Return what a release protects one of, such as "row"; "person" where nothing is said."""
    return cost.query.unit.name if isinstance(cost, Release | Explanation) else "person"


def question_about(cost: CostOrPlan, about: str | None) -> str:
    """Return what changes between two tables, as words: "one row taking part or not"."""
    return question_of(cost, about).replace("one person", f"one {unit_of(cost)}")
