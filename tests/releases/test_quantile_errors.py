"""releases/_quantile_list.py: quantiles of a list are as near, and in order, as they say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.places import places_of_units
from scipy.stats import binom

import cydp
from cydp.exact._grid import Grid
from cydp.mechanisms._quantile_tree import QuantileRange
from cydp.releases import _quantile_list
from cydp.testing import SeededGenerator

Chances = NDArray[np.float64]

BITS = 3  # places of each point, of which the exact tests have so many
GRID = Grid(0, 0, 12)
QS = [0.25, 0.5, 0.8]
SMALL = 1e-9
LIMIT = 1e-9  # the chance that a test of a right bound fails


@pytest.fixture
def _few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_quantile_list, "SPREAD_BITS", BITS)


def query_of(epsilon: Any, qs: Sequence[float] = QS, **given: Any) -> Any:
    return cydp.quantile([], qs, (0, 12), step=1, epsilon=epsilon, **given).query


def columns() -> Iterator[NDArray[np.int32]]:
    """Yield columns, most of them with one gap that is nearly all of the grid beside a quantile."""
    for size in (0, 1, 7, 40, 200):
        for share in QS:
            few = math.ceil(share * size)
            yield np.array([0] * few + [12] * (size - few), np.int32)
            if few:
                yield np.array([0] * (few - 1) + [12] * (size - few + 1), np.int32)
        yield np.full(size, 6, np.int32)
        yield np.sort(np.arange(size, dtype=np.int32) % 13)


def missed(units: NDArray[Any], q: float, point: Any) -> Any:
    """Return by how many ranks points miss a quantile."""
    below = np.searchsorted(units, point, "left")
    upto = np.searchsorted(units, point, "right")
    return np.maximum(np.maximum(below - q * len(units), q * len(units) - upto), 0)


def chances(places: NDArray[Any], q: Fraction, scale: Fraction, points: NDArray[Any]) -> Chances:
    weights = np.exp(-missed(places, float(q), points) / float(scale))
    found: Chances = weights / weights.sum()
    return found


def failures(query: Any, units: NDArray[Any], bounds: Sequence[float]) -> tuple[list[float], float]:
    """Return how often each of three quantiles is further away than its bound, and any of them."""
    places, listed = np.array(places_of_units(units.tolist(), 0, BITS)), query.listed
    points = np.arange(13 << BITS)

    def choose(i: int, own: NDArray[Any], of: NDArray[Any]) -> tuple[Chances, NDArray[np.bool_]]:
        at: QuantileRange = listed.ranges[i]
        scale = query.parts[listed.names[i]].choice.scale
        is_far = missed(units, QS[i], of >> BITS) >= bounds[i]
        return chances(own, at.q, scale, of), is_far

    each, together = [0.0, 0.0, 0.0], 0.0
    of_middle, is_far = choose(1, places, points)
    for point, chance, far in zip(points, of_middle, is_far, strict=True):
        cut = int(np.searchsorted(places, point, "right"))
        lower, upper = (
            float(of[far_ones].sum())
            for of, far_ones in (
                choose(0, places[:cut], points[: point + 1]),
                choose(2, places[cut:], points[point:]),
            )
        )
        each[0] += chance * lower
        each[1] += chance * far
        each[2] += chance * upper
        together += chance * (1 if far else 1 - (1 - lower) * (1 - upper))
    return each, together


@pytest.mark.usefixtures("_few_places")
@pytest.mark.parametrize("epsilon", [1, 4])
def test_each_quantile_by_halves_is_as_near_as_it_says(epsilon: int) -> None:
    query = query_of(epsilon, method="recursive")
    worst, worst_of_less = 0.0, 0.0
    for units in columns():
        for failure in ("1/2", "1/20"):
            level, answers = 1 - Fraction(failure), query.answers()
            bounds = [answer.rank_error(level, 1) for answer in answers]
            all_bounds = [answer.rank_error(level, 3) for answer in answers]
            each, _ = failures(query, units, bounds)
            _, together = failures(query, units, all_bounds)
            assert max(*each, together) <= float(Fraction(failure)) + SMALL, units
            worst = max(worst, *each)
            less, _ = failures(query, units, [bound / 2 for bound in bounds])
            worst_of_less = max(worst_of_less, max(less) / float(Fraction(failure)))
    assert worst > 0
    assert worst_of_less > 1  # half of the bounds would be too little


@pytest.mark.parametrize("method", ["independent", "recursive"])
def test_quantiles_never_fall(method: Any) -> None:
    rng = SeededGenerator(1)
    qs = [0.9, 0.1, 0.5, 0.3]
    for _ in range(100):
        for x in ([], [5.0] * 3, [1.0, 2.0, 9.0]):
            value = cydp.quantile(x, qs, (0, 12), epsilon=1, method=method, rng=rng).value
            assert (np.diff(value[np.argsort(qs)]) >= 0).all()
    table = {"k": [0, 1], "x": [1.0, 2.0]}
    by_key = cydp.group_by(
        table, "k", keys=range(500), quantiles={"x": (qs, (0, 12))}, epsilon=1, rng=rng
    )
    assert (np.diff(by_key["quantile_x"][:, np.argsort(qs)]) >= 0).all()


def test_independent_quantiles_in_order_are_as_near_as_they_say() -> None:
    """By all outcomes of two choices, which exchange places where they fall."""
    qs = (0.4, 0.5)
    query = query_of(2, qs, method="independent")
    points, worst = np.arange(13), 0.0
    for units in columns():
        scales = [query.parts[name].choice.scale for name in ("q0", "q1")]
        both = np.outer(*(
            chances(units, Fraction(q), scale, points) for q, scale in zip(qs, scales, strict=True)
        ))  # fmt: skip
        for failure in (0.5, 0.05):
            bound = query.answers()[0].rank_error(1 - failure, 1)
            far = [missed(units, q, points) >= bound for q in qs]
            lower, upper = np.minimum.outer(points, points), np.maximum.outer(points, points)
            is_far = far[0][lower] | far[1][upper]
            worst = max(worst, float(both[is_far].sum()) / failure)
            assert both[is_far].sum() <= failure + SMALL
    assert worst > 0.05


def missed_by_halves(n: int, runs: int) -> int:
    """Return how many of nine quantiles of n ages are further away than their bounds."""
    units = np.sort(np.random.default_rng(n).integers(18, 80, n))
    qs, rng, found = np.arange(1, 10) / 10, SeededGenerator(n), 0
    for _ in range(runs):
        release = cydp.quantile(units, list(qs), (0, 120), epsilon=1, rng=rng)
        bounds = release.rank_error(0.95)
        found += sum(
            missed(units, q, point) >= bound
            for q, point, bound in zip(qs, release.value, bounds, strict=True)
        )
    return found


@pytest.mark.parametrize(
    ("n", "runs"),
    [(10, 100), (1000, 100)]
    + [pytest.param(n, 10_000, marks=pytest.mark.long) for n in (10, 1000, 100_000)],
)
def test_lists_of_ages_are_as_near_as_they_say(n: int, runs: int) -> None:
    assert binom.sf(missed_by_halves(n, runs) - 1, 9 * runs, 0.05) > LIMIT


@pytest.mark.parametrize(
    ("n", "runs"),
    [(10, 300), (1000, 300)]
    + [pytest.param(n, 10_000, marks=pytest.mark.long) for n in (10, 1000, 100_000)],
)
@pytest.mark.parametrize("q", ["1/2", "9/10"])
@pytest.mark.parametrize("kind", ["ages", "amounts"])
def test_intervals_hold_the_quantile(kind: str, q: str, n: int, runs: int) -> None:
    random, rng = np.random.default_rng(n), SeededGenerator(n)
    amounts = np.floor(np.minimum(random.lognormal(3, 1.5, n), 120) * 128) / 128
    x = np.sort(random.integers(18, 80, n) if kind == "ages" else amounts)
    rank = Fraction(q) * n
    least, most = x[max(math.ceil(rank), 1) - 1], x[min(math.floor(rank), n - 1)]
    wrong = 0
    for _ in range(runs):
        release = cydp.quantile(x, q, (0, 120), interval=0.8, epsilon=1, rng=rng)
        lower, upper = release.interval(0.8)
        wrong += not (lower <= least <= most <= upper)
    assert binom.sf(wrong - 1, runs, 0.2) > LIMIT
