# SPDX-License-Identifier: MIT
"""The relation of neighbours of a number that is computed from several."""

from __future__ import annotations

from cydp._relations import implies
from cydp.accounting._errors import RelationMismatchError

__all__ = ["combine_relations", "restate_relation"]


def combine_relations(what: str, *relations: str | None) -> str | None:
    """Return the relation that several numbers hold under together.

    Parameters
    ----------
    what : str
        What the numbers are, for the error.
    *relations : {"add-remove", "change-one", "add-remove-or-change", None}
        None: the number states no relation, and the caller is responsible for it.

    Returns
    -------
    str or None
        The relation that each of the stated ones implies. None if none of the numbers states a
        relation.

    Raises
    ------
    RelationMismatchError
        If two of the numbers are stated under relations of which neither implies the other.

    Examples
    --------
    >>> combine_relations("losses", None, "change-one", None)
    'change-one'
    >>> combine_relations("losses", "add-remove-or-change", "add-remove")
    'add-remove'

    """
    stated = {relation for relation in relations if relation is not None}
    for relation in stated:
        if all(implies(other, relation) for other in stated):
            return relation
    if stated:
        raise _mismatch(what, *stated)
    return None


def restate_relation(what: str, stated: str | None, relation: str | None) -> str | None:
    """Return the relation that a number is used under, which its own relation must imply.

    Parameters
    ----------
    what : str
        What the number is, for the error.
    stated : str or None
        The relation that the number is stated under.
    relation : str or None
        The relation that it is used under. None: its own.

    Raises
    ------
    RelationMismatchError
        If the number is stated under a relation that does not imply the other.

    Examples
    --------
    >>> restate_relation("value", "add-remove-or-change", "change-one")
    'change-one'

    """
    if relation is None:
        return stated
    if not implies(stated, relation):
        raise _mismatch(what, str(stated), relation)
    return relation


def _mismatch(what: str, *stated: str) -> RelationMismatchError:
    all_stated = " and ".join(sorted(map(repr, stated)))
    return RelationMismatchError(
        f"{what} must be stated under one relation, not under {all_stated}"
    )
