"""releases/_mean.py, _variance.py, _ratios.py: values, noise by x - c, and intervals that hold.

What an interval covers is computed from the law of the noise: its bounds hold together as often as
stated, and the interval holds the exact answer for all noise within them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases.exact_answers import without_noise
from scipy.stats import binom

import cydp
from cydp.releases._ratios import (
    mean_within,
    unrounded_variance,
    variance_within,
)
from cydp.testing import SeededGenerator

BOUNDS = (-4, 10)
PRIVACY: list[dict[str, Any]] = [
    {"epsilon": 1}, {"rho": "1/8"}, {"epsilon": 1, "delta": 1e-6}, {"epsilon": "1/20"},
    {"rho": 2, "relation": "change-one"}, {"epsilon": 1, "relation": "change-one", "missing": 2},
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


@pytest.mark.parametrize("name", TRUE)
def test_with_little_noise_they_are_numpys(name: str) -> None:
    for n, relation in itertools.product((1, 10, 1000), ("add-remove", "change-one")):
        x = numbers(n)
        made = release(name, x, relation=relation, **HUGE)  # from distances, and from a sum
        assert made.value == pytest.approx(TRUE[name](x), abs=1e-4)
        assert made.error_bound() < 1e-3
    made = release(name, x[:50], missing=2, **HUGE)
    filled = np.where(np.isnan(x[:50]), 2, x[:50])
    assert made.value == pytest.approx(TRUE[name](filled), abs=1e-4)
    assert round(made.rows) == 50


def test_a_known_number_of_rows_has_no_noise() -> None:
    for name in TRUE:
        made = release(name, numbers(50), missing=2, relation="change-one", epsilon=1e-3)
        assert made.rows == 50
        assert "count" not in made.query.parts
        for unknown in (
            {"user": np.arange(50), "max_rows": 2}, {"max_rows_per_unit": 2}, {"missing": "drop"},
            {"relation": "add-remove-or-change"},
        ):  # fmt: skip
            given: dict[str, Any] = {"missing": 2, "relation": "change-one", "epsilon": 1}
            made = release(name, numbers(50), **given | unknown)
            assert "count" in made.query.parts


def test_the_middle_leaves_a_quarter_of_the_noise() -> None:
    mean = cydp.mean([1], (100_000, 200_000), epsilon=2, split={"sum": 1})
    total = cydp.sum([1], (100_000, 200_000), epsilon=1)
    scales = [part.noise.scale * part.step for part in (
        mean.query.parts["sum"], total.query.parts["sum"])]  # fmt: skip
    assert scales == [50_000, 200_000]


@pytest.mark.parametrize("name", TRUE)
def test_answers_stay_possible(name: str) -> None:
    """However large the noise, and with no rows at all."""
    for seed, x in itertools.product(range(15), ([], [None], [100.0], [-100, 100])):
        made = release(name, np.array(x, float), epsilon=0.01, rng=SeededGenerator(seed))
        lower, upper = made.interval()
        lowest, highest = BOUNDS if name == "mean" else (0, 49)
        assert lowest <= made.value <= highest
        assert lowest <= lower <= made.value <= upper <= highest


@pytest.mark.parametrize("split", [None, {"sum": 1, "count": 1}], ids=["distances", "sums"])
@pytest.mark.parametrize("bounds", [(0, 100), (0.1, 0.7), ("1/3", "98765.4321"), (-0.3, 0)])
def test_ends_are_within_the_bounds_as_given_and_reach_them(bounds: Any, split: Any) -> None:
    """Where all numbers are a bound, the true mean is that bound, on the grid or not."""
    lowest, highest = ends = [*map(Fraction, bounds)]
    table = {"key": ["a"] * 1000, "x": [0.0] * 1000}
    for end, epsilon, relation in itertools.product(
        ends, (0.01, 10**4), ("add-remove", "change-one")
    ):
        table["x"] = [float(end)] * 1000
        given: dict[str, Any] = {
            "epsilon": epsilon, "relation": relation, "rng": SeededGenerator(3),
        }  # fmt: skip
        alone = cydp.mean(table, bounds, column="x", split=split, **given)
        by_key = cydp.group_by(
            table, "key", keys=["a"], means={"x": bounds}, count=split is not None, **given
        )
        for lower, upper in (alone.interval(), by_key.interval(column="mean_x")):
            assert float(lowest) <= lower <= float(end) <= upper <= float(highest)
        assert lowest <= alone.exact <= highest
        spread = cydp.variance(table, bounds, column="x", split=split and split | {"squares": 1},
                               **given)  # fmt: skip
        assert 0 <= spread.interval()[0] <= spread.interval()[1]
        assert spread.interval()[1] <= float(((highest - lowest) / 2) ** 2)


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


def test_a_variance_is_largest_between_the_ends_of_its_box() -> None:
    """Of squares 8 and a total of 4: at n = 4, with 3 and 5 on both sides."""
    squares, total, rows = ((Fraction(n), Fraction(m)) for n, m in ((8, 8), (4, 4), (3, 5)))
    assert variance_within(squares, total, rows)[1] == Fraction(8, 4) - 1


# Coverage


def corners(bounds: dict[str, int]) -> Iterator[dict[str, int]]:
    """Return noise at the ends of the bounds of its parts, and none."""
    for signs in itertools.product((-1, 0, 1), repeat=len(bounds)):
        yield {
            name: sign * bound for sign, (name, bound) in zip(signs, bounds.items(), strict=True)
        }


def bounds_of(parts: Any, confidence: float, count: int) -> dict[str, int]:
    """Return bounds within which the noise of all parts stays together, `count` times."""
    together = count * len(parts)
    bounds = {
        name: part.noise.error_bound(confidence, count=together) for name, part in parts.items()
    }
    outside = {name: 2 * parts[name].noise.cdf(-bounds[name] - 1) for name in parts}
    assert math.prod(1 - each for each in outside.values()) ** count >= confidence - 1e-9
    return bounds


FIELDS = {"squares": "squares", "sum": "deviations", "count": "rows"}


@pytest.mark.parametrize("name", TRUE)
def test_intervals_hold_the_true_answer(name: str) -> None:
    """For all noise within the bounds of its parts, which hold together as often as stated."""
    missed, split = [], {"sum": 1}  # and not by distances
    for privacy, n, confidence, count in itertools.product(
        PRIVACY, (1, 2, 30, 1000), (0.5, 0.95), (1, 3)
    ):
        with without_noise():
            exact = release(name, numbers(n), split=split, **privacy)
        bounds = bounds_of(exact.query.parts, confidence, count)
        for noise in corners(bounds):
            moved = {FIELDS[part]: getattr(exact, FIELDS[part]) + noise[part] for part in noise}
            lower, upper = replace(exact, **moved).interval(confidence, count=count)
            if not lower - 1e-12 <= exact.value <= upper + 1e-12:
                missed.append((privacy, n, confidence, count, noise))
    assert missed == []


def rounded_alike(name: str, n: int) -> Any:
    """Return n numbers that rounding moves as far as it can: all up, or all to the middle."""
    step = float(getattr(cydp, name)([1], (0, 1), epsilon=1).query.grid.step)
    far = np.where(np.arange(n) % 2 == 0, 0.25, 0.75)
    beyond = step * 0.49 * (np.sign(far - 0.5) if name == "variance" else -1)
    return far + beyond


@pytest.mark.parametrize("n", [10**3, 10**5, pytest.param(10**7, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", TRUE)
def test_intervals_hold_the_answer_of_numbers_that_are_not_rounded(name: str, n: int) -> None:
    """Of 40 releases fewer than 29 would miss the stated 95 % by a chance below 1e-6."""
    x = rounded_alike(name, n)
    true = float(np.mean(x) if name == "mean" else np.var(x))
    costs: list[dict[str, Any]] = [
        {"epsilon": 5}, {"epsilon": 10**4, "relation": "change-one", "missing": 0}
    ]  # fmt: skip
    for cost in costs:
        held = 0
        for seed in range(40):
            made = release(name, x, (0, 1), **cost, rng=SeededGenerator(seed))
            lower, upper = made.interval()
            held += lower <= true <= upper
        assert held >= 29, (held, cost)
    assert binom.cdf(28, 40, 0.95) < 1e-6


def test_a_variance_has_room_for_many_rows() -> None:
    """Undivided, the sum of 2**40 for each of these rows ends where int64 does, at 0.21."""
    x = np.arange(10**7, dtype=np.int64).astype(np.int8) & 1
    made = release("variance", x, (0, 1), epsilon=1)
    lower, upper = made.interval()
    assert lower < 0.25 == upper < lower + 1e-5
    assert made.value == pytest.approx(0.25, abs=1e-5)


@pytest.mark.parametrize(("bounds", "per_step"), [
    ((0, 1), 2**20), (BOUNDS, 2**19), ((5, 5), 1), ((2**31 - 2**11, 2**31), 1),
])  # fmt: skip
def test_what_squares_are_divided_by_is_public(bounds: Any, per_step: int) -> None:
    """It is a power of two, for which the farthest square is 2**20 steps at least, or 1."""
    query = release("variance", [1.0], bounds, epsilon=1, split={"sum": 1}).query
    assert query.squares_per_step == per_step
    assert per_step == 1 or 2**20 <= query.farthest**2 / per_step < 2**21
    part = query.parts["squares"]
    assert part.step == query.grid.step**2 * per_step
    assert part.change.l1 * per_step >= query.farthest**2


def test_an_interval_holds_squares_that_were_rounded_down() -> None:
    """Of two numbers so near to the middle that the sum of their squares is rounded to none."""
    step = 2.0**-21
    x = np.array([0.5 - 700 * step, 0.5 + 700 * step])
    given: dict[str, Any] = {"epsilon": 64 * 10**6, "split": {"squares": 64}}  # and no noise
    with without_noise():
        made = release("variance", x, (0, 1), **given)
    assert (made.squares, made.deviations, made.rows) == (0, 0, 2)
    lower, upper = made.interval()
    assert lower <= np.var(x) <= upper < 2 * np.var(x)


def test_sums_beyond_what_is_released_leave_the_interval_open() -> None:
    """Noise is added to a sum that ends there, so a sum below by less than noise is open, too."""
    with without_noise():
        exact = release("variance", numbers(10), epsilon=1, split={"sum": 1})
    bound = exact.query.parts["squares"].noise.error_bound(0.95, count=3)
    upper = {}
    for squares in (2**63 - 1, 2**62 - 1, 2**62 - 1 - bound, 2**62 - 2 - bound):
        made = replace(exact, squares=squares, deviations=0, rows=2**44)
        lower, upper[squares] = made.interval()
        assert lower < 49 * (1 if squares > 2**62 else 0.9)
    *open_ends, closed = upper.values()
    assert min(open_ends) >= 49 > closed


@given(st.lists(st.fractions(-5, 5), min_size=1, max_size=9))
def test_rounding_changes_a_standard_deviation_by_half_a_step(x: Any) -> None:
    def moments(numbers: Any) -> tuple[Fraction, Fraction]:
        mean = sum(numbers, Fraction(0)) / len(numbers)
        return mean, sum((each - mean) ** 2 for each in numbers) / len(numbers)

    (_, true), (_, variance) = moments(x), moments([Fraction(round(each)) for each in x])
    lower, upper = unrounded_variance((variance, variance))
    assert lower <= true <= upper


def test_intervals_of_means_by_key_hold_the_true_answer() -> None:
    keys = np.repeat(np.arange(3), [1, 2, 30])
    table = {"key": keys, "x": numbers(len(keys))}
    missed = []
    sums = [each for each in PRIVACY if "rho" in each or "relation" in each]  # not by distances
    for privacy, confidence, count in itertools.product(sums, (0.5, 0.95), (1, 3)):
        with without_noise():
            exact = cydp.group_by(
                table, "key", keys=[0, 1, 2], means={"x": BOUNDS}, count=False, **privacy
            )
        bounds = bounds_of(exact.query.parts, confidence, count)
        for noise in corners(bounds):
            steps = tuple(
                step + noise[part]
                for step, part in zip(exact.steps, exact.query.parts, strict=True)
            )
            made = replace(exact, steps=steps)
            lower, upper = made.interval(confidence, count=count, column="mean_x")
            means = exact["mean_x"]
            if not ((lower - 1e-9 <= means) & (means <= upper + 1e-9)).all():
                missed.append((privacy, confidence, count, noise))
    assert missed == []


def test_the_number_of_rows_that_divides_has_noise() -> None:
    """Of 64 draws at epsilon 1 some differ from the exact number, unless it is public."""
    numbers = [1, 2, None, 3]
    for function in (cydp.mean, cydp.variance):
        drawn = {
            function(numbers, (0, 4), epsilon=1, rng=SeededGenerator(i)).rows for i in range(64)
        }
        assert len(drawn) > 3
    public = {"relation": "change-one", "missing": 2}
    drawn = {
        cydp.mean(numbers, (0, 4), epsilon=1, rng=SeededGenerator(i), **public).rows
        for i in range(64)
    }
    assert drawn == {4}
