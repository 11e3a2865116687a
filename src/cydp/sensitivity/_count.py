# SPDX-License-Identifier: MIT
"""The sensitivity of a count."""

from __future__ import annotations

from fractions import Fraction

from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp._sensitivity import Sensitivity, sensitivity_of

__all__ = ["count"]


@explain_arguments
def count(*, relation: str = "add-remove") -> Sensitivity:
    """Return the sensitivity of the number of records with some property, which is 1.

    Parameters
    ----------
    relation : {"add-remove", "change-one"}, default "add-remove"
        The relation of neighbours.

    Returns
    -------
    Sensitivity
        1, in records.

    Raises
    ------
    ValueError
        For another relation.

    Examples
    --------
    >>> count(relation="change-one")
    Sensitivity(1, relation='change-one')

    """
    return sensitivity_of(Fraction(1), check_relation(relation))
