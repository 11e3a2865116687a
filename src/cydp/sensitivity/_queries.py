# SPDX-License-Identifier: MIT
"""The sensitivity of several answers together."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import format_number, read_upward
from cydp._sensitivity import Sensitivity, Unbounded, norm_order, relation_of, sensitivity_of
from cydp.accounting._combine_relations import combine_relations
from cydp.sensitivity._open_bounds import is_infinite

__all__ = ["queries"]


@explain_arguments
def queries(*sensitivities: Number) -> Sensitivity | Unbounded:
    """Return the sensitivity of several answers together: the sum of their sensitivities.

    Parameters
    ----------
    *sensitivities : numbers >= 0
        One for each answer.

    Returns
    -------
    Sensitivity or Unbounded
        Stated under the relation that the sensitivities state. It bounds the L1 norm of a change of
        all answers, or the L2 norm if one of the sensitivities bounds only that. Infinity if one of
        them is infinite.

    Raises
    ------
    TypeError, ValueError
        For a sensitivity that is no number of at least 0.
    RelationMismatchError
        For sensitivities that are stated under different relations.

    Examples
    --------
    >>> queries(count(), histogram())
    Sensitivity(2, relation='add-remove')

    """
    relation = combine_relations("sensitivities", *map(relation_of, sensitivities))
    total = Fraction(0)
    for given in sensitivities:
        if is_infinite(given):
            missing = given.missing_bound if isinstance(given, Unbounded) else "bound"
            return Unbounded(missing, relation=relation)
        value = read_upward(given, "each of sensitivities")
        if value < 0:
            raise ValueError(
                f"each of sensitivities must be at least 0, not {format_number(value)}"
            )
        total += value
    return sensitivity_of(total, relation, max(map(norm_order, sensitivities), default=1))
