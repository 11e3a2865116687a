"""mechanisms/_quantile_tree.py, csrc/mechanisms/quantile_places.c: quantiles by halves.

The privacy is computed from all outcomes of all small tables: docs/mechanisms/quantile_lists.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.places import places_of_groups, places_of_units
from scipy.stats import chisquare

import cydp
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits, sort_groups
from cydp.mechanisms import _quantile_tree
from cydp.mechanisms._quantile import SPREAD_BITS, QuantileMechanism
from cydp.mechanisms._quantile_tree import choose_by_halves, influences, levels_of, plan_halves
from cydp.releases._quantile_list import QuantileList
from cydp.testing import SeededGenerator

Table: TypeAlias = tuple[int, ...]
Chances: TypeAlias = NDArray[np.float64]

QS = [Fraction(1, 4), Fraction(1, 2), Fraction(4, 5)]
GRID = Grid(0, 5, 6)  # two points, of two places each in the tests of all outcomes
SMALL = 1e-9


def column(units: Sequence[int], grid: Grid = GRID) -> SortedUnits:
    return SortedUnits(grid, np.sort(np.array(units, np.int32)), np.array([0, len(units)]))


# Places


def test_choices_are_those_from_the_places_of_all_numbers() -> None:
    """Only few places are computed; the same draws choose the same of all."""
    random = np.random.default_rng(1)
    for many in (1, 3, 100, 10**6):
        grid = Grid(0, -5, many)
        codes, values = random.integers(0, 5, 4000), random.integers(-5, many + 1, 4000)
        codes[codes == 3] = 4  # a group without numbers
        groups = sort_groups(codes.astype(np.uint32), values, 5, grid)
        units, offsets = groups.units.tolist(), groups.offsets
        places = np.array(places_of_groups(units, offsets.tolist(), -5, SPREAD_BITS))
        assert len(set(zip(groups_of(offsets), places.tolist(), strict=True))) == len(units)
        ends = np.zeros(5, np.int64), np.full(5, (many + 6 << SPREAD_BITS) - 1)
        for epsilon in ("1/9", 10):
            chosen, cuts = np.empty(5, np.int64), np.empty(5, np.int64)
            mechanism = QuantileMechanism(epsilon=epsilon, sensitivity=1, q="1/3")
            ranges = offsets[:-1], offsets[1:]
            mechanism.choose_between(groups, ranges, ends, SeededGenerator(2), chosen, cuts)
            whole = SortedUnits(Grid(0, 0, int(ends[1][0])), places, offsets)
            assert (chosen == mechanism.choose(whole, SeededGenerator(2))).all()
            for first, last, point, cut in zip(*ranges, chosen, cuts, strict=True):
                assert cut == first + np.count_nonzero(places[first:last] <= point)


def groups_of(offsets: NDArray[np.int64]) -> list[int]:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)).tolist()


# Plans


def test_ranges_are_halves() -> None:
    for many in (1, 2, 3, 9, 99, 1000):
        qs = [Fraction(k, many + 1) for k in range(1, many + 1)]
        ranges = plan_halves(qs)
        assert len(levels_of(ranges)) == many.bit_length()
        assert sorted(itertools.chain(*levels_of(ranges))) == [*range(many)]
        for i, each in enumerate(ranges):
            low = Fraction(0) if each.lower is None else qs[each.lower]
            high = Fraction(1) if each.upper is None else qs[each.upper]
            assert low + each.q * (high - low) == qs[i]
            assert all(
                end is None or ranges[end].level < each.level for end in (each.lower, each.upper)
            )


def test_a_range_takes_a_share_of_the_errors_of_its_ends() -> None:
    """By moving each cut: where all other choices are right, it moves the others by its share."""
    ranges = plan_halves(QS)
    for moved in range(len(QS)):
        ranks: dict[int, Fraction] = {}
        for i in itertools.chain(*levels_of(ranges)):
            each = ranges[i]
            low = Fraction(0) if each.lower is None else ranks[each.lower]
            high = Fraction(1000) if each.upper is None else ranks[each.upper]
            ranks[i] = low + each.q * (high - low) + (i == moved)
        for i, influence in enumerate(influences(ranges)):
            assert influence.get(moved, 0) == ranks[i] - QS[i] * 1000


# All outcomes


@dataclass
class Outcomes:
    """Stands for the choices: it chooses what it is told, and knows how likely that was."""

    told: tuple[int, ...] = ()
    made: int = 0
    chance: float = 1.0
    rate: float = 1.0  # a factor of all rates: 1, unless a test plants a mistake
    order: list[int] = field(default_factory=list)

    def choose_between(
        self, mechanism: QuantileMechanism, records: SortedUnits, ranges: Any, ends: Any, _: Any,
        chosen: Any, cuts: Any,
    ) -> None:  # fmt: skip
        ((first,), (last,)), ((lowest,), (highest,)) = ranges, ends
        places = np.array(places_of_units(records.units.tolist(), GRID.lowest, 1), np.int64)
        own, points = places[first:last], np.arange(lowest, highest + 1)
        below = (own[:, None] < points).sum(axis=0)
        upto = (own[:, None] <= points).sum(axis=0)
        rank = float(mechanism.q) * len(own)
        apart = np.maximum(np.maximum(below - rank, rank - upto), 0)
        weights = np.exp(-self.rate * apart / float(mechanism.scale))
        point = self.told[self.made]
        self.made += 1
        chosen[:] = lowest if not lowest <= point <= highest else point
        cuts[:] = first + (own <= chosen[0]).sum()
        self.chance *= weights[point - lowest] / weights.sum() if chosen[0] == point else 0.0


def outcomes_of(
    choices: Sequence[QuantileMechanism], qs: Sequence[Fraction], rate: float = 1.0
) -> Callable[[Table], Chances]:
    """Return a function from a table to the chances of all its outcomes; places are 2 a point."""
    ranges = plan_halves(qs)
    points = (GRID.highest - GRID.lowest + 1) * 2

    def chances(table: Table) -> Chances:
        found = []
        for told in itertools.product(range(points), repeat=len(qs)):
            stand_in = Outcomes(told, rate=rate)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_quantile_tree, "SPREAD_BITS", 1)
                patch.setattr(
                    QuantileMechanism, "choose_between",
                    lambda self, *given, by=stand_in: by.choose_between(self, *given),
                )  # fmt: skip
                choose_by_halves(ranges, choices, column(table), SeededGenerator(1))
            found.append(stand_in.chance)
        return np.array(found)

    return chances


def neighbours(relation: str, rows: int, most: int) -> Iterator[tuple[Table, Table]]:
    """Yield all pairs of small tables that differ in a unit of so many rows."""
    tables = [
        table
        for n in range(most + 1)
        for table in itertools.combinations_with_replacement((5, 6), n)
    ]
    units = [each for each in tables if len(each) <= rows]
    for rest in tables[: -(rows + 1)]:
        for one in units:
            for two in units if relation != "add-remove" else [()]:
                if one != two and (rows > 1 or relation == "add-remove" or len(one) == len(two)):
                    yield tuple(sorted(rest + one)), tuple(sorted(rest + two))


def loss_of(pairs: Iterator[tuple[Table, Table]], chances: Callable[[Table], Chances]) -> float:
    """Return the largest logarithm of a ratio of chances of neighbours."""
    kept: dict[Table, Chances] = {}
    worst = 0.0
    for pair in pairs:
        one, two = (kept.setdefault(table, chances(table)) for table in pair)
        assert one.sum() == pytest.approx(1, abs=1e-12)
        there = one > 0
        assert (there == (two > 0)).all()
        worst = max(worst, np.abs(np.log(one[there] / two[there])).max())
    return worst


def query_of(relation: str, rows: int, **privacy: Any) -> Any:
    unit = {} if rows == 1 else {"max_rows_per_unit": rows}
    made = cydp.quantile(
        [], QS, (5, 6), step=1, method="recursive", relation=relation, **unit, **privacy
    )
    assert made.query.grid == GRID
    return made.query


@pytest.mark.parametrize("rows", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("relation", ["add-remove", "change-one", "add-remove-or-change"])
def test_no_outcome_of_neighbours_costs_more_than_epsilon(relation: str, rows: int) -> None:
    query = query_of(relation, rows, epsilon=2)
    choices = [part.choice for part in query.parts.values()]
    pairs = [*neighbours(relation, rows, 5 if rows == 1 else 4)]
    spent = loss_of(iter(pairs), outcomes_of(choices, QS))
    assert spent <= 2 + SMALL
    if rows == 1:  # so that mistakes are seen
        assert spent > 1.0
        assert loss_of(iter(pairs), outcomes_of(choices, QS, rate=2)) > 2.2


def divergence(one: Chances, two: Chances, alpha: float) -> float:
    there = one > 0
    return math.log((one[there] ** alpha * two[there] ** (1 - alpha)).sum()) / (alpha - 1)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_divergences_of_neighbours_are_below_rho(relation: str) -> None:
    query = query_of(relation, 1, rho=1)
    chances = outcomes_of([part.choice for part in query.parts.values()], QS)
    kept: dict[Table, Chances] = {}
    worst = 0.0
    for pair in neighbours(relation, 1, 4):
        one, two = (kept.setdefault(table, chances(table)) for table in pair)
        for alpha in (1.01, 2.0, 8.0):
            worst = max(
                worst, *(divergence(*each, alpha) / alpha for each in ((one, two), (two, one)))
            )
    assert 0.1 < worst <= 1 + SMALL


# The choices themselves


def test_quantiles_have_the_chances_of_the_definition() -> None:
    """The outcomes by which privacy is computed above are those of the real choices."""
    grid, units, runs = Grid(0, 0, 1), [0, 0, 1], 20_000
    ranges = plan_halves(QS)
    choices = [QuantileMechanism(epsilon=1, sensitivity=1, q=each.q) for each in ranges]
    rng = SeededGenerator(5)
    chosen = np.array(
        [choose_by_halves(ranges, choices, column(units, grid), rng)[:, 0] for _ in range(runs)]
    )
    assert (np.diff(chosen, axis=1) >= 0).all()
    counts = np.bincount(chosen @ [4, 2, 1], minlength=8)
    expected = np.zeros(8)
    # By integrals over cuts, the points between places: the place of a number is a point of 2**31.
    for (one, two, three), chance in exact_outcomes(units, choices, ranges).items():
        expected[4 * one + 2 * two + three] += chance
    possible = expected > 0
    assert counts[~possible].sum() == 0
    assert chisquare(counts[possible], expected[possible] * runs).pvalue > 1e-9


def exact_outcomes(units: Sequence[int], choices: Any, ranges: Any) -> dict[Any, float]:
    """Return the chances of outcomes, with 64 places a point: enough for three digits."""
    bits = 6
    places = np.array(places_of_units(units, 0, bits))
    points = 2 << bits

    def choose(i: int, first: int, last: int, lowest: int, highest: int) -> Chances:
        own, of = places[first:last], np.arange(lowest, highest + 1)
        rank = float(ranges[i].q) * len(own)
        below, upto = (own[:, None] < of).sum(axis=0), (own[:, None] <= of).sum(axis=0)
        apart = np.maximum(np.maximum(below - rank, rank - upto), 0)
        weights = np.exp(-apart / float(choices[i].scale))
        return weights / weights.sum()

    found: dict[Any, float] = {}
    for middle, chance in enumerate(choose(1, 0, len(places), 0, points - 1)):
        cut = int((places <= middle).sum())
        left = choose(0, 0, cut, 0, middle)
        right = choose(2, cut, len(places), middle, points - 1)
        for low in (0, 1):
            for high in (0, 1):
                of_left = left[[point >> bits == low for point in range(middle + 1)]].sum()
                of_right = right[[p >> bits == high for p in range(middle, points)]].sum()
                key = low, middle >> bits, high
                found[key] = found.get(key, 0) + chance * of_left * of_right
    return found


def test_a_list_of_one_column_is_a_group_of_many() -> None:
    random = np.random.default_rng(4)
    codes = random.integers(0, 400, 20_000).astype(np.uint32)
    groups = sort_groups(codes, random.integers(0, 50, codes.size), 401, Grid(0, 0, 60))
    qs = [Fraction(k, 10) for k in range(1, 10)]
    choices = [
        QuantileMechanism(epsilon=10**6, sensitivity=1, q=each.q) for each in plan_halves(qs)
    ]
    chosen = choose_by_halves(plan_halves(qs), choices, groups, SeededGenerator(6))
    for group, (first, last) in enumerate(itertools.pairwise(groups.offsets.tolist())):
        own = groups.units[first:last]
        for q, point in zip(qs, chosen[:, group], strict=True):
            # Each of two cuts before it may be a rank away, as ranks are no integers.
            assert (own < point).sum() <= q * len(own) + 2
            assert (own <= point).sum() >= q * len(own) - 2


def test_a_list_is_chosen_as_the_error_to_expect_is_less() -> None:
    def error_of(qs: Sequence[float], runs: int, **given: Any) -> tuple[float, bool]:
        rng, x = SeededGenerator(8), np.random.default_rng(7).normal(50, 10, 5000)
        ordered, ranks, total = np.sort(x), np.array(qs) * len(x), 0.0
        for _ in range(runs):
            release = cydp.quantile(x, qs, (0, 100), epsilon=1, rng=rng, **given)
            missed = np.searchsorted(ordered, release.value) - ranks
            total += float((missed**2).mean())
        return (total / runs) ** 0.5, release.query.recursive

    for qs in ([0.25, 0.5, 0.75], [k / 10 for k in range(1, 10)]):
        halves, is_recursive = error_of(qs, 60)
        alone, _ = error_of(qs, 60, method="independent")
        assert is_recursive
        assert halves < 0.7 * alone
    assert not error_of([0.5, 0.9], 1)[1]


def test_lists_that_cannot_be_halved_are_chosen_each_alone() -> None:
    grid = Grid(0, 0, 2**20)
    for qs in (
        [Fraction(1, 2)],
        [Fraction(1, 2)] * 2,
        [Fraction(1, 2**40 - 1), Fraction(1, 2**40)],
    ):
        assert not QuantileList(tuple(qs), grid, False, "q").can_be_recursive
    several = tuple(QS)
    assert QuantileList(several, grid, False, "q").can_be_recursive
    for wrong in (Grid(0, 0, 0), Grid(0, 0, 2**31)):
        assert not QuantileList(several, wrong, False, "q").can_be_recursive
    with pytest.raises(ValueError, match="method must be 'independent' for"):
        cydp.quantile([1], [0.5, 0.5], (0, 9), method="recursive", epsilon=1)
    with pytest.raises(ValueError, match="method must be 'independent' for quantiles with"):
        cydp.quantile([1], [0.1, 0.5], (0, 9), method="recursive", interval=0.5, epsilon=1)
    with pytest.raises(ValueError, match="method must be one of 'auto', 'independent', 'rec"):
        cydp.quantile([1], [0.1, 0.5], (0, 9), method="halves", epsilon=1)  # type: ignore[arg-type]
