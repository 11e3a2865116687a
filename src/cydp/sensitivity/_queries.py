# SPDX-License-Identifier: MIT
"""The sensitivity of several answers together."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import format_number, read_upward
from cydp._numbers.rounding import root_above
from cydp._sensitivity import (
    Sensitivity,
    Unbounded,
    check_norm,
    norm_order,
    relation_of,
    sensitivity_of,
)
from cydp.accounting._measure import combine_relations
from cydp.sensitivity._open_bounds import is_infinite

__all__ = ["queries"]


@explain_arguments
def queries(*sensitivities: Number, norm: int = 1) -> Sensitivity | Unbounded:
    """Return the sensitivity of several answers together: their sum, or the root of their squares.

    Parameters
    ----------
    *sensitivities : numbers >= 0
        One for each answer. An answer may be a vector, such as the counts of a histogram.
    norm : {1, 2}, default 1
        1: the sum of the sensitivities. 2: the square root of the sum of their squares, for
        Gaussian mechanisms alone.

    Returns
    -------
    Sensitivity or Unbounded
        Stated under the relation that each of the sensitivities implies. It bounds the L1 norm of a
        change of all answers, or the L2 norm if one of the sensitivities bounds only that; its `l2`
        bounds the L2 norm in both cases. With ``norm=2`` it bounds the L2 norm alone. An irrational
        root is rounded up to six digits. Infinity if one of them is infinite.

    Raises
    ------
    TypeError, ValueError
        For a sensitivity that is no number of at least 0, and for another norm.
    RelationMismatchError
        For sensitivities stated under relations of which neither implies the other.

    Notes
    -----
    Each L2 norm is at most the L1 norm, and the square of the L2 norm of a vector is the sum of the
    squares of those of its blocks: docs/sensitivity.md.

    Examples
    --------
    >>> from cydp.sensitivity import count, histogram
    >>> queries(count(), histogram())
    Sensitivity(2, relation='add-remove', l2='1.41422')
    >>> queries(*[count()] * 100, norm=2)
    Sensitivity(10, relation='add-remove', norm=2)

    """
    check_norm(norm)
    relation = combine_relations("sensitivities", *map(relation_of, sensitivities))
    total, squares = Fraction(0), Fraction(0)
    for given in sensitivities:
        if is_infinite(given):
            missing = given.missing_bound if isinstance(given, Unbounded) else "bound"
            return Unbounded(missing, relation=relation)
        value = read_upward(given, "each of sensitivities")
        if value < 0:
            raise ValueError(
                f"each of sensitivities must be at least 0, not {format_number(value)}"
            )
        l2 = given.l2 if isinstance(given, Sensitivity) else value
        total, squares = total + value, squares + l2**2
    root, given_order = root_above(squares), max(map(norm_order, sensitivities), default=1)
    if 2 in (norm, given_order) and root < total:
        return sensitivity_of(root, relation, 2)
    return sensitivity_of(total, relation, given_order, root)
