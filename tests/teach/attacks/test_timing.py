"""teach/attacks/_timing.py: the textbook's law, steps that are counted, and the defence."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cydp import DiscreteLaplace, Generator, PureDP
from cydp.teach.attacks import _timing, timing
from cydp.testing import SeededGenerator

FAR = 300


class Scripted:
    """A generator of trials that succeed a given number of times; it notes the chances."""

    def __init__(self, successes: int, sign: bool) -> None:
        self.left, self.sign, self.chance = successes, sign, 1.0

    def bernoulli(self, p: Any) -> bool:
        if p == "1/2":
            self.chance /= 2
            return self.sign
        self.left -= 1
        self.chance *= p if self.left >= 0 else 1 - p
        return self.left >= 0


@pytest.mark.parametrize("scale", ["1/3", "20"])
def test_the_textbook_draws_discrete_laplace_noise(scale: str) -> None:
    """Exactly, by all paths; its trials count the magnitude."""
    noise = DiscreteLaplace(epsilon=1 / Fraction(scale), sensitivity=1)
    chances: dict[int, float] = defaultdict(float)
    for magnitude in range(12):
        for sign in (True, False):
            scripted: Any = Scripted(magnitude, sign)
            drawn, trials = _timing._count_trials(Fraction(scale), scripted)
            assert trials == magnitude + 1 == abs(drawn) + 1
            chances[drawn] += scripted.chance
    for k, chance in chances.items():
        assert chance == pytest.approx(noise.pmf(k), rel=1e-11)


def best(distance: int, epsilon: float, *, clocked: bool) -> float:
    """Return the best bet from outputs, and steps if there is a clock, by summing their law."""
    p = math.exp(-epsilon / distance)
    laws: list[dict[Any, float]] = [defaultdict(float), defaultdict(float)]
    for law, value in zip(laws, (0, distance), strict=True):
        for k in range(-FAR, FAR + 1):
            seen = (value + k, abs(k) + 1) if clocked else value + k
            law[seen] += (1 - p) / (1 + p) * p ** abs(k)
    return sum(max(laws[0][seen], laws[1][seen]) for seen in {*laws[0], *laws[1]}) / 2


def test_both_probabilities_are_exact() -> None:
    for values, epsilon in (((0, 1), 1), ((7, 5), 3), ((-3, 0), 3), ((0, 4), 1)):
        attack, distance = timing(values, epsilon=epsilon, runs=2), abs(values[0] - values[1])
        for trial, clocked in ((attack.undefended, True), (attack.defended, False)):
            exact = best(distance, epsilon, clocked=clocked)
            assert trial.success == pytest.approx(exact, rel=1e-10), values
        assert (attack.undefended.loss, attack.defended.loss) == (None, PureDP(epsilon))
        assert "fixed_work=True" in attack.defended.release  # without it a clock sees a little
        assert attack.defended.limit == pytest.approx(1 / (1 + math.exp(-epsilon)))
        assert attack.defended.success <= attack.defended.limit * (1 + 1e-15)
        assert attack.undefended.success > attack.defended.success
        if distance % 2:
            assert attack.undefended.success == 1 > attack.defended.limit


def test_steps_and_outputs_of_neighbours() -> None:
    attack = timing((0, 1), runs=500, rng=SeededGenerator(1))
    seen = attack.undefended.observed
    assert seen.right == 1
    assert seen.certain.all()
    assert np.array_equal(np.abs(seen.released - seen.truth), seen.steps - 1)
    assert np.array_equal(seen.truth, np.arange(500) % 2)
    even = timing((0, 2), runs=500, rng=SeededGenerator(1)).undefended.observed
    assert np.array_equal(even.certain, even.released != 1)  # both are one step from the middle
    assert (even.guesses == even.truth)[even.certain].all()


def test_cydp_works_as_much_for_every_noise() -> None:
    """Of 1,000 draws; without fixed work some of scale 1 take a second look."""
    for scale in ("0.01", "1", "40", "1000"):
        drawn = _timing._draw_fixed(Fraction(scale), 1000, SeededGenerator(2))
        assert len({noise for noise, _ in drawn}) > 5 or scale == "0.01"
        assert len({steps for _, steps in drawn}) == 1, scale


def test_the_guesses_of_who_sees_no_steps() -> None:
    attack = timing((3, 0), runs=400, rng=Generator())
    seen = attack.defended.observed
    assert not seen.certain.any()
    assert np.array_equal(seen.guesses, (seen.released < 1.5).astype(int))
    assert len(set(seen.steps.tolist())) == 1
