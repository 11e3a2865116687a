# SPDX-License-Identifier: MIT
"""The sensitivities of score functions, for the exponential mechanism. docs/sensitivity/scores.md.

Each is the most by which a record can change the score of any one candidate.
"""

from __future__ import annotations

from fractions import Fraction
from typing import cast

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.quantiles import read_quantile
from cydp._relations import check_relation
from cydp._sensitivity import Sensitivity, sensitivity_of
from cydp.sensitivity._mean import mean

__all__ = ["quantile_score", "rank_difference_score", "tail_share_score"]


@explain_arguments
def quantile_score(q: Number, *, relation: str = "add-remove") -> Sensitivity:
    """Return the sensitivity of how far a point is from a quantile, in ranks.

    Parameters
    ----------
    q : number from 0 to 1
        Which quantile.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.

    Returns
    -------
    Sensitivity
        max(q, 1 - q), or 1 if a record may change, of each score of
        `cydp.mechanisms.quantile_scores`. For a unit of several records it is as many times that.

    Raises
    ------
    TypeError, ValueError
        For another q or relation.

    Examples
    --------
    >>> quantile_score(0.5), quantile_score(0.5, relation="change-one")
    (Sensitivity(0.5, relation='add-remove'), Sensitivity(1, relation='change-one'))

    """
    number = read_quantile(q)
    comes_or_goes = check_relation(relation) == "add-remove"
    most = max(number, 1 - number) if comes_or_goes else Fraction(1)
    return sensitivity_of(most, relation)


@explain_arguments
def rank_difference_score(*, relation: str = "add-remove") -> Sensitivity:
    """Return the sensitivity of half the difference of the numbers of records above and below.

    Parameters
    ----------
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.

    Returns
    -------
    Sensitivity
        1/2, or 1 if a record may change, of each score of `cydp.mechanisms.rank_difference_scores`.

    Raises
    ------
    ValueError
        For another relation.

    Examples
    --------
    >>> rank_difference_score()
    Sensitivity(0.5, relation='add-remove')

    """
    return quantile_score("1/2", relation=relation)


@explain_arguments
def tail_share_score(n: Integer | None = None, *, relation: str = "add-remove") -> Sensitivity:
    """Return the sensitivity of half the share of the records that are above or below a point.

    Parameters
    ----------
    n : int >= 1, optional
        The public number of records. Only under "change-one": elsewhere it is private.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.

    Returns
    -------
    Sensitivity
        1 / (2 n) with a public n, else 1/4, or 1/2 if a record may change, of each score of
        `cydp.mechanisms.tail_share_scores`.

    Raises
    ------
    TypeError, ValueError
        For another n or relation, and for an n that is private.

    Notes
    -----
    The score is the mean of numbers from 0 to 1/2: 0 for a record at the point, 1/2 for any other.
    For no records it is 1/4.

    Examples
    --------
    >>> tail_share_score(8, relation="change-one"), tail_share_score()
    (Sensitivity(0.0625, relation='change-one'), Sensitivity(0.25, relation='add-remove'))

    """
    empty = "1/4" if n is None else None
    found = mean((0, "1/2"), n, relation=relation, empty=empty, missing=False)
    return cast(Sensitivity, found)  # there are bounds
