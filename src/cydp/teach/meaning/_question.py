# SPDX-License-Identifier: MIT
"""The question that a cost is about, asked of what it protects: of a person, a row or a user."""

from __future__ import annotations

from cydp.accounting._cost import units_of
from cydp.teach.meaning._reading import CostOrPlan, question_of

__all__ = ["question_about", "unit_of"]

_NOT_SAID = "person"


def unit_of(cost: CostOrPlan) -> str:
    """Return what a release protects one of, such as "row"; "person" where nothing is said.

    A plan of releases that protect different units protects neither: "unit".
    """
    said = {str(unit.name) for unit in units_of(cost)}
    return said.pop() if len(said) == 1 else "unit" if said else _NOT_SAID


def question_about(cost: CostOrPlan, about: str | None) -> str:
    """Return what changes between two tables, as words: "one row taking part or not"."""
    return question_of(cost, about).replace("one person", f"one {unit_of(cost)}")
