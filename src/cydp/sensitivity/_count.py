# SPDX-License-Identifier: MIT
"""The sensitivity of a count."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp._sensitivity import Sensitivity, sensitivity_of
from cydp.sensitivity._rows import read_rows

__all__ = ["count"]


@explain_arguments
def count(*, relation: str = "add-remove", max_rows: Integer = 1) -> Sensitivity:
    """Return the sensitivity of the number of records with some property: 1 if a unit has one.

    Parameters
    ----------
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    max_rows : int >= 1, default 1
        The most records that one unit has, such as the complaints of one person. `cydp.count` with
        `user` and `max_rows` leaves the others out; without that it is the caller's promise.

    Returns
    -------
    Sensitivity
        `max_rows`, in records.

    Raises
    ------
    TypeError, ValueError
        For another relation or number.

    Examples
    --------
    >>> count(relation="change-one")
    Sensitivity(1, relation='change-one')
    >>> count(max_rows=5)
    Sensitivity(5, relation='add-remove')

    """
    check_relation(relation)
    return sensitivity_of(Fraction(read_rows(max_rows, "max_rows")), relation)
