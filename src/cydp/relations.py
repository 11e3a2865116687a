# SPDX-License-Identifier: MIT
"""When two tables are neighbours."""

RELATIONS = ("add-remove", "change-one")


def check_relation(relation: object) -> str:
    """Return the relation, or raise a ValueError that names those there are."""
    if not isinstance(relation, str) or relation not in RELATIONS:
        allowed = " or ".join(map(repr, RELATIONS))
        raise ValueError(f"relation must be {allowed}, not {str(relation)[:40]!r}")
    return relation
