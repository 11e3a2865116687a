"""releases/_bounds.py: bounds by noisy counts of powers of two."""

from __future__ import annotations

import math
import pickle
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


@pytest.mark.parametrize("name", FOUND)
def test_the_bounds_enclose_the_bins_of_the_records(name: str) -> None:
    numbers, expected = FOUND[name]
    release = bounds(np.repeat(np.array(numbers, float), 50))
    assert release.value == expected
    assert release.found
    lower, upper = release
    assert (lower, upper) == expected == (release[0], release[-1])
    assert np.asarray(release).tolist() == list(expected)
    assert not math.copysign(1, release.value[1]) < 0 or release.value[1] < 0


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64, np.float16, np.float32, np.bool_])
def test_any_dtype(dtype: Any) -> None:
    x = np.repeat(np.array([1, 5], dtype), 50)
    assert bounds(x).value == ((1, 2) if dtype == np.bool_ else (1, 8))
    if dtype == np.uint64:
        assert bounds(np.full(50, 2**63 + 1, dtype)).value == (2.0**63, 2.0**64)


def test_bins_of_few_records_are_not_found() -> None:
    x = [5.0] * 1000 + [1e300]
    assert cydp.bounds(x, epsilon=1, rng=SeededGenerator(3)).value == (4, 8)


@pytest.mark.parametrize("x", [[], [5.0] * 3, [math.nan] * 1000])
def test_without_a_bin_the_fallback_is_used(x: list[float]) -> None:
    release = cydp.bounds(x, epsilon=FEW)
    assert release.value == (0, 0)
    assert not release.found
    assert "None was found" in " ".join(repr(release).split())
    given = cydp.bounds(x, epsilon=FEW, fallback=("-1/2", 7))
    assert given.value == (-0.5, 7)
    assert cydp.sum([1.0, 2.0], given, epsilon=1).query.grid.bounds == (-0.5, 7)
    assert isinstance(float(cydp.mean([1.0], release, epsilon=1)), float)


COSTS: list[dict[str, Any]] = [{"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6}]


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: "-".join(cost))
def test_an_empty_table_passes_no_bin_with_the_confidence(cost: dict[str, Any]) -> None:
    """With 0.9 at least 860 of 1,000 empty tables: fewer have a probability below 1e-4.

    A threshold for one bin, instead of for all, would let bins of nearly every table pass.
    """
    rng = SeededGenerator(7)
    releases = [cydp.bounds([], confidence=0.9, rng=rng, **cost) for _ in range(1000)]
    assert sum(not release.found for release in releases) >= 860
    noise = releases[0].query.parts["counts"].noise
    forgets = noise.error_bound(0.9)
    assert sum(bool((release.counts <= forgets).all()) for release in releases) < 10


def test_the_threshold_is_tight() -> None:
    """One less, and an empty table passes more often than the confidence allows, two-sided."""
    query = cydp.bounds([], epsilon=1, confidence=0.9).query
    noise, bins = query.parts["counts"].noise, query.cells
    within = [1 - 2 * noise.cdf(-(query.threshold - less) - 1) for less in (0, 1)]
    assert within[0] ** bins >= 0.9 > within[1] ** bins


def test_the_noise_is_that_of_a_histogram() -> None:
    for kwargs in (
        {"relation": "change-one"},
        {"user": [1, 1], "max_partitions": 3, "max_rows_per_partition": 2},
        {"max_rows_per_unit": 5},
    ):
        found = cydp.bounds([1.0, 2.0], epsilon=1, **kwargs)
        same = cydp.histogram([1.0, 2.0], 2, (0, 4), epsilon=1, **kwargs)
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


SHAPES: dict[str, Any] = {
    "list": list,
    "strided": lambda x: np.repeat(x, 2)[::2],
    "masked": lambda x: np.ma.MaskedArray(np.append(x, 9e9), [False] * len(x) + [True]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_same_release_from_each_shape(name: str) -> None:
    x = np.array([1.5, -7.0, 0.0] * 40)
    assert bounds(SHAPES[name](x), epsilon=1) == bounds(x, epsilon=1)


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


def test_a_release_is_a_value() -> None:
    release = bounds([5.0] * 50)
    again = pickle.loads(pickle.dumps(release))
    assert again == release
    assert hash(again) == hash(release)
    with pytest.raises(ValueError, match="read-only"):
        again.counts[0] = 3
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


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"confidence": 1}, "confidence must be between 0 and 1"),
        ({"fallback": (2, 1)}, "lower <= upper"),
        ({"fallback": 5}, "fallback must be a pair"),
        ({"epsilon": None}, "epsilon must be given"),
        ({"user": [1, 2]}, "max_partitions must be given"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        bounds([1.0, 2.0], **given)
