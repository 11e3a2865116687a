# SPDX-License-Identifier: MIT
"""The relations of neighbours: when two tables are neighbours. docs/sensitivity.md."""

from __future__ import annotations

__all__ = ["RELATIONS", "SINGLE_RELATIONS", "check_optional_relation", "check_relation", "implies"]

SINGLE_RELATIONS = ("add-remove", "change-one")
_EITHER = "add-remove-or-change"  # neighbours under one of the two
RELATIONS = (*SINGLE_RELATIONS, _EITHER)


def check_relation(relation: object) -> str:
    """Return a relation of neighbours, or raise a ValueError that names all relations."""
    if not isinstance(relation, str) or relation not in RELATIONS:
        given = repr(relation[:40]) if isinstance(relation, str) else type(relation).__name__
        raise ValueError(
            f"relation must be 'add-remove', 'change-one' or 'add-remove-or-change', not {given}: "
            "one record comes or goes, one record is replaced, or either"
        )
    return relation


def check_optional_relation(relation: object) -> str | None:
    """Return the relation that a number is stated under; None if it states none."""
    return None if relation is None else check_relation(relation)


def implies(stated: str | None, relation: str) -> bool:
    """Whether a number that is stated under one relation may be used under another.

    A number without a relation may: the caller is responsible for it.

    >>> implies("add-remove-or-change", "change-one"), implies("change-one", "add-remove")
    (True, False)
    """
    return stated in (None, relation, _EITHER)
