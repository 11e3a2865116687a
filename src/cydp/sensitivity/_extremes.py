# SPDX-License-Identifier: MIT
"""The sensitivity of the least and of the largest of clamped numbers."""

from __future__ import annotations

from cydp._arguments import OpenBounds
from cydp._call_errors import explain_arguments
from cydp._sensitivity import Sensitivity, Unbounded, sensitivity_of
from cydp.sensitivity._open_bounds import make_unbounded, read_open_bounds

__all__ = ["maximum", "minimum"]


@explain_arguments
def minimum(bounds: OpenBounds) -> Sensitivity | Unbounded:
    """Return the sensitivity of the least of numbers clamped to bounds: upper - lower.

    It holds under every relation, and so states none. The minimum of no numbers must be a number
    within the bounds that is fixed in advance.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers; infinity if a bound is missing.

    Raises
    ------
    TypeError, ValueError
        For bad bounds.

    Examples
    --------
    >>> minimum((0, 100))
    Sensitivity(100)

    """
    lower, upper = read_open_bounds(bounds)
    if lower is None or upper is None:
        return make_unbounded(lower, upper, None)
    return sensitivity_of(upper - lower, None)


@explain_arguments
def maximum(bounds: OpenBounds) -> Sensitivity | Unbounded:
    """Return the sensitivity of the largest of numbers clamped to bounds, as `minimum` does.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers; infinity if a bound is missing.

    Raises
    ------
    TypeError, ValueError
        For bad bounds.

    Examples
    --------
    >>> maximum((0, None))
    inf

    """
    return minimum(bounds)
