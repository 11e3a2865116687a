# SPDX-License-Identifier: MIT
"""Scores of candidates by their ranks, for the exponential mechanism. docs/sensitivity/scores.md.

Scores are NOT private. A mechanism that selects by them is, with their sensitivity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Column, Number
from cydp._columns.declared import Records
from cydp._numbers.quantiles import read_quantile
from cydp._numbers.rational import float_of, format_number

__all__ = ["quantile_scores", "rank_difference_scores", "tail_share_scores"]

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
        `cydp.sensitivity.quantile_score` is their sensitivity.

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
    >>> from cydp import ExponentialMechanism, sensitivity
    >>> scores = quantile_scores([1, 2, 2, 9], [0, 2, 5, 9], 0.5)
    >>> scores.tolist()
    [-2.0, 0.0, -1.0, -1.0]
    >>> choose = ExponentialMechanism(epsilon=8, sensitivity=sensitivity.quantile_score(0.5))
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

    The score of y is -|#{x > y} - #{x < y}| / 2, which is largest at a median.

    Parameters
    ----------
    x, candidates
        As in `quantile_scores`.

    Returns
    -------
    ndarray of float64, shape (m,)
        `cydp.sensitivity.rank_difference_score` is their sensitivity.

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

    The score of y is (#{x > y} + #{x < y}) / (2 n), as a lecture has it for the median. It does not
    find the median: it is largest where the fewest records are, as at points that nobody has.
    Of no records it is 1/4.

    Parameters
    ----------
    x, candidates
        As in `quantile_scores`.

    Returns
    -------
    ndarray of float64, shape (m,)
        From 0 to 1/2. `cydp.sensitivity.tail_share_score` is the sensitivity of the exact scores:
        rounded to float64, as these are, they may differ by 2**-53 more. A release that must keep
        its loss exactly chooses by one of the other scores.

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
    values = np.ma.compressed(Records(x).read())
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        numbers = values.astype(np.float64)
    present = np.sort(numbers[~np.isnan(numbers)])
    below = np.searchsorted(present, points, "left").astype(np.float64)
    above = present.size - np.searchsorted(present, points, "right").astype(np.float64)
    return below, above, present.size
