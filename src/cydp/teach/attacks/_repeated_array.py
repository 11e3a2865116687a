# SPDX-License-Identifier: MIT
"""One release of an array that repeats one answer, whose stated sensitivity is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.rational import format_number, read_positive
from cydp.accounting._loss import PureDP
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.sensitivity._count import count as sensitivity_of_count
from cydp.teach.attacks._attack import Attack
from cydp.teach.attacks._defence import release_while_paid
from cydp.teach.attacks._mean_trial import (
    CHANCE,
    QUESTION,
    count_where,
    read_answers,
    trial_of_mean,
)

__all__ = ["repeated_array"]


@explain_arguments
def repeated_array(
    table: Any,
    where: Any,
    *,
    epsilon: Number = 1,
    count: Integer = 1_000_000,
    rng: Generator | None = None,
) -> Attack:
    """Release an array that repeats one count: with the sensitivity of one entry, and of all.

    A mechanism cannot know what the entries of an array are. Whoever states the sensitivity of one
    count for an array of many copies states an epsilon that is wrong by their number, and a budget
    that believes it pays once. The attacker averages the entries.

    Parameters
    ----------
    table, where, rng
        As in `averaging`.
    epsilon : number > 0, default 1
        What is stated for the array.
    count : int, 1 to 10**7, default 1,000,000
        How many entries the array has.

    Returns
    -------
    Attack
        `observed` is that of `averaging`; `loss` is what was truly spent, not what was stated.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed.

    Notes
    -----
    The privacy cost is that of each trial, in its `loss`. The right sensitivity is the sum of those
    of the entries, ``queries(*[count()] * n)``: docs/teach/attacks.md, docs/sensitivity.md.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f"], "age": [18, 44, 71]}
    >>> attack = repeated_array(people, {"sex": "f"}, count=10_000)
    >>> attack.undefended.loss, attack.defended.loss
    (PureDP(epsilon=10000, relation='add-remove'), PureDP(epsilon=1, relation='add-remove'))
    >>> round(attack.undefended.success, 4), round(attack.defended.success, 4)
    (1.0, 0.5014)

    """
    stated, entries = read_positive(epsilon, "epsilon"), read_answers(count)
    one = sensitivity_of_count()
    trusting = DiscreteLaplace(epsilon=stated, sensitivity=one)
    honest = DiscreteLaplace(epsilon=stated, sensitivity=entries * one)
    array = np.full(entries, count_where(table, where))
    exact, words = int(array[0]), f"an array of length {entries:,} that repeats one count"
    wrong = trusting.release(array, rng=rng)
    (right,), spent = release_while_paid(honest, [array], stated, rng)
    return Attack(
        name="Repeated array",
        question=QUESTION,
        chance=CHANCE,
        undefended=trial_of_mean(
            f"{words}, of which sensitivity=1 and epsilon={format_number(stated)} are stated",
            PureDP(stated * entries, relation=one.relation), trusting, wrong, exact,
        ),
        defended=trial_of_mean(
            f"{words}, of sensitivity={entries:,}", spent, honest, right, exact
        ),
    )  # fmt: skip
