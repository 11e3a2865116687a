# SPDX-License-Identifier: MIT
"""Bets on which of two values a release was made from. docs/teach/low_bits.md, "The best bet"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._numbers.rational import float_of, format_number, read_integer
from cydp.mechanisms._laplace import DiscreteLaplace, Laplace
from cydp.teach.attacks._attack import Attack, Trial, largest_success

__all__ = [
    "Guesses",
    "TwoValues",
    "best_bet",
    "nearer",
    "read_runs",
    "read_two_values",
    "set_beside",
]

TwoValues = tuple[Fraction, Fraction]

_CHANCE = 0.5  # of each of the two values, before a release
_MOST_VALUE = 2**40
_MOST_RUNS = 100_000


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Guesses:
    """Releases of two values in turn, and what an attacker guessed from each.

    Attributes
    ----------
    values : (Fraction, Fraction)
        The two values.
    truth : ndarray of int, shape (n,)
        Which of them was released: 0 or 1.
    released : ndarray, shape (n,)
        The outputs.
    guesses : ndarray of int, shape (n,)
        What the attacker took each for: 0 or 1.
    certain : ndarray of bool, shape (n,)
        Whether the attacker knew the value, because the other one cannot give what was seen.

    """

    values: TwoValues
    truth: NDArray[np.int64]
    released: NDArray[np.float64] | NDArray[np.int64]
    guesses: NDArray[np.int64]
    certain: NDArray[np.bool_]

    @property
    def right(self) -> float:
        """The share of right guesses."""
        return float(np.mean(self.guesses == self.truth))

    def __repr__(self) -> str:
        return (
            f"{len(self.truth)} releases: {self.right:.1%} guessed right, "
            f"{float(np.mean(self.certain)):.1%} known for certain"
        )


def read_two_values(
    values: Any, read: Callable[[Any, str], Fraction | int], kind: str
) -> TwoValues:
    """Return the two values.

    Parameters
    ----------
    values : object
        What the caller gave.
    read : callable
        Reads one value.
    kind : str
        What the values are, in words.

    Raises
    ------
    TypeError, ValueError
        Unless they are two different numbers of that kind, of up to 2**40.

    """
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise TypeError(f"values must be a pair of two different {kind}, such as (0, 1)")
    first, second = (Fraction(read(value, "values")) for value in values)
    if first == second or max(abs(first), abs(second)) > _MOST_VALUE:
        raise ValueError(f"values must be two different {kind} between -2**40 and 2**40")
    return first, second


def read_runs(runs: Integer) -> int:
    """Return the number of releases that are attacked.

    Raises
    ------
    TypeError, ValueError
        If it is not an integer from 2 to 100,000.

    """
    number = read_integer(runs, "runs")
    if not 2 <= number <= _MOST_RUNS:
        raise ValueError(f"runs must be from 2 to {_MOST_RUNS:,}, not {number}")
    return number


def best_bet(mechanism: Laplace | DiscreteLaplace, values: TwoValues) -> float:
    """Return the probability that the best guess from one output is right.

    One of the two values, each with probability 1/2, was released by the mechanism.

    >>> round(best_bet(DiscreteLaplace(epsilon=1, sensitivity=1), (Fraction(0), Fraction(1))), 4)
    0.7311
    """
    step = mechanism.step if isinstance(mechanism, Laplace) else 1
    low, high = sorted(round(value / step) for value in values)
    middle = (low + high) // 2 * step
    below = mechanism.cdf(middle, value=low * step)
    return (below + mechanism.sf(middle, value=high * step)) / 2


def nearer(
    values: TwoValues, released: NDArray[np.float64] | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each output whether the first value (0) or the second (1) is nearer to it."""
    first, second = map(float_of, values)
    beyond = released > (first + second) / 2
    return np.where(beyond == (second > first), 1, 0)


def set_beside(
    name: str,
    mechanism: Laplace | DiscreteLaplace,
    releases: tuple[str, str],
    success: float,
    observed: tuple[Guesses, Guesses],
) -> Attack:
    """Return an attack on a textbook beside the one on a mechanism.

    Parameters
    ----------
    name : str
    mechanism : Laplace or DiscreteLaplace
        The defence, against which the attacker makes the best bet.
    releases : (str, str)
        The textbook's release and the defended one, in words.
    success : float
        The probability that the guess from the textbook's release is right.
    observed : (Guesses, Guesses)
        Runs of both.

    """
    values = observed[0].values
    limit = largest_success(mechanism.loss, _CHANCE)
    return Attack(
        name=name,
        question=f"is the value {format_number(values[0])} or {format_number(values[1])}?",
        chance=_CHANCE,
        undefended=Trial(
            release=releases[0], loss=None, success=success, limit=1.0, observed=observed[0]
        ),
        defended=Trial(
            release=releases[1], loss=mechanism.loss, limit=limit, observed=observed[1],
            success=min(best_bet(mechanism, values), limit),  # which rounding must not exceed
        ),
    )  # fmt: skip
