"""examples/dp_sgd.py: its accuracy, and that no row moves its sums by more than the clip."""

from __future__ import annotations

import math
import runpy
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from refusals import check_refusals

import cydp
from cydp.testing import SeededGenerator

mpl.use("agg")
EXAMPLE = Path(__file__).parents[2] / "examples" / "dp_sgd.py"


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


def test_it_learns(shown: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """With a fixed key; and where the noise is 1,000 times larger, it does not (the mutant)."""
    found = shown["main"](SeededGenerator(23))
    assert found["private"] > found["majority guess"] + 0.1
    assert abs(found["private"] - found["not private"]) < 0.08
    printed = capsys.readouterr().out
    assert "100 x Sampled(DiscreteGaussian(sigma=67108864, sensitivity=16777216), 0.1)" in printed
    assert "on all rows they would cost epsilon 13.2" in printed
    assert "epsilon 0.982854 by the privacy loss distribution (this counts)" in printed
    x, y = shown["read_people"]()
    clip = shown["CLIP"]
    loud = cydp.DiscreteGaussian(sigma=4000 * clip, sensitivity=clip)
    trained = [shown["train"](x, y, loud, SeededGenerator(seed)) for seed in range(6)]
    assert np.mean([shown["accuracy"](weights, x, y) for weights in trained]) < 0.62
    one_step = shown["train"](x, y, None, SeededGenerator(4), steps=1)  # is its own mean
    assert 0.01 < np.abs(one_step).max() < math.inf


def most_moved(clip: Callable[[Any, int], Any], gradients: Any, norm: int) -> int:
    """The largest squared L2 norm by which one row, which comes or goes, moves the sum."""
    whole = clip(gradients, norm).sum(axis=0)
    moves = [whole - clip(np.delete(gradients, i, 0), norm).sum(axis=0) for i in range(200)]
    return max(square_of(move) for move in moves)


def square_of(row: Any) -> int:
    return sum(int(entry) ** 2 for entry in row)


def to_nearest(gradients: Any, norm: int) -> Any:
    """The mutant of `clip_rows` that rounds to the nearest integer."""
    scale = np.minimum(1, norm / np.sqrt(np.maximum((gradients**2).sum(axis=1), 1)))
    return np.rint(gradients * scale[:, None]).astype(np.int64)


def wrapping(gradients: Any, norm: int) -> Any:
    """The mutant of `clip_rows` that squares at once: squares of large integers wrap to 0."""
    return gradients * ((gradients**2).sum(axis=1) <= norm**2)[:, None]


def test_no_row_moves_the_sum_by_more_than_the_norm(shown: dict[str, Any]) -> None:
    random = np.random.default_rng(5)
    clip = shown["clip_rows"]
    for norm, width in ((10, 60), (1000, 5000), (2**24, 2**25)):
        gradients = random.integers(-width, width + 1, (400, 6))
        gradients[:3] = np.array([[0], [norm], [width]])
        assert 0.9 * norm**2 <= most_moved(clip, gradients, norm) <= norm**2
        assert most_moved(to_nearest, gradients, norm) > norm**2
        for far in ([2**32, 0, 0], [-(2**63), 2**33, 0], [2**62, 2**32, 2**32]):
            row = np.array([far])
            assert 0.25 * norm**2 <= square_of(clip(row, norm)[0]) <= norm**2
            assert square_of(wrapping(row, norm)[0]) > norm**2
        inside = random.integers(-norm // 3, norm // 3 + 1, (50, 6))
        assert np.array_equal(clip(inside, norm), inside)  # what is short enough stays


def test_a_row_does_not_change_the_gradients_of_others(shown: dict[str, Any]) -> None:
    """Neighbours: each row's integers are the same as of the row alone."""
    x, y = shown["read_people"]()
    weights = np.array([-300, 4000, -9001, 7000, 1234, 555])
    together = shown["gradients_of"](weights, x, y)
    for i in range(0, len(x), 37):
        assert np.array_equal(shown["gradients_of"](weights, x[i : i + 1], y[i : i + 1])[0],
                              together[i])  # fmt: skip
        few = np.delete(together, i, 0)
        assert np.array_equal(np.delete(shown["clip_rows"](together, 2**23), i, 0),
                              shown["clip_rows"](few, 2**23))  # fmt: skip
    assert np.abs(x).max() <= shown["ONE"]
    true = (y - 1 / (1 + np.exp(-(x @ weights) / shown["ONE"] ** 2)))[:, None] * x * shown["ONE"]
    assert np.abs(together - true).max() < 0.01 * shown["ONE"] ** 2


def test_what_is_charged_is_what_is_drawn(
    shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the planned steps, and no other, draws a sample of the share and noise of the plan.

    Mutants would draw one sample for all steps, or noise of another sigma.
    """
    drawn: list[Any] = []
    shares: list[Fraction] = []
    bernoulli, release = cydp.Generator.bernoulli, cydp.DiscreteGaussian.release

    class Spy(SeededGenerator):
        def bernoulli(self, p: Any, size: Any = None, **kwargs: Any) -> Any:
            shares.append(Fraction(p))
            return bernoulli(self, p, size, **kwargs)

    def record(self: Any, value: Any, **kwargs: Any) -> Any:
        drawn.append((self, np.shape(value)))
        return release(self, value, **kwargs)

    monkeypatch.setattr(cydp.DiscreteGaussian, "release", record)
    shown["main"](Spy(1))
    steps, clip = shown["STEPS"], shown["CLIP"]
    planned = cydp.DiscreteGaussian(sigma=shown["NOISE"] * clip, sensitivity=clip)
    assert drawn == [(planned, (6,))] * steps
    assert shares == [Fraction(1, 5)] + [shown["SHARE"]] * (2 * steps)  # of both descents


@pytest.mark.long
def test_the_picture(shown: dict[str, Any]) -> None:
    ax = shown["plot_accuracy"](runs=1)
    private, _, guess = ax.lines
    assert list(private.get_xdata()) == sorted(private.get_xdata(), reverse=True)
    assert private.get_xdata()[0] > 2
    assert guess.get_ydata()[0] == 0.515
    assert "epsilon" in ax.get_xlabel()


def test_what_cannot_be_drawn_or_clipped_is_refused(
    shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    check_refusals(
        {
            "no matplotlib": (shown["plot_accuracy"], ImportError, ("pip install 'cydp[plot]'",)),
            "squares that do not fit": (
                lambda: shown["clip_rows"](np.ones((1, 6), np.int64), 2**31),
                ValueError, ("norm must be so small",),
            ),
        }
    )  # fmt: skip
