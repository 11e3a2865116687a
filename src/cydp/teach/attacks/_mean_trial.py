# SPDX-License-Identifier: MIT
"""What an attacker finds out from the mean of noisy counts, if all others counted are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import PureDP
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.teach.attacks._attack import Trial
from cydp.teach.attacks._limit import largest_success
from cydp.teach.attacks._rows_where import read_places, read_where, rows_where
from cydp.teach.attacks._sum_of_noise import success_of_sum

__all__ = ["CHANCE", "QUESTION", "count_where", "read_answers", "trial_of_mean"]

CHANCE = 0.5  # of a fair bet
QUESTION = "is a person counted, if all others are known?"
_MOST_ANSWERS = 10**7


def read_answers(count: Integer) -> int:
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
    """Return how many records are counted: NOT private.

    Raises
    ------
    TypeError, ValueError
        For a bad condition, and for one that holds for no record.

    """
    domains = read_where(where, "where")
    (places,) = read_places(table, [(domains, "where")])
    count = int(np.count_nonzero(rows_where(places, domains)))
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
    """Return what the mean of answers tells of the last of the records counted.

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
        loss=loss,
        # One answer reaches the limit, which rounding must not exceed.
        success=min(success_of_sum(noise, len(answers), len(answers)), limit),
        limit=limit,
        observed={"answers": answers, "mean": mean, "counted": mean >= exact - 0.5},
    )
