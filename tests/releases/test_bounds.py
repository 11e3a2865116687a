"""releases/_bounds.py: bounds by noisy counts of powers of two."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.releases import BoundsRelease
from cydp.testing import SeededGenerator

MAX = np.finfo(np.float64).max
FEW = 0.01  # an epsilon with which no bin of 100 records is found; 100 has almost no noise


def bounds(x: Any, **more: Any) -> BoundsRelease:
    return cydp.bounds(x, **{"epsilon": 100, "confidence": 0.9, "rng": SeededGenerator(1)} | more)


FOUND: dict[str, tuple[list[float], tuple[float, float]]] = {
    "positive": ([18, 25, 99], (16, 128)),
    "a power of two": ([1, 4], (1, 8)),
    "with zeros": ([0, 3], (0, 4)),
    "zeros": ([0.0, -0.0], (0, 0)),
    "negative": ([-3, -100], (-128, -2)),
    "negative and 0": ([-3, 0], (-4, 0)),
    "a negative power of two": ([-4], (-4, -2)),
    "both signs": ([-3, 1000], (-4, 1024)),
    "small": ([2.0**-960, 1.5], (2.0**-960, 2)),
    "too small": ([2.0**-961, -(2.0**-1074)], (0, 0)),
    "infinite": ([math.inf, -math.inf], (-MAX, MAX)),
    "largest": ([MAX], (2.0**1023, MAX)),
    "missing": ([math.nan, 5], (4, 8)),
}


def test_the_bounds_enclose_the_bins_of_the_records() -> None:
    for name, (numbers, expected) in FOUND.items():
        release = bounds(np.repeat(np.array(numbers, float), 50))
        assert release.value == expected, name
        assert release.found
        lower, upper = release
        assert (lower, upper) == expected == (release[0], release[-1])
        assert np.asarray(release).tolist() == list(expected)
        assert not math.copysign(1, release.value[1]) < 0 or release.value[1] < 0, name


def test_any_dtype_and_shape() -> None:
    for dtype in (np.int8, np.int64, np.uint64, np.float16, np.float32, np.bool_):
        x: Any = np.repeat(np.array([1, 5], dtype), 50)
        assert bounds(x).value == ((1, 2) if dtype == np.bool_ else (1, 8))
    assert bounds(np.full(50, 2**63 + 1, np.uint64)).value == (2.0**63, 2.0**64)
    x = np.array([1.5, -7.0, 0.0] * 40)
    masked = np.ma.MaskedArray(np.append(x, 9e9), [False] * len(x) + [True])
    for other in (x.tolist(), np.repeat(x, 2)[::2], masked):
        assert bounds(other, epsilon=1) == bounds(x, epsilon=1)


def test_bins_of_few_records_are_not_found() -> None:
    x = [5.0] * 1000 + [1e300]
    assert cydp.bounds(x, epsilon=1, rng=SeededGenerator(3)).value == (4, 8)


@pytest.mark.parametrize("x", [[], [5.0] * 3, [math.nan] * 1000])
def test_without_a_bin_the_fallback_is_used(x: list[float]) -> None:
    release = bounds(x, epsilon=FEW)
    assert release.value == (0, 0)
    assert not release.found
    assert "no bin was found" in " ".join(repr(release).split())
    given = bounds(x, epsilon=FEW, fallback=("-1/2", 7))
    assert given.value == (-0.5, 7)
    assert cydp.sum([1.0, 2.0], given, epsilon=1).query.grid.bounds == (-0.5, 7)
    assert isinstance(float(cydp.mean([1.0], release, epsilon=1)), float)


def test_an_empty_table_passes_no_bin_with_the_confidence() -> None:
    """One less, and an empty table passes more often than the confidence allows, two-sided."""
    costs: list[dict[str, Any]] = [{"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6}]
    for cost in costs:
        query = cydp.bounds([], confidence=0.9, **cost).query
        noise, bins = query.parts["counts"].noise, query.cells
        within = [1 - 2 * noise.cdf(-(query.threshold - less) - 1) for less in (0, 1)]
        assert within[0] ** bins >= 0.9 > within[1] ** bins


def test_a_bin_is_found_above_the_threshold() -> None:
    release = bounds([5.0] * 50)
    place = int(np.argmax(release.counts))
    for beside, value in ((0, (0, 0)), (1, (4, 8))):
        counts = np.zeros_like(release.counts)
        counts[place] = release.query.threshold + beside
        made = dataclasses.replace(release, counts=counts)
        assert (made.value, made.found) == (value, bool(beside))


def test_the_noise_is_that_of_a_histogram() -> None:
    for kwargs in (
        {"relation": "change-one"},
        {"user": [1, 1], "max_partitions": 3, "max_rows_per_partition": 2},
        {"max_rows_per_unit": 5},
    ):
        found = cydp.bounds([1.0, 2.0], epsilon=1, **kwargs)
        same = cydp.histogram([1.0, 2.0], 2048, (0, 4), epsilon=1, **kwargs)
        assert found.query.parts == same.query.parts
        assert found.unit == same.unit


def test_a_user_counts_in_some_bins_only() -> None:
    x = np.repeat(2.0 ** np.arange(10), 100)
    one_user = bounds(x, user=np.zeros(1000, int), max_partitions=2, max_rows_per_partition=3)
    assert np.sort(one_user.counts)[-3:].tolist() == [0, 3, 3]


def test_a_record_changes_one_count_whatever_it_is() -> None:
    rng = np.random.default_rng(5)
    for value in [*(rng.normal(size=20) * 2.0 ** rng.integers(-1000, 1000, 20)), math.inf, 0.0]:
        before, after = (bounds(x, epsilon=1000).counts for x in ([3.0], [3.0, value]))
        assert np.abs(after - before).sum() == 1


def test_bounds_are_passed_on() -> None:
    x = [0.0, 21_000, 35_500.5, 90_000] * 100
    release = bounds(x)
    exact = release.value
    for function in (cydp.sum, cydp.mean, cydp.median, cydp.variance):
        made = [function(x, pair, epsilon=1, rng=SeededGenerator(2)) for pair in (release, exact)]
        assert made[0] == made[1]
    assert cydp.histogram(x, 4, release, epsilon=1).edges[-1] == 131072
    table = cydp.group_by(
        {"key": ["a"] * 400, "x": x}, "key", keys=["a"], sums={"x": release}, epsilon=1
    )
    assert table.query.summaries[0].grid.bounds == exact


def test_its_numbers_are_those_of_its_noise() -> None:
    release = bounds([5.0] * 50)
    assert release.metadata["bins"]["threshold"] == release.query.threshold
    assert release.error_bound() == cydp.histogram([], 2, (0, 1), epsilon=100).error_bound()
    lower, upper = release.interval()
    assert (upper - lower == 2 * release.error_bound()).all()


def test_a_budget_pays(tmp_path: Any) -> None:
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    cydp.bounds([], epsilon="0.25", budget=budget)
    assert budget.spent == cydp.PureDP("0.25")
    with cydp.BudgetLedger.create(tmp_path / "l", cydp.PureDP(1), privacy_unit="row") as ledger:
        first, again = (
            cydp.bounds([5.0] * 99, epsilon=1, budget=ledger.scope(charge_id="bounds"))
            for _ in range(2)
        )
        assert first == again
        assert ledger.remaining == cydp.PureDP(0)
