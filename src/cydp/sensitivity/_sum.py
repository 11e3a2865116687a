# SPDX-License-Identifier: MIT
"""The sensitivity of a sum of clamped numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from cydp._arguments import OpenBounds
from cydp._call_errors import explain_arguments
from cydp._relations import check_relation
from cydp._sensitivity import (
    Sensitivity,
    Unbounded,
    check_missing,
    largest_sensitivity,
    sensitivity_of,
)
from cydp.sensitivity._open_bounds import make_unbounded, read_open_bounds

__all__ = ["sum"]


@explain_arguments
def sum(
    bounds: OpenBounds, *, relation: str = "add-remove", missing: bool = True
) -> Sensitivity | Unbounded:
    """Return the sensitivity of a sum of numbers clamped to bounds.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    missing : bool, default True
        Whether a record may have no number, and so add 0. It matters if a record may change.
        False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers. Add-remove: max(abs(lower), abs(upper)). Change-one: upper -
        lower; if numbers may be missing, the bounds are first widened to include 0.
        Add-remove-or-change: the larger of both. Infinity if a bound is missing.

    Raises
    ------
    TypeError, ValueError
        For bad bounds or another relation.

    Examples
    --------
    >>> sum((-2, 5)) == 5, sum((2, 5), relation="change-one") == 5
    (True, True)
    >>> sum((2, 5), relation="change-one", missing=False)
    Sensitivity(3, relation='change-one')

    """
    lower, upper = read_open_bounds(bounds)
    check_relation(relation)
    check_missing(missing)
    if lower is None or upper is None:
        return make_unbounded(lower, upper, relation)
    if relation == "add-remove-or-change":
        return largest_sensitivity(partial(sum, bounds, missing=missing))
    if relation == "add-remove":
        return sensitivity_of(max(abs(lower), abs(upper)), relation)
    if missing:
        lower, upper = min(lower, Fraction(0)), max(upper, Fraction(0))
    return sensitivity_of(upper - lower, relation)
