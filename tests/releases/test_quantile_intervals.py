"""releases/_quantile_query.py: intervals that hold quantiles, from points that are paid for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

import cydp
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits
from cydp.releases._quantile_query import QuantileQuery
from cydp.testing import SeededGenerator

GRID = Grid(0, 0, 12)
QS = [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)]
SMALL = 1e-9  # of sums of floats
LIMIT = 1e-9  # the chance that a test of a right interval fails


def query_of(q: Fraction, interval: Any, epsilon: Any) -> QuantileQuery:
    made: QuantileQuery = cydp.quantile([], q, (0, 12), interval=interval, epsilon=epsilon).query
    object.__setattr__(made, "grid", GRID)  # whole numbers
    return made


def column(numbers: Any) -> SortedUnits:
    units = np.sort(np.array(numbers, np.int32))
    return SortedUnits(GRID, units, np.array([0, len(units)], np.int64))


def chances(units: NDArray[Any], q: Fraction, scale: Fraction) -> dict[int, float]:
    """Return the probability of each point: exp(-d / scale), d by its definition."""
    found = {}
    for y in range(GRID.lowest, GRID.highest + 1):
        below, upto, middle = (units < y).sum(), (units <= y).sum(), q * len(units)
        found[y] = math.exp(-float(max(below - middle, middle - upto, 0) / scale))
    total = sum(found.values())
    return {y: weight / total for y, weight in found.items()}


def quantiles_of(units: NDArray[Any], q: Fraction) -> list[int]:
    """Return all points that are the quantile."""
    return [
        y for y in range(GRID.lowest, GRID.highest + 1)
        if (units < y).sum() <= q * len(units) <= (units <= y).sum()
    ]  # fmt: skip


def failures(query: QuantileQuery, numbers: Any, padding: Any = None) -> tuple[float, float]:
    """Return how often the lower end is above a quantile, and the upper end below one."""
    records, q = column(numbers), query.qs[0]
    exact = quantiles_of(records.units, q)
    lower, upper = query.parts["q0_lower"], query.parts["q0_upper"]
    found = []
    for part in (lower, upper):
        beyond = query.beyond(part) if padding is None else padding(*query.beyond(part))
        seen = records.padded(*beyond).units
        found.append(chances(seen, q, part.choice.scale))
    return (
        sum(chance for y, chance in found[0].items() if y > min(exact)),
        sum(chance for y, chance in found[1].items() if y < max(exact)),
    )


def columns() -> Iterator[list[int]]:
    """Yield small columns, and those where a choice misses most often: one gap is all the grid."""
    yield []
    for size in (1, 2, 3):
        yield from map(list, itertools.combinations_with_replacement((0, 5, 6, 12), size))
    for size in (7, 40, 41, 200):
        for share in (0.25, 0.5, 0.9):
            few = math.ceil(share * size)
            yield [0] * few + [12] * (size - few)
            yield [0] * (few - 1) + [12] * (size - few + 1)
            yield [6] * size


@pytest.mark.parametrize("interval", ["1/2", "0.95"])
@pytest.mark.parametrize("epsilon", ["1/10", 3])
def test_each_end_fails_no_more_often_than_half_of_what_is_left(
    interval: str, epsilon: Any
) -> None:
    half = float(1 - Fraction(interval)) / 2
    for q in QS:
        query = query_of(q, interval, epsilon)
        for numbers in columns():
            assert max(failures(query, numbers)) <= half + SMALL, (q, numbers)


def test_half_of_the_padding_is_too_little() -> None:
    query = query_of(Fraction(1, 2), "0.95", "1/10")
    worst = max(max(failures(query, numbers)) for numbers in columns())
    assert 0.01 < worst <= 0.025
    halved = max(
        max(failures(query, numbers, lambda low, high: (low // 2, high // 2)))
        for numbers in columns()
    )
    assert halved > 0.1


def missed(interval: str, runs: int, seed: int) -> int:
    """Return how many intervals do not hold all medians of a column that is hard to hold."""
    x = [0.0] * 11 + [1.0] * 10
    rng, found = SeededGenerator(seed), 0
    for _ in range(runs):
        release = cydp.median(x, (0, 1), interval=interval, epsilon=30, rng=rng)
        lower, upper = release.interval(interval)
        found += not lower <= 0 <= upper
    return found


def test_intervals_hold_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 2000
    assert binom.sf(missed("1/2", runs, 1) - 1, runs, 0.5) > LIMIT
    monkeypatch.setattr(QuantileQuery, "beyond", lambda *_: (0, 0))
    assert binom.sf(missed("1/2", runs, 1) - 1, runs, 0.5) < LIMIT


def test_an_end_is_as_near_as_explain_says() -> None:
    rng, x = SeededGenerator(2), np.arange(10_001.0)
    plan = cydp.explain(cydp.median, (0, 10_000), interval=0.95, epsilon=1)
    (note,) = (note for note in plan.notes if "ends of an interval" in note)
    most = float(note.partition("within ")[2].partition(" ranks")[0].replace(",", ""))
    for _ in range(100):
        lower, upper = cydp.median(x, (0, 10_000), interval=0.95, epsilon=1, rng=rng).interval()
        assert 5000 - most - 1 <= lower <= 5000 <= upper <= 5000 + most + 1


ROUNDED = {
    "small beside a bound": ([33.3] * 1000, (0, 1e9), {}),
    "below a step": ([1e-10] * 1000, (0, 100), {}),
    "a step that is given": ([20.4] * 1000, (0, 100), {"step": 1}),
    "negative": ([-33.3] * 1000, (-1e9, 1e9), {}),
    "at a bound below its point": ([0.0] * 1000, ("1/3", 2**20), {}),
    "at a bound above its point": ([2e6] * 1000, (0, "1000000.3"), {}),
    "float32": (np.full(1000, 33.3, np.float32), (0, 1e9), {}),
    "integers on a coarse grid": (np.full(1000, 33), (0, 2**40), {}),
    "integers of a list": ([33] * 1000, (0, 1e9), {}),
    "missing": ([float("nan")] * 1000, (0, 1e9), {"missing": 33.3}),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_an_interval_holds_the_quantile_before_it_is_rounded(name: str) -> None:
    x, bounds, given = ROUNDED[name]
    low, high = (float(Fraction(bound)) for bound in bounds)
    true = min(max(given.get("missing", float(x[0])), low), high)
    rng = SeededGenerator(4)
    single = cydp.median(x, bounds, interval="0.999", epsilon=9, rng=rng, **given)
    several = cydp.quantile(x, [0.3, 0.5], bounds, interval="0.9999", epsilon=9, rng=rng, **given)
    step = float(single.query.grid.step)
    for release in (single, several):
        lower, upper = release.interval("0.999")
        assert np.all((low <= np.array(lower)) & (np.array(lower) <= true)), (lower, true)
        assert np.all((true <= np.array(upper)) & (np.array(upper) <= high)), (upper, true)
        assert np.all(np.array(upper) - np.array(lower) <= 2 * step)
        found = release.to_dict()["columns"][release.query.title]
        assert (np.array(found["lower"]) == lower).all()


def test_an_interval_is_no_wider_where_nothing_is_rounded() -> None:
    ages = np.array([30] * 1000)
    for given in ({}, {"step": 1}):
        release = cydp.median(ages, (0, 120), interval=0.95, epsilon=9, **given)
        assert release.interval() == (30, 30)
        assert "rounded" not in repr(release)
    days = np.array(["2024-01-02"] * 1000, "M8[D]")
    lower, upper = cydp.median(
        days, ("2024-01-01", "2024-12-31"), interval=0.95, epsilon=9
    ).interval()
    assert lower == upper == days[0]


def test_what_ranks_numbers_says_the_step_that_they_are_rounded_to() -> None:
    said = "numbers are rounded to multiples of 2. Errors and intervals are those of the clamped "
    said += "numbers, errors in ranks those of the rounded ones"
    bounds, x = (0, 1e9), [33.3] * 9
    for made in (
        cydp.median(x, bounds, epsilon=1),
        cydp.quantile(x, [0.3, 0.5], bounds, interval=0.95, epsilon=1),
        cydp.quantile(x, [0.3, 0.5], bounds, method="recursive", epsilon=1),
        cydp.explain(cydp.median, bounds, epsilon=1),
        cydp.teach.median_by_halving(x, bounds, epsilon=1),
    ):
        assert said in " ".join(repr(made).split())
    assert "multiples of 1." in repr(cydp.median([1.0], (0, 9), step=1, epsilon=1))
    assert "rounded" not in repr(cydp.mean(x, bounds, epsilon=1))
    table = {"k": ["a"] * 9, "x": x, "y": np.arange(9), "z": np.arange(9.0)}
    grouped = cydp.group_by(
        table, "k", keys=["a"], means={"x": bounds}, epsilon=1,
        quantiles={"x": (0.5, bounds), "y": (0.5, (0, 9)), "z": (0.5, (0, 9), 1)},
    )  # fmt: skip
    (words,) = grouped.query.clamped
    assert words.count("in quantiles numbers of ") == 2
    assert "in quantiles numbers of x are rounded to multiples of 2;" in words
    assert "in quantiles numbers of z are rounded to multiples of 1. Errors" in words


def test_an_interval_is_paid_for() -> None:
    plain, with_interval = (
        cydp.median([1.0], (0, 9), epsilon=1, interval=each).query for each in (None, 0.95)
    )
    assert plain.loss == with_interval.loss == cydp.PureDP(1, relation="add-remove")
    assert with_interval.parts["q0"].choice.scale == 3 * plain.parts["q0"].choice.scale
    assert [part.share for part in with_interval.parts.values()] == [Fraction(1, 3)] * 3
    assert plain != with_interval
    assert "interval=0.95" in repr(with_interval)
    assert "interval" not in repr(plain)
    assert "interval" not in str(plain.to_dict())
    assert cydp.median([1.0], (0, 9), epsilon=1, interval=0.9).query != with_interval


def test_confidences_that_were_not_released_are_refused() -> None:
    release = cydp.quantile([1.0] * 9, [0.25, 0.5], (0, 9), interval="0.98", epsilon=1)
    lower, upper = release.interval(0.98)
    assert lower.shape == upper.shape == (2,)
    assert (release.interval(0.96, count=2)[0] == lower).all()
    assert list(release.to_pandas(simultaneous=True))[-1] == "quantile_upper"
    for call in (
        lambda: release.interval(0.981),
        lambda: release.interval(0.97, count=2),
    ):
        with pytest.raises(ValueError, match="for which the intervals were released"):
            call()
    assert list(release.to_pandas(confidence=0.99)) == ["q", "quantile", "quantile_error_ranks"]
    assert "released for 98 % confidence, and not for more" in release.to_text(0.99)
    one = cydp.median(np.arange(1001.0), (0, 2000), epsilon=9, interval="0.9")
    low, high = one.interval(0.9)
    note = next(note for note in one.to_dict()["notes"] if "for 90 % confidence, from " in note)
    ends = [float(word) for word in note.replace(",", "").split() if word[0].isdigit()][1:]
    assert ends == pytest.approx([low, high], rel=1e-5)
    with pytest.raises(TypeError, match="interval= of quantile and median releases an interval"):
        cydp.median([1.0], (0, 9), epsilon=1).interval()


def test_true_is_no_confidence() -> None:
    with pytest.raises(TypeError, match=r"a confidence, such as 0\.95, not True"):
        cydp.median([1.0], (0, 9), epsilon=1, interval=True)


def test_an_interval_is_said_in_every_output() -> None:
    x = np.arange(1001.0)
    single = cydp.median(x, (0, 1000), interval=0.95, epsilon=3, rng=SeededGenerator(1))
    lower, upper = single.interval()
    words = "interval: the number without noise is from "
    assert words in repr(single)
    assert words in single.to_html()
    assert "interval: each number without noise within the interval beside it" in repr(
        cydp.quantile(x, [0.25, 0.5], (0, 1000), interval=0.95, epsilon=3)
    )
    found = single.to_dict()["columns"]["median"]
    assert (found["lower"], found["upper"]) == (lower, upper)
    assert single.to_polars().rows() == [(single.value, lower, upper)]
    days = np.arange("2024-01-01", "2025-01-01", dtype="M8[D]")
    dated = cydp.median(
        days, ("2023-01-01", "2026-01-01"), interval=0.95, epsilon=9, rng=SeededGenerator(1)
    )
    first, last = dated.interval()
    assert first <= np.datetime64("2024-07-01") <= last
    assert f"from {first} to {last}" in repr(dated)


@pytest.mark.parametrize(
    ("bounds", "unit"),
    [(("2024-01-01", "2024-12-31"), "days"), (("2024-01-01T00:00", "2024-12-31"), "seconds"),
     (("2024-01-01T00:00:00.001", "2024-12-31"), "milliseconds")],
)  # fmt: skip
def test_an_interval_of_times_says_what_they_are_rounded_to(
    bounds: tuple[str, str], unit: str
) -> None:
    """It holds the day of the true time, and not this; no record, nor its dtype, says which."""
    times = np.datetime64("2024-01-01T20:00", "ms") + np.arange(1001)
    note = "in whole days, as the bounds are dates: for times of day write a bound as"
    for x in (times, times.astype("M8[D]"), times[:0]):
        found = cydp.median(x, bounds, interval=0.95, epsilon=99)
        assert f"interval: the time without noise, rounded down to {unit}, is from " in repr(found)
        several = cydp.quantile(x, [0.25, 0.5], bounds, interval="0.99", epsilon=99)
        assert f"each time without noise, rounded down to {unit}, within" in repr(several)
        assert f"2 times without noise, rounded down to {unit}, together" in several.to_html(
            simultaneous=True, confidence="0.95"
        )
        grouped = cydp.group_by(
            {"k": ["a"] * len(x), "t": x},
            "k",
            keys=["a"],
            quantiles={"t": (0.5, bounds)},
            epsilon=1,
        )
        explained = cydp.explain(cydp.median, bounds, epsilon=1)
        for each in (found, several, grouped, explained):
            assert (note in " ".join(repr(each).split())) == (unit == "days")
    low, high = cydp.median(times, bounds, interval=0.95, epsilon=999).interval()
    true = times[500].astype(low.dtype)
    assert low <= true <= high


@pytest.mark.parametrize("wrong", [0, 1, "x", True, 2])
def test_an_interval_is_a_confidence(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="interval"):
        cydp.median([1.0], (0, 9), interval=wrong, epsilon=1)


def test_intervals_that_nobody_can_give_are_refused() -> None:
    for q in (0, 1, [0.5, 1]):
        with pytest.raises(ValueError, match="left out for the quantiles 0 and 1"):
            cydp.quantile([1.0], q, (0, 9), interval=0.95, epsilon=1)
    with pytest.raises(ValueError, match="left out at so small a cost"):
        cydp.quantile([1.0], 0.999, (0, 9), interval=0.95, epsilon="1e-4")
