"""releases/_moments.py, _mean.py, _variance.py: values, noise by x - c, and intervals that hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom

import cydp
from cydp.releases import _moments
from cydp.releases._box import mean_within, variance_within
from cydp.testing import SeededGenerator

BOUNDS = (-4, 10)
PRIVACY: list[dict[str, Any]] = [
    {"epsilon": 1}, {"rho": "1/8"}, {"epsilon": 1, "delta": 1e-6},
    {"epsilon": "1/20"}, {"rho": 2, "relation": "change-one"},
]  # fmt: skip
HUGE = {"epsilon": 10**6}


def numbers(n: int) -> Any:
    """Return n numbers, some beyond the bounds and some missing."""
    x = np.random.default_rng(n).normal(5, 6, n)
    x[::7] = np.nan
    x[:1] = 3.5
    return x


def clamped(x: Any) -> Any:
    return np.clip(x[~np.isnan(x)], *BOUNDS)


TRUE: dict[str, Callable[[Any], float]] = {
    "mean": lambda x: float(np.mean(clamped(x))),
    "variance": lambda x: float(np.var(clamped(x))),
}


def release(name: str, x: Any, bounds: Any = BOUNDS, **given: Any) -> Any:
    return getattr(cydp, name)(x, bounds, **{"rng": SeededGenerator(1)} | given)


@pytest.mark.parametrize("n", [1, 10, 1000])
@pytest.mark.parametrize("name", TRUE)
def test_with_little_noise_they_are_numpys(name: str, n: int) -> None:
    x = numbers(n)
    made = release(name, x, **HUGE)
    assert made.value == pytest.approx(TRUE[name](x), abs=1e-4)
    assert made.error_bound() < 1e-3


@pytest.mark.parametrize("name", TRUE)
def test_missing_numbers_count_as_a_number(name: str) -> None:
    x = numbers(50)
    made = release(name, x, missing=2, **HUGE)
    filled = np.where(np.isnan(x), 2, x)
    assert made.value == pytest.approx(TRUE[name](filled), abs=1e-4)
    assert made.rows == 50


def test_a_known_number_of_rows_has_no_noise() -> None:
    for name in TRUE:
        made = release(name, numbers(50), missing=2, relation="change-one", epsilon=1e-3)
        assert made.rows == 50
        assert "count" not in made.query.parts
        others = {"user": np.arange(50), "max_rows": 2}, {"max_rows_per_unit": 2}
        for unit in others:
            made = release(name, numbers(50), missing=2, relation="change-one", epsilon=1, **unit)
            assert "count" in made.query.parts


def test_the_middle_leaves_a_quarter_of_the_noise() -> None:
    mean = cydp.mean([1], (100_000, 200_000), epsilon=2)
    total = cydp.sum([1], (100_000, 200_000), epsilon=1)
    scales = [part.noise.scale * part.step for part in (
        mean.query.parts["sum"], total.query.parts["sum"])]  # fmt: skip
    assert scales == [50_000, 200_000]


@pytest.mark.parametrize("name", TRUE)
def test_answers_stay_possible(name: str) -> None:
    """However large the noise, and with no rows at all."""
    for seed, x in itertools.product(range(50), ([], [None], [100.0], [-100, 100])):
        made = release(name, np.array(x, float), epsilon=0.01, rng=SeededGenerator(seed))
        lower, upper = made.interval()
        lowest, highest = BOUNDS if name == "mean" else (0, 49)
        assert lowest <= lower <= made.value <= upper <= highest


# Boxes


HALVES = st.integers(-40, 40).map(lambda n: Fraction(n, 2))
INTERVALS = st.tuples(HALVES, HALVES).map(lambda ends: (min(ends), max(ends)))
PARTS = st.integers(0, 12).map(lambda n: Fraction(n, 12))


def inside(interval: Any, part: Fraction) -> Fraction:
    return interval[0] + part * (interval[1] - interval[0])  # type: ignore[no-any-return]


@given(INTERVALS, INTERVALS, INTERVALS, PARTS, PARTS, PARTS)
def test_a_box_holds_its_ratios(a: Any, b: Any, n: Any, i: Any, j: Any, k: Any) -> None:
    squares, total, rows = inside(a, i), inside(b, j), inside(n, k)
    if rows < 1:
        return
    lower, upper = mean_within(b, n)
    assert lower <= total / rows <= upper
    lower, upper = variance_within(a, b, n)
    assert lower <= squares / rows - (total / rows) ** 2 <= upper


@given(INTERVALS, INTERVALS, INTERVALS)
def test_the_ends_of_a_box_are_reached(a: Any, b: Any, n: Any) -> None:
    if n[1] < 1:
        return
    rows = [max(n[0], Fraction(1)), n[1]]
    ratios = [total / count for total in b for count in rows]
    assert mean_within(b, n) == (min(ratios), max(ratios))
    far = max(abs(b[0]), abs(b[1]))
    near = Fraction(0) if b[0] <= 0 <= b[1] else min(abs(b[0]), abs(b[1]))
    for squares, total, end in zip(a, (far, near), (min, max), strict=True):
        turns = [2 * total**2 / squares] if squares else []
        counts = [*rows, *(turn for turn in turns if rows[0] <= turn <= rows[1])]
        values = [squares / count - (total / count) ** 2 for count in counts]
        assert end(variance_within(a, b, n)) == end(values)


# Coverage


def misses(name: str, x: Any, confidence: Any, times: int, **given: Any) -> int:
    """Count intervals that do not hold the true answer."""
    truth, rng, found = exact_value(name, x), SeededGenerator(len(x)), 0
    for _ in range(times):
        lower, upper = release(name, x, rng=rng, **given).interval(confidence)
        found += not lower - 1e-12 <= truth <= upper + 1e-12
    return found


def exact_value(name: str, x: Any) -> float:
    """The answer of numbers that are rounded to the grid of the release."""
    grid = release(name, x, **HUGE).query.grid
    step = float(grid.step)
    return TRUE[name](np.round(x / step) * step)


def is_refused(found: int, times: int, confidence: float) -> bool:
    return bool(binom.sf(found - 1, times, 1 - confidence) < LIMIT)


@pytest.mark.parametrize("times", [300, pytest.param(5000, marks=pytest.mark.long)])
@pytest.mark.parametrize("privacy", PRIVACY, ids=str)
@pytest.mark.parametrize("n", [1, 2, 30, 1000])
@pytest.mark.parametrize("name", TRUE)
def test_intervals_hold_the_true_answer(name: str, n: int, privacy: Any, times: int) -> None:
    for confidence in (0.5, 0.95):
        found = misses(name, numbers(n), confidence, times, **privacy)
        assert not is_refused(found, times, confidence)


@pytest.mark.parametrize("privacy", PRIVACY[:3], ids=str)
@pytest.mark.parametrize("name", TRUE)
def test_intervals_of_several_answers_hold_together(name: str, privacy: Any) -> None:
    """Three releases of one table: all of their intervals hold, as often as stated."""
    x, rng, times, failures = numbers(30), SeededGenerator(3), 300, 0
    truth = exact_value(name, x)
    for _ in range(times):
        ends = [release(name, x, rng=rng, **privacy).interval(0.8, count=3) for _ in range(3)]
        failures += not all(lower <= truth <= upper for lower, upper in ends)
    assert not is_refused(failures, times, 0.8)


def test_a_mean_by_key_has_such_an_interval() -> None:
    keys = np.arange(2000)
    x = np.tile(numbers(30), len(keys))
    table = {"key": np.repeat(keys, 30), "x": x}
    truth = exact_value("mean", numbers(30))
    for privacy, confidence in itertools.product(PRIVACY, (0.5, 0.95)):
        made = cydp.group_by(
            table, "key", keys=keys, means={"x": BOUNDS}, rng=SeededGenerator(5), **privacy
        )
        lower, upper = made.interval(confidence, column="mean_x")
        found = int(np.count_nonzero((truth < lower - 1e-7) | (truth > upper + 1e-7)))
        assert not is_refused(found, len(keys), confidence), (privacy, confidence)


@pytest.mark.parametrize("name", TRUE)
def test_mutants_of_intervals_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of rows that is taken for exact; parts within a quarter of their bounds."""
    around = _moments.MomentRelease._around

    def exact_rows(made: Any, *given: Any) -> Any:
        rows = Fraction(made.rows)
        return around(made, *given) | {"count": (rows, rows)}

    def narrow(made: Any, *given: Any) -> Any:
        found = around(made, *given)
        return {part: ((5 * a + 3 * b) / 8, (3 * a + 5 * b) / 8) for part, (a, b) in found.items()}

    x = np.where(np.arange(1000) % 10, 10.0, 3.0)  # far from the middle: n counts
    split = {"sum": 50} if name == "mean" else {"sum": 50, "squares": 50}
    for mutant in (exact_rows, narrow):
        monkeypatch.setattr(_moments.MomentRelease, "_around", mutant)
        assert is_refused(misses(name, x, 0.95, 300, epsilon=2, split=split), 300, 0.95), mutant


def test_the_wrong_answer_is_refused() -> None:
    """A check of the check: the interval of an answer that is far away does not hold it."""
    made = release("mean", numbers(1000), epsilon=1, rng=SeededGenerator(1))
    moved = replace(made, deviations=made.deviations + 10**9 * 60)
    assert moved.interval()[0] > exact_value("mean", numbers(1000))
