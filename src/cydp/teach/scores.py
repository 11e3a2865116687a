# SPDX-License-Identifier: MIT
"""Scores of candidates by their ranks, for the exponential mechanism.

Scores are NOT private. A mechanism that selects by them is, with their sensitivity.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, format_number, read_quantile
from cydp.exact import histogram
from cydp.sensitivity import Sensitivity, count, mean

__all__ = [
    "quantile_score",
    "quantile_scores",
    "rank_difference_score",
    "rank_difference_scores",
    "tail_share_score",
    "tail_share_scores",
]


_MOST_DENOMINATOR = 2**16  # with which the scores of 2**36 records are floats, exactly

_Floats = NDArray[np.float64]


def quantile_scores(x: Column, candidates: ArrayLike, q: Number) -> NDArray[np.float64]:
    """Return how far candidates are from a quantile, in ranks, as scores. NOT private.

    The score of y is -max(#{x < y} - q n, q n - #{x <= y}, 0): it is 0 where q n is among the ranks
    of y. `cydp.quantile` selects by it among all points of a fine grid, for any q.

    Parameters
    ----------
    x : array_like, shape (n,)
        Numbers; those that are missing do not count. They are read as float64.
    candidates : array_like, shape (m,)
        Public numbers to choose from.
    q : number from 0 to 1
        Which quantile. Its denominator must be a power of two up to 2**16, such as in 1/2 and 1/4:
        then the scores are exact.

    Returns
    -------
    ndarray of float64, shape (m,)
        `quantile_score` is their sensitivity.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.

    Examples
    --------
    >>> from cydp import ExponentialMechanism
    >>> scores = quantile_scores([1, 2, 2, 9], [0, 2, 5, 9], 0.5)
    >>> scores.tolist()
    [-2.0, 0.0, -1.0, -1.0]
    >>> choose = ExponentialMechanism(epsilon=8, sensitivity=quantile_score(0.5))
    >>> choose.probabilities(scores).round(3).tolist()
    [0.0, 0.999, 0.0, 0.0]

    """
    fraction = read_quantile(q)
    shown = fraction.denominator
    if shown & (shown - 1) or shown > _MOST_DENOMINATOR:
        raise ValueError(
            "q must have a denominator that is a power of two up to 2**16, such as 0.5 or 0.25, "
            f"not {format_number(fraction)}: cydp.quantile takes any q"
        )
    below, above, n = _count_around(x, candidates)
    rank = float_of(fraction) * n
    nearest = np.minimum(rank - below, (n - rank) - above)
    return np.minimum(nearest, 0.0)


def rank_difference_scores(x: Column, candidates: ArrayLike) -> NDArray[np.float64]:
    """Return minus half the difference of the numbers of records above and below. NOT private.

    The score of y is ``-|#{x > y} - #{x < y}| / 2``, which is largest at a median.

    Parameters
    ----------
    x, candidates
        As in `quantile_scores`.

    Returns
    -------
    ndarray of float64, shape (m,)
        `rank_difference_score` is their sensitivity.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed.

    Examples
    --------
    >>> rank_difference_scores([1, 2, 2, 9], [0, 2, 5, 9]).tolist()
    [-2.0, 0.0, -1.0, -1.5]

    """
    below, above, _ = _count_around(x, candidates)
    return np.minimum(above - below, below - above) / 2


def tail_share_scores(x: Column, candidates: ArrayLike) -> NDArray[np.float64]:
    """Return half the share of the records that are above or below, as scores. NOT private.

    The score of y is (#{x > y} + #{x < y}) / (2 n), as a lecture proposes for the median. It does
    not find the median: it is largest where the fewest records are, as at points that nobody has.
    Of no records it is 1/4.

    Parameters
    ----------
    x, candidates
        As in `quantile_scores`.

    Returns
    -------
    ndarray of float64, shape (m,)
        From 0 to 1/2. `tail_share_score` is the sensitivity of the exact scores:
        rounded to float64, as these are, they may differ by 2**-53 more. If a release must have
        exactly its stated loss, use one of the other scores.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed.

    Examples
    --------
    >>> tail_share_scores([1, 2, 2, 9], [0, 2, 5, 9]).tolist()
    [0.5, 0.25, 0.5, 0.375]

    """
    below, above, n = _count_around(x, candidates)
    if n == 0:
        return np.full(below.shape, 0.25)
    shares: _Floats = (below + above) / (2 * n)
    return shares


def _count_around(x: Column, candidates: ArrayLike) -> tuple[_Floats, _Floats, int]:
    """Return the numbers of records below and above each candidate, and of all."""
    points = np.asarray(candidates, np.float64)
    if points.ndim != 1 or points.size == 0 or not np.isfinite(points).all():
        raise ValueError("candidates must be a list of finite numbers, at least one")
    if np.isscalar(x) or getattr(x, "ndim", 1) != 1:
        raise TypeError("x must be a list, an array of one axis or a column: a number a record")
    # A bin of its own for each candidate, and one for all numbers between two of them.
    starts = np.concatenate([points, np.nextafter(points, np.inf)])
    edges = np.unique(np.concatenate([starts, [-np.inf, np.inf]]))
    ends = np.append(0.0, np.cumsum(histogram(x, edges)[0]))  # how many are below each edge
    below, up_to = (ends[np.searchsorted(edges, each)] for each in np.split(starts, 2))
    return below, ends[-1] - up_to, int(ends[-1])


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
        `quantile_scores`. For a unit of several records it is as many times that.

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
    record = count(relation=relation)  # 1
    comes_or_goes = record.relation == "add-remove"
    return record * max(number, 1 - number) if comes_or_goes else record


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
        1/2, or 1 if a record may change, of each score of `rank_difference_scores`.

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
        `tail_share_scores`.

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


def __dir__() -> list[str]:
    return __all__
