# SPDX-License-Identifier: MIT
"""The number of steps of a textbook sampler. docs/teach/timing.md has the proofs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, format_number, read_integer, read_positive
from cydp.mechanisms import DiscreteLaplace
from cydp.random import Generator, generator_or_default
from cydp.teach._pictures import EDGE, new_axes, set_words
from cydp.teach.attacks._attack import (
    Attack,
    Guesses,
    TwoValues,
    nearer,
    read_runs,
    read_two_values,
    set_beside,
)
from cydp.testing import discrete_laplace_sampler, map_bits

__all__ = ["Timed", "timing"]

_SCALES = (Fraction(1, 100), Fraction(1000))
_WORDS = 16  # of extension bits for each decision: 1,024 bits, as many as a generator has
_MARKERS = "os"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Timed(Guesses):
    """Releases, the steps that their sampler took, and what an attacker guessed from both.

    Attributes
    ----------
    steps : ndarray of int, shape (n,)
        The steps of each draw: of the textbook its trials; of cydp the candidates that were mapped,
        and the decisions that were looked at again.
    sampler : str
        The name of the sampler, in words.

    """

    steps: NDArray[np.int64]
    sampler: str

    def plot(self, ax: Any = None) -> Any:
        """Draw the steps against the outputs (extra ``plot``).

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
        ax = new_axes(ax, size=(6.4, 3.4))
        for i, value in enumerate(self.values):
            colour = f"C{i}"
            chosen = self.truth == i
            ax.plot(
                self.released[chosen], self.steps[chosen], _MARKERS[i], color=colour,
                markerfacecolor=colour if i else "none", markersize=4 if i else 8,
                markeredgewidth=EDGE,
                label=f"released for {format_number(value)}",
            )  # fmt: skip
        ax.set_ylim(0, 1.15 * max(int(self.steps.max()), 10))
        known = float(np.mean(self.certain))
        lesson = "the steps tell the value" if known else "the steps tell nothing of the value"
        title = f"Work of {self.sampler}: {lesson}\n{known:.0%} of the outputs give it away"
        set_words(ax, title, "output (in units of the value)", "steps of the draw (count)")
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.2), ncols=2, frameon=False)
        return ax


@explain_arguments
def timing(
    values: Sequence[Integer],
    *,
    epsilon: Number = 1,
    runs: Integer = 200,
    rng: Generator | None = None,
) -> Attack:
    """Tell two values apart by the time that a textbook's sampler takes.

    It draws noise as "how many trials until one fails", with a sign. Its number of steps is 1 plus
    the magnitude of the noise, which a clock sees. Who knows the magnitude knows the value up to
    two candidates: the output minus it, and plus it. The samplers of cydp do the same work for
    every noise, except with a stated probability: below 2**-40 with ``Generator(fixed_work=True)``,
    which is the defence here.

    Parameters
    ----------
    values : (int, int)
        What is released of two neighbours: two different integers of up to 2**40.
    epsilon : number > 0, default 1
        What the textbook claims, and what the defence costs. The scale of the noise, the distance
        of the values over epsilon, must be from 0.01 to 1000.
    runs : int from 2 to 100,000, default 200
        How many releases are attacked, too: of both values in turn.
    rng : Generator, optional
        The source of their noise. Default: the calling thread's own generator.

    Returns
    -------
    Attack
        ``observed`` has outputs and steps; its `plot()` draws one against the other. Steps are
        counted, not timed: a clock adds noise of its own, which repetitions average away.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    docs/teach/timing.md has the proofs. The defended probability is that from the output alone; the
    work of ``Generator(fixed_work=True)`` adds at most 2**-40 to it.

    References
    ----------
    .. [1] Jin, McMurtry, Rubinstein, Ohrimenko, "Are we there yet? Timing and floating-point
       attacks on differential privacy systems", 2022.

    Examples
    --------
    >>> attack = timing((0, 1), epsilon=1)
    >>> attack.undefended.success, round(attack.defended.success, 4)
    (1.0, 0.7311)

    """
    pair = read_two_values(values, read_integer, "integers")
    rate, distance = read_positive(epsilon, "epsilon"), abs(pair[0] - pair[1])
    scale = distance / rate
    if not _SCALES[0] <= scale <= _SCALES[1]:
        raise ValueError(
            "epsilon must give a scale, the distance of the values over epsilon, from 0.01 to "
            f"1000, not {format_number(scale)}"
        )
    number, generator = read_runs(runs), generator_or_default(rng)
    mechanism = DiscreteLaplace(epsilon=rate, sensitivity=distance)
    steps = _attack_steps(pair, [_count_trials(scale, generator) for _ in range(number)])
    output = _attack_output(pair, _draw_fixed(scale, number, generator))
    releases = (
        "noise by counting trials, and the number of steps",
        "cydp.DiscreteLaplace with Generator(fixed_work=True), and the number of steps",
    )
    success = _success(mechanism, distance)
    return set_beside("Timing", mechanism, releases, success, (steps, output))


