"""Counts of points of a grid: scores and probabilities are those of the numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from reference import quantile

import cydp
from cydp import distributed
from cydp.exact._counted_units import CountedUnits
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits, sort_groups, sort_units
from cydp.mechanisms._noisy_max import ExponentialMechanism
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.testing import SeededGenerator

QS = [Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(19, 20)]
FINE = [Fraction(2**63 - 1, 2**64 - 1), Fraction(1, 2**64 - 1), Fraction(10**15, 10**16 + 1)]
FAR = 2**60


def test_distances_are_scores_of_the_numbers() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        lowest = int(random.integers(-4, 3))
        grid = Grid(0, lowest, lowest + int(random.integers(0, 9)))
        units = sort_units(random.integers(-6, 12, random.integers(0, 12)), grid)
        counted = CountedUnits.of(units)
        points = range(grid.lowest, grid.highest + 1)
        for q in QS:
            scores = [quantile.score(units.units.tolist(), q, y) for y in points]
            assert counted.distances(q).tolist() == [[-s * q.denominator for s in scores]]


@pytest.mark.parametrize("q", QS + FINE)
def test_distances_of_many_numbers_are_exact_or_far(q: Fraction) -> None:
    """Compared with integers of any size, also where products are beyond 64 bits."""
    random = np.random.default_rng(6)
    for exponent in (3, 20, 40, 45):
        counts = random.integers(0, 2**exponent, (50, 4))
        for row, found in zip(
            counts.tolist(), CountedUnits(Grid(0, 0, 3), counts).distances(q), strict=True
        ):
            rank = q * sum(row)
            exact = [max(sum(row[:y]) - rank, rank - sum(row[: y + 1]), 0) for y in range(4)]
            assert found.tolist() == [min(int(d * q.denominator), FAR) for d in exact]


def test_a_row_that_comes_moves_what_is_far_no_further() -> None:
    """Near the place where distances end, and for counts on both sides of it."""
    for q in FINE:
        for n in (2 * FAR // (q.denominator - q.numerator), FAR // q.denominator, 1):
            near = [max(n + i, 0) for i in range(-3, 4)]
            for first in near:
                for place in range(3):
                    counts = np.array([[first, 1, 2]])
                    more = counts.copy()
                    more[0, place] += 1
                    one, two = (
                        CountedUnits(Grid(0, 0, 2), each).distances(q).tolist()[0]
                        for each in (counts, more)
                    )
                    most = max(q.numerator, q.denominator - q.numerator)
                    assert all(abs(a - b) <= most for a, b in zip(one, two, strict=True))


def test_each_point_has_the_probability_of_the_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]()

    def release(self: ExponentialMechanism, scores: np.ndarray, **_: object) -> np.ndarray:
        asked.append(self.probabilities(scores))
        return np.zeros(len(scores), np.int64)

    monkeypatch.setattr(ExponentialMechanism, "release", release)
    for units in ([], [0, 0, 2, 3], [1] * 9, [0, 3, 3, 3, 4]):
        records = SortedUnits(
            Grid(0, -1, 5), np.array(units, np.int32), np.array([0, len(units)], np.int64)
        )
        for q in QS[2:]:
            mechanism = QuantileMechanism(epsilon=1, sensitivity="2/3", q=q)
            mechanism.choose(CountedUnits.of(records), SeededGenerator(1))
            exact = quantile.probabilities(units, q, 1 / mechanism.scale, -1, 5)
            assert np.allclose(asked.pop()[0], [float(exact[y]) for y in range(-1, 6)], atol=1e-12)


def test_groups_and_copies_of_bounds_are_those_of_sorted_numbers() -> None:
    random, grid = np.random.default_rng(7), Grid(-1, -3, 6)
    codes, values = random.integers(0, 6, 200).astype(np.uint32), random.normal(0, 2, 200)
    groups = sort_groups(codes, values, 5, grid)
    counted = CountedUnits.of(groups)
    for i in range(5):
        alone = sort_units(values[codes == i], grid)
        assert (counted.counts[i] == CountedUnits.of(alone).counts).all()
        padded = CountedUnits.of(alone).padded(3, 8)
        assert (padded.counts == CountedUnits.of(alone.padded(3, 8)).counts).all()
    assert CountedUnits.of(sort_groups(codes[:0], values[:0], 5, grid)).counts.sum() == 0


def test_a_median_of_pieces_is_near_that_of_the_table() -> None:
    """At a large epsilon it is the median, to the step."""
    table = {"age": np.arange(10_001) % 100, "x": np.linspace(0, 8, 10_001)}
    for column, bounds, step, exact in (("age", (0, 120), None, 49), ("x", (0, 8), 0.5, 4)):
        plan = distributed.prepare(
            cydp.median, table, bounds, column=column, step=step, epsilon=1000
        )
        run = plan.pay(None)
        tallies = [
            run.reader.tally({name: each[i::3] for name, each in table.items()}, piece=i, pieces=3)
            for i in range(3)
        ]
        assert run.release(tallies).value == exact


def test_grids_that_are_too_fine_and_choices_by_halves_are_refused() -> None:
    table = {"x": np.zeros(0), "age": np.zeros(0, np.int64), "k": np.zeros(0, np.int64)}
    with pytest.raises(ValueError, match="step must be given, or larger"):
        distributed.prepare(cydp.median, table, (0, 9), column="x", epsilon=1)
    with pytest.raises(TypeError, match="each alone"):
        distributed.prepare(
            cydp.quantile,
            table,
            [0.2, 0.5, 0.7],
            (0, 9),
            column="age",
            method="recursive",
            epsilon=1,
        )
    many = {"quantiles": {"age": (0.5, (0, 120))}, "keys": range(10**5)}
    with pytest.raises(ValueError, match="for all keys together, are 12,100,000"):
        distributed.prepare(cydp.group_by, table, "k", **many, epsilon=1)
    plan = distributed.prepare(cydp.quantile, table, [0.2, 0.5], (0, 9), column="age", epsilon=1)
    assert not plan.query.parameters.get("method")
