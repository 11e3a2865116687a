# SPDX-License-Identifier: MIT
"""The counts that attackers ask for, and how often a noisy one tells whether a person is in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._numbers.rational import float_of, read_integer
from cydp.accounting import PureDP
from cydp.exact import match_domains
from cydp.mechanisms import DiscreteLaplace
from cydp.teach.attacks._attack import CHANCE, Trial, largest_success

__all__ = [
    "QUESTION",
    "count_where",
    "read_answer_count",
    "rows_inside",
    "success_of_sum",
    "trial_of_mean",
    "where_domains",
]

_LOG_ERROR = 42.0  # exp(-42) is below 2**-60: each of the two truncations leaves out less than this
_LARGEST_RATE = 700.0  # at a larger rate the noise is 0, except with probability exp(-700)
QUESTION = "is a person counted, if all others are known?"
_MOST_ANSWERS = 10**7


def success_of_sum(noise: DiscreteLaplace, count: int, gap: int) -> float:
    """Return the probability that, of two possible sums, the noisy one is nearer to the true one.

    At equal distance a coin decides.

    Parameters
    ----------
    noise : DiscreteLaplace
        The noise of each value, which is added or subtracted.
    count : int >= 1
        The number of values.
    gap : int >= 1
        How far apart the two exact sums are: `count` for the mean of answers to one question.

    Notes
    -----
    It is exact but for about 1e-14: docs/teach/attacks.md, "The law of a sum".

    Examples
    --------
    >>> noise = DiscreteLaplace(epsilon=1, sensitivity=1)
    >>> [round(success_of_sum(noise, count, count), 4) for count in (1, 2, 100)]
    [0.7311, 0.7311, 0.9999]

    """
    half = gap // 2
    if gap % 2:
        return (1 + _within(noise, count, half)) / 2
    return (2 + _within(noise, count, half) + _within(noise, count, half - 1)) / 4


def _within(noise: DiscreteLaplace, count: int, h: int) -> float:
    """Return P(abs(S) <= h) of a sum S of `count` draws, by inversion of its Fourier series."""
    rate = float_of(1 / noise.scale)
    if rate > _LARGEST_RATE:
        return 1.0
    if count == 1:
        return 1 - 2 * math.exp(-rate * (h + 1)) / (1 + math.exp(-rate))
    s = math.sinh(rate / 2) ** -2
    # abs(S) exceeds `tail` with a probability below exp(-42): the best of Chernoff's bounds at
    # 200 values of t below the rate.
    ts = rate * 0.9 * np.geomspace(1e-5, 1, 200)
    tail = float(((_LOG_ERROR - count * np.log1p(-s * np.sinh(ts / 2) ** 2)) / ts).min())
    period = max(math.ceil(tail) + h, 2 * h + 1) | 1
    # Frequencies with a coefficient below exp(-42) are left out.
    most = math.sqrt(math.expm1(_LOG_ERROR / count) / s)
    kept = period if most >= 1 else math.ceil(math.asin(most) / math.pi * period)
    j = np.arange(1, min(kept, (period - 1) // 2) + 1)
    sine = np.sin(math.pi * j / period)
    # The argument is reduced as an integer, so that the sine of a large one is accurate.
    kernel = np.sin(math.pi * ((2 * h + 1) * j % (2 * period)) / period) / sine
    terms = np.exp(-count * np.log1p(s * sine**2)) * kernel
    return min(max((2 * h + 1 + 2 * float(terms.sum())) / period, 0), 1)


def where_domains(where: Any, name: str) -> dict[Any, Any]:
    """Return the domain that each column of a condition must be in, as `match_domains` takes it.

    Raises
    ------
    TypeError, ValueError
        Unless it is a dict by column of a label, a list of labels, or a tuple (bins, range).

    """
    if not isinstance(where, Mapping) or not where:
        raise TypeError(
            f"{name} must be a dict by column of a label, a list of labels or a tuple (bins, "
            f"range), such as {{'sex': 'f', 'age': (1, (30, 40))}}, not {type(where).__name__}"
        )
    listed = (list, tuple, range, np.ndarray)
    return {column: each if isinstance(each, listed) else [each] for column, each in where.items()}


def rows_inside(matched: tuple[Sequence[NDArray[np.uint32]], Sequence[int]]) -> NDArray[np.bool_]:
    """Return which rows are inside all domains, from what `match_domains` has of them."""
    inside = [column < size for column, size in zip(*matched, strict=True)]
    found: NDArray[np.bool_] = np.logical_and.reduce(inside)
    return found


def read_answer_count(count: Integer) -> int:
    """Return how many answers there are.

    Raises
    ------
    TypeError, ValueError
        For anything but an integer from 1 to 10**7.

    """
    answers = read_integer(count, "count")
    if not 1 <= answers <= _MOST_ANSWERS:
        raise ValueError(f"count must be between 1 and {_MOST_ANSWERS:,}, not {answers:,}")
    return answers


def count_where(table: Any, where: Any) -> int:
    """Return how many records satisfy the condition: NOT private.

    Raises
    ------
    TypeError, ValueError
        For a bad condition, and for one that holds for no record.

    """
    (matched,) = match_domains(table, where_domains(where, "where"))
    count = int(np.count_nonzero(rows_inside(matched)))
    if count == 0:
        raise ValueError("where must hold for a record of the table, whom the attack is about")
    return count


def trial_of_mean(
    release: str,
    loss: PureDP,
    noise: DiscreteLaplace,
    answers: NDArray[np.int64],
    exact: int,
) -> Trial:
    """Return the trial of an attacker who sees the mean of answers to one count.

    Parameters
    ----------
    release : str
        What was released, in words.
    loss : PureDP
        What it cost all together.
    noise : DiscreteLaplace
        The noise of each answer.
    answers : ndarray of int64
    exact : int
        The exact count.

    """
    mean, limit = float(answers.mean()), largest_success(loss, CHANCE)
    return Trial(
        release=release,
        method=type(noise).__name__,
        loss=loss,
        # With one answer the success equals the limit; rounding must not push it above.
        success=min(success_of_sum(noise, len(answers), len(answers)), limit),
        limit=limit,
        observed={"answers": answers, "mean": mean, "counted": mean >= exact - 0.5},
    )
