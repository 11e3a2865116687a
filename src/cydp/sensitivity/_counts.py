# SPDX-License-Identifier: MIT
"""Sensitivities of counts, histograms and linear queries. docs/sensitivity.md has the proofs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import format_binary, read_upward
from cydp._numbers.rounding import root_above
from cydp._relations import check_relation
from cydp._sensitivity import (
    Sensitivity,
    Unbounded,
    check_norm,
    largest_sensitivity,
    norm_order,
    relation_of,
    sensitivity_of,
)
from cydp.accounting._measure import combine_relations
from cydp.sensitivity._numbers import is_infinite, read_rows

__all__ = ["count", "histogram", "queries"]


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


@explain_arguments
def histogram(*, relation: str = "add-remove", norm: int = 1, max_rows: Integer = 1) -> Sensitivity:
    """Return the sensitivity of the counts of a histogram: its bins are disjoint.

    Parameters
    ----------
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    norm : {1, 2}, default 1
        1: the L1 norm of a change. 2: the L2 norm, for Gaussian mechanisms alone.
    max_rows : int >= 1, default 1
        The most records that one unit has in all bins together; all may be in one bin.
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
        For sensitivities under different relations, if none of them implies the other.

    Notes
    -----
    Each L2 norm is at most the L1 norm, and the square of the L2 norm of a vector is the sum of the
    squared L2 norms of its blocks.

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
                f"each of sensitivities must be at least 0, not {format_binary(value)}"
            )
        l2 = given.l2 if isinstance(given, Sensitivity) else value
        total, squares = total + value, squares + l2**2
    root, given_order = root_above(squares), max(map(norm_order, sensitivities), default=1)
    if 2 in (norm, given_order) and root < total:
        return sensitivity_of(root, relation, 2)
    return sensitivity_of(total, relation, given_order, root)
