# SPDX-License-Identifier: MIT
"""The relation of neighbours that a number is stated under, where it is known."""

from __future__ import annotations

from cydp.accounting._errors import RelationMismatchError

__all__ = ["common_relation"]


def common_relation(what: str, *relations: str | None) -> str | None:
    """Return the one relation that several numbers are stated under.

    Parameters
    ----------
    what : str
        What the numbers are, for the error.
    *relations : {"add-remove", "change-one", None}
        None: it is not said which one, and whoever gave the number answers for it.

    Raises
    ------
    RelationMismatchError
        If there are two.

    Examples
    --------
    >>> common_relation("losses", None, "change-one", None)
    'change-one'

    """
    stated = {relation for relation in relations if relation is not None}
    if len(stated) > 1:
        both = " and ".join(sorted(map(repr, stated)))
        raise RelationMismatchError(f"{what} must be stated under one relation, not under {both}")
    return stated.pop() if stated else None
