# SPDX-License-Identifier: MIT
"""The sensitivity of the counts of a histogram."""

from __future__ import annotations

from fractions import Fraction

from cydp._call_errors import explain_arguments
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rounding import decimal_above
from cydp._relations import check_relation
from cydp._sensitivity import Sensitivity, check_norm, sensitivity_of

__all__ = ["histogram"]


@explain_arguments
def histogram(*, relation: str = "add-remove", norm: int = 1) -> Sensitivity:
    """Return the sensitivity of the counts of a histogram, whose bins are disjoint.

    Parameters
    ----------
    relation : {"add-remove", "change-one"}, default "add-remove"
        The relation of neighbours.
    norm : {1, 2}, default 1
        1: the L1 norm of a change. 2: the L2 norm, for Gaussian mechanisms alone.

    Returns
    -------
    Sensitivity
        In records. L1: 1, or 2 under "change-one". L2: 1, or sqrt(2) rounded up to six digits.

    Raises
    ------
    TypeError, ValueError
        For another relation or norm.

    Examples
    --------
    >>> histogram() == 1, histogram(relation="change-one") == 2
    (True, True)

    """
    check_norm(norm)
    if check_relation(relation) == "add-remove":
        return sensitivity_of(Fraction(1), relation)
    if norm == 1:
        return sensitivity_of(Fraction(2), relation)
    return sensitivity_of(decimal_above(sqrt_bounds(Fraction(2))[1]), relation, 2)
