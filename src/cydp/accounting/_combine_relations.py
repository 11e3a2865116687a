# SPDX-License-Identifier: MIT
"""The relation of neighbours of a number that is computed from several."""

from __future__ import annotations

from cydp.accounting._errors import RelationMismatchError

__all__ = ["combine_relations"]


def combine_relations(what: str, *relations: str | None) -> str | None:
    """Return the relation that several numbers have in common.

    Parameters
    ----------
    what : str
        What the numbers are, for the error.
    *relations : {"add-remove", "change-one", None}
        None: the number states no relation, and the caller is responsible for it.

    Returns
    -------
    str or None
        None if none of the numbers states a relation.

    Raises
    ------
    RelationMismatchError
        If two of the numbers state different relations.

    Examples
    --------
    >>> combine_relations("losses", None, "change-one", None)
    'change-one'

    """
    stated = {relation for relation in relations if relation is not None}
    if len(stated) > 1:
        both = " and ".join(sorted(map(repr, stated)))
        raise RelationMismatchError(f"{what} must be stated under one relation, not under {both}")
    return stated.pop() if stated else None
