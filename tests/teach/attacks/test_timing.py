"""teach/attacks/_timing.py: the textbook's law, steps that are counted, and the defence."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from teach.looks import check

from cydp import DiscreteLaplace, Generator, PureDP, testing
from cydp.teach.attacks import _timing, timing
from cydp.testing import SeededGenerator

FAR = 300


class Scripted:
    """A generator whose trials succeed a given number of times; it notes the chances."""

    def __init__(self, successes: int, sign: bool) -> None:
        self.left, self.sign, self.chance = successes, sign, 1.0

    def bernoulli(self, p: Any) -> bool:
        if p == "1/2":
            self.chance /= 2
            return self.sign
        self.left -= 1
        self.chance *= p if self.left >= 0 else 1 - p
        return self.left >= 0


@pytest.mark.parametrize("scale", ["1/3", "1", "20"])
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


@pytest.mark.parametrize("values", [(0, 1), (7, 5), (-3, 0), (0, 4)])
@pytest.mark.parametrize("epsilon", [1, 3])
def test_both_probabilities_are_exact(values: tuple[int, int], epsilon: int) -> None:
    attack = timing(values, epsilon=epsilon, runs=2)
    distance = abs(values[0] - values[1])
    assert attack.undefended.success == pytest.approx(
        best(distance, epsilon, clocked=True), rel=1e-10
    )
    assert attack.defended.success == pytest.approx(
        best(distance, epsilon, clocked=False), rel=1e-10
    )
    assert attack.undefended.loss is None
    assert attack.defended.loss == PureDP(epsilon)
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


@pytest.mark.parametrize("scale", ["0.01", "1", "5", "40", "1000"])
def test_cydp_works_as_much_for_every_noise(scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 3,000 draws; without fixed work, the mutant, some take a second look."""

    def steps_of() -> set[int]:
        drawn = _timing._draw_fixed(Fraction(scale), 3000, SeededGenerator(2))
        assert len({noise for noise, _ in drawn}) > 5 or scale == "0.01"
        return {steps for _, steps in drawn}

    assert len(steps_of()) == 1
    if scale == "1":
        exact = testing.map_bits

        def fast(*args: Any, **_: Any) -> Any:
            return exact(*args)

        monkeypatch.setattr(_timing, "map_bits", fast)
        assert len(steps_of()) > 1


def test_the_guesses_of_who_sees_no_steps() -> None:
    attack = timing((3, 0), runs=400, rng=Generator())
    seen = attack.defended.observed
    assert not seen.certain.any()
    assert np.array_equal(seen.guesses, (seen.released < 1.5).astype(int))
    assert len(set(seen.steps.tolist())) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": (1, 1)}, "values must be two different integers"),
        ({"values": (0, 2**41)}, "values must be two different integers"),
        ({"values": (0, 0.5)}, "values must be"),
        ({"values": 7}, "values must be a pair"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": "0.0009"}, "epsilon must give a scale, .* from 0.01 to 1000, not 10000/9"),
        ({"epsilon": 101}, "epsilon must give a scale"),
        ({"runs": 0}, "runs must be from 2 to 100,000"),
        ({"rng": 5}, "rng must be a cydp.Generator"),
    ],
)
def test_wrong_parameters(given: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        timing(**{"values": (0, 1)} | given)


def test_pictures() -> None:
    attack = timing((0, 1), rng=SeededGenerator(1))
    for trial in (attack.undefended, attack.defended):
        check(trial.observed.plot)


def test_hollow_markers_are_seen_in_a_style_without_edges() -> None:
    with plt.rc_context({"lines.markeredgewidth": 0}):
        ax = timing((0, 1), rng=SeededGenerator(1)).undefended.observed.plot()
        assert min(line.get_markeredgewidth() for line in ax.lines) > 0
    plt.close(ax.figure)
