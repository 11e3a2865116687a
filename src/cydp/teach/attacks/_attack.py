# SPDX-License-Identifier: MIT
"""An attack beside its defence, bets on which of two values was released, and who pays.

docs/teach/attacks.md and docs/teach/low_bits.md, "The best bet", have the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._extras import ink_of, plain_words, with_letters
from cydp._numbers.rational import float_of, format_number, read_integer
from cydp.accounting import Loss, PrivacyFilter, PureDP
from cydp.mechanisms import DiscreteLaplace, Laplace
from cydp.random import Generator
from cydp.teach._pictures import HATCHES, new_axes, set_words
from cydp.teach.meaning._curves import label_of

__all__ = [
    "CHANCE",
    "Attack",
    "Guesses",
    "Trial",
    "TwoValues",
    "best_bet",
    "largest_success",
    "nearer",
    "read_runs",
    "read_two_values",
    "release_while_paid",
    "set_beside",
]

_UP = Context(prec=4, rounding=ROUND_CEILING)
TwoValues = tuple[Fraction, Fraction]
CHANCE = 0.5  # of a fair bet, before a release
_MOST_VALUE = 2**40
_MOST_RUNS = 100_000


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class Trial:
    """What an attacker saw of one release, and how often such an attack is right.

    Attributes
    ----------
    release : str
        What was released, in words.
    method : str
        What made it: the name of the mechanism, or what stood in its place.
    loss : PureDP, ApproxDP, ZCDP or None
        What it cost all together; None if it is not differentially private.
    success : float
        The probability that the attack is right, computed exactly, not by draws.
    limit : float
        The largest probability that the loss allows to any attacker; 1 without a loss.
    observed : object
        What this run released, and what the attacker made of it.

    """

    release: str
    method: str
    loss: Loss | None
    success: float
    limit: float
    observed: Any

    def __repr__(self) -> str:
        cost = "not differentially private" if self.loss is None else repr(self.loss)
        return f"{self.release}; {cost}: right with probability {self.success:.4g}"


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class Attack:
    """An attack on a release without a defence, and the same attack on one with it.

    Attributes
    ----------
    name : str
    question : str
        What the attacker wants to know.
    chance : float
        The probability of a right answer without any release.
    undefended, defended : Trial
        The two releases, and what the attack finds out from each.

    """

    name: str
    question: str
    chance: float
    undefended: Trial
    defended: Trial

    def __repr__(self) -> str:
        return (
            f"{self.name}: {self.question}\n"
            f"  without a release: right with probability {self.chance:.4g}\n"
            f"  undefended: {self.undefended!r}\n"
            f"  defended: {self.defended!r}; no attacker more than {_above(self.defended.limit)}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw how often the attack is right, without and with the defence (extra ``plot``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            Without matplotlib.

        """
        ax = new_axes(ax, size=(7.2, 3))
        trials = {"undefended": self.undefended, "defended": self.defended}
        for place, trial in enumerate(trials.values()):
            ax.barh(
                place, trial.success, height=0.55, facecolor=(f"C{place}", 0.35),
                edgecolor=f"C{place}", hatch=HATCHES[place],
            )  # fmt: skip
            # At the left end, which every bar covers, on the colour of the page.
            ax.annotate(
                _short(trial.success), (0, place), xytext=(6, 0), textcoords="offset points",
                va="center", color=ink_of(ax),
                bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 2},
            )  # fmt: skip
        ax.axvline(
            self.chance,
            color=ink_of(ax),
            linestyle=":",
            label=f"without any release: {_short(self.chance)}",
        )
        if self.defended.limit < 1:
            ends = [self.defended.limit] * 2
            label = f"limit of the defence for any attacker: {_above(self.defended.limit)}"
            ax.plot(ends, [0.6, 1.4], color=ink_of(ax), linewidth=2, label=label)
        ax.set_yticks(range(2), [f"{name}:\n{_made_by(trial)}" for name, trial in trials.items()])
        ax.set_ylim(1.5, -0.5)
        ax.set_xlim(0, 1)
        # A column's name may have a dollar sign, which would begin a formula.
        title = plain_words(f"{self.name}:\n{self.question}")
        set_words(ax, title, "probability of a right answer", "")
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.25), frameon=False)
        return ax


def _made_by(trial: Trial) -> str:
    """Return what made a release, and its epsilon."""
    if trial.loss is None:
        return trial.method
    return f"{trial.method}, {with_letters(label_of(trial.loss))}"


def _short(probability: float) -> str:
    """Return a probability in two digits, which are never those of 1 unless it is 1."""
    return "above 0.99" if 0.995 <= probability < 1 else f"{probability:.2f}"


def _above(limit: float) -> str:
    """Return a bound in four digits, rounded up, so that it stays one."""
    return f"{_UP.create_decimal_from_float(limit).normalize():f}"


def largest_success(loss: PureDP, chance: float) -> float:
    """Return the largest probability to be right about a secret that a loss protects.

    Parameters
    ----------
    loss : PureDP
        Tables with any two values of the secret are neighbours.
    chance : float between 0 and 1
        The probability of the most probable value, before the release.

    Examples
    --------
    >>> round(largest_success(PureDP(1), 0.5), 4)
    0.7311

    """
    return 1 / (1 + (1 - chance) / chance * math.exp(-float_of(loss.epsilon)))


def release_while_paid(
    noise: DiscreteLaplace, values: Sequence[Any], total: Fraction, rng: Generator | None
) -> tuple[NDArray[np.int64], PureDP]:
    """Release as many of the values as a budget pays for; return them, and what they cost.

    Budgets refuse seeded generators, because their noise is known. A lesson may have one, so that
    its numbers stay: its own budget is charged apart from the draw.

    Parameters
    ----------
    noise : DiscreteLaplace
        Of each value; its sensitivity states a relation.
    values : sequence of int, or of arrays
    total : Fraction
        The epsilon that the budget allows, which is enough for one value.
    rng : Generator or None

    """
    budget = PrivacyFilter(PureDP(total), relation=noise.relation or "add-remove")
    paid = min(len(values), int(total / noise.epsilon))
    budget.charge(noise, count=paid)
    assert paid == len(values) or budget.would_exceed(noise)
    noisy = noise.release(np.asarray(values[:paid], np.int64), rng=rng)
    return noisy, PureDP(paid * noise.epsilon, relation=noise.relation)


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
    limit = largest_success(mechanism.loss, CHANCE)
    return Attack(
        name=name,
        question=f"is the value {format_number(values[0])} or {format_number(values[1])}?",
        chance=CHANCE,
        undefended=Trial(
            release=releases[0],
            method="a textbook's noise",
            loss=None,
            success=success,
            limit=1.0,
            observed=observed[0],
        ),
        defended=Trial(
            release=releases[1],
            method=type(mechanism).__name__,
            loss=mechanism.loss,
            limit=limit,
            observed=observed[1],
            success=min(best_bet(mechanism, values), limit),  # which rounding must not exceed
        ),
    )
