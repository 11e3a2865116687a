# SPDX-License-Identifier: MIT
"""The sensitivity of the counts of a histogram."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._numbers.rounding import root_above
from cydp._relations import check_relation
from cydp._sensitivity import Sensitivity, check_norm, largest_sensitivity, sensitivity_of
from cydp.sensitivity._rows import read_rows

__all__ = ["histogram"]


@explain_arguments
def histogram(*, relation: str = "add-remove", norm: int = 1, max_rows: Integer = 1) -> Sensitivity:
    """Return the sensitivity of the counts of a histogram, whose bins are disjoint.

    Parameters
    ----------
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    norm : {1, 2}, default 1
        1: the L1 norm of a change. 2: the L2 norm, for Gaussian mechanisms alone.
    max_rows : int >= 1, default 1
        The most records that one unit has in all bins together, all of which may be in one bin.
        That is the caller's promise, as `max_rows_per_unit` of `cydp.histogram`.

    Returns
    -------
    Sensitivity
        In records. L1: `max_rows`, or twice that if a record may change. L2: `max_rows`, or sqrt(2)
        times that, with the root rounded up to six digits. With ``norm=1`` it has both: see `l2`.

    Raises
    ------
    TypeError, ValueError
        For another relation, norm or number.

    Examples
    --------
    >>> histogram() == 1, histogram(relation="change-one") == 2
    (True, True)

    """
    rows = read_rows(max_rows, "max_rows")
    check_norm(norm)
    if check_relation(relation) == "add-remove-or-change":
        return largest_sensitivity(partial(histogram, norm=norm, max_rows=max_rows))
    if relation == "add-remove":
        return sensitivity_of(Fraction(rows), relation)
    l2 = rows * root_above(Fraction(2))
    if norm == 1:
        return sensitivity_of(Fraction(2 * rows), relation, 1, l2)
    return sensitivity_of(l2, relation, 2)