def _success(mechanism: DiscreteLaplace, distance: Fraction) -> float:
    """Return the probability that the value is guessed from the output and the steps: exact.

    Both values are candidates only of an output in their middle.
    """
    return 1.0 if distance % 2 else 1 - mechanism.pmf(int(distance / 2)) / 2


def _count_trials(scale: Fraction, generator: Generator) -> tuple[int, int]:
    """Return discrete Laplace noise and the number of trials, as a textbook draws it."""
    p = math.exp(-float_of(1 / scale))
    trials, odds = 1, 2 * p / (1 + p)  # odds of noise that is not 0; below, of still larger noise
    while generator.bernoulli(odds):
        trials, odds = trials + 1, p
    sign = 1 if generator.bernoulli("1/2") else -1
    return sign * (trials - 1), trials


def _draw_fixed(scale: Fraction, runs: int, generator: Generator) -> list[tuple[int, int]]:
    """Return the noise and the work of single draws by cydp's sampler with fixed work."""
    sampler = discrete_laplace_sampler(scale)
    widths = [width for width in sampler.layout[0] if width]
    found = []
    for _ in range(runs):
        planes = [np.frombuffer(generator.bytes(width), f"u{width}") for width in widths]
        sign = np.array([generator.bernoulli("1/2")])
        extensions = np.frombuffer(generator.bytes(2 * 8 * _WORDS), np.uint64)
        drawn = map_bits(sampler, planes, sign, extensions.reshape(2, 1, _WORDS), fixed_work=True)
        work = drawn.work
        found.append((int(drawn.values[0]), work["candidates"] + work["looks"]))
    return found


def _attack_steps(values: TwoValues, drawn: list[tuple[int, int]]) -> Timed:
    """Guess by outputs and steps: which values are the output minus or plus the magnitude."""
    truth, released, steps = _release(values, drawn)
    possible = np.array([abs(released - int(value)) == steps - 1 for value in values])
    certain = possible[0] != possible[1]
    return Timed(
        values=values, truth=truth, released=released, steps=steps, certain=certain,
        guesses=np.where(certain, possible[1], 0), sampler="a textbook's sampler",
    )  # fmt: skip


def _attack_output(values: TwoValues, drawn: list[tuple[int, int]]) -> Timed:
    """Guess by outputs alone, as the steps are the same for all noise."""
    truth, released, steps = _release(values, drawn)
    return Timed(
        values=values, truth=truth, released=released, steps=steps,
        certain=np.zeros(len(drawn), bool), guesses=nearer(values, released),
        sampler="cydp's sampler with fixed work",
    )  # fmt: skip


def _release(
    values: TwoValues, drawn: list[tuple[int, int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return which value each release is of, the outputs, and the steps."""
    truth = np.arange(len(drawn)) % 2
    noise, steps = np.array(drawn, np.int64).T
    return truth, np.array([int(value) for value in values])[truth] + noise, steps
