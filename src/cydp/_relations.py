# SPDX-License-Identifier: MIT
"""The relations of neighbours: when two tables are neighbours."""

from __future__ import annotations

__all__ = ["RELATIONS", "check_optional_relation", "check_relation"]

RELATIONS = ("add-remove", "change-one")


def check_relation(relation: object) -> str:
    """Return a relation of neighbours, or raise a ValueError that names the two that there are."""
    if not isinstance(relation, str) or relation not in RELATIONS:
        given = repr(relation[:40]) if isinstance(relation, str) else type(relation).__name__
        raise ValueError(
            f"relation must be 'add-remove' or 'change-one', not {given}: 'add-remove' if one "
            "record comes or goes, 'change-one' if one record is replaced by another"
        )
    return relation


def check_optional_relation(relation: object) -> str | None:
    """Return the relation that a number is stated under, which may be None: it states none."""
    return None if relation is None else check_relation(relation)
