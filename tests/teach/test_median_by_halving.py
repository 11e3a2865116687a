"""teach/_median_by_halving.py: the exact distribution of the path, its privacy and its error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import gamma

import cydp
from cydp import BudgetLedger, ExponentialMechanism, PrivacyFilter, PureDP
from cydp.releases._unit import Unit
from cydp.teach import HalvingRelease, median_by_halving
from cydp.teach._median_by_halving import HalvingQuery
from cydp.testing import SeededGenerator

RELATIONS = ["add-remove", "change-one", "add-remove-or-change"]
BOUNDS = (0, 8)


def distribution(
    monkeypatch: pytest.MonkeyPatch, x: list[float], rounds: int, ranges: int = 2, **given: Any
) -> dict[tuple[float, float], float]:
    """The probability of each last range: of the release, with every choice forced in turn."""
    found: dict[tuple[float, float], float] = {}
    for path in product(range(ranges), repeat=rounds):
        steps: Iterator[int] = iter(path)
        probability = 1.0

        def choose(mechanism: Any, scores: Any, **_: Any) -> int:
            nonlocal probability
            place = next(steps)  # noqa: B023
            probability *= float(mechanism.probabilities(scores)[place])
            return place

        with monkeypatch.context() as patch:
            patch.setattr(ExponentialMechanism, "release", choose)
            release = median_by_halving(
                x, BOUNDS, rounds=rounds, ranges=ranges, **{"epsilon": 1} | given
            )
        found[release.range] = probability
    assert sum(found.values()) == pytest.approx(1)
    assert len(found) == ranges**rounds
    return found


TABLES = [[*t] for n in range(4) for t in combinations_with_replacement([0.5, 3.0, 6.5], n)]


def neighbours(relation: str) -> Iterator[tuple[list[float], list[float]]]:
    for base in TABLES:
        if len(base) < 3:
            grown = [sorted([*base, x]) for x in (0.5, 3.0, 6.5)]
            yield from (
                [(base, each) for each in grown] if relation == "add-remove"
                else [(a, b) for a in grown for b in grown if a != b]
            )  # fmt: skip


def largest_loss(monkeypatch: pytest.MonkeyPatch, relation: str, epsilon: Any) -> float:
    known = {
        tuple(t): distribution(monkeypatch, t, 2, relation=relation, epsilon=epsilon)
        for t in TABLES
    }
    return max(
        abs(math.log(known[tuple(a)][end] / known[tuple(b)][end]))
        for a, b in neighbours(relation)
        for end in known[tuple(a)]
    )


@pytest.mark.parametrize("relation", RELATIONS)
def test_neighbours_differ_by_at_most_epsilon(
    monkeypatch: pytest.MonkeyPatch, relation: str
) -> None:
    """Exactly, over all tables of up to three records. A quarter of the noise is too little."""
    loss = largest_loss(monkeypatch, relation, 2)
    assert 0.5 < loss <= 2
    change = Unit.change_one_answer

    def too_little(unit: Unit, most: Any, width: Any) -> Any:
        return change(unit, Fraction(most) / 4, Fraction(width) / 4)

    monkeypatch.setattr(Unit, "change_one_answer", too_little)
    assert largest_loss(monkeypatch, relation, "2.000") > 2  # in a query that is not kept


OWN: dict[str, tuple[dict[str, Any], int]] = {
    "row": ({}, 1), "promise": ({"max_rows_per_unit": 3}, 3),
    "user": ({"user": "unit", "max_rows": 2}, 2),
    "contained": ({"user": "unit", "max_rows": 2, "unit": ("household", "person")}, 2),
}  # fmt: skip
"""By what is protected, the arguments, and how many rows of a unit count."""

OVERSTATED = (
    "a part with ranks near n / 2 has the score 0 in both tables, and outweighs the others, whose "
    "chances then change by half of what a round may cost; only in a range that does not hold the "
    "median do all scores change"
)
"""Why the privacy that is charged is not spent: here at most 3/4 of it, and 1/3 at least."""


def paths(
    monkeypatch: pytest.MonkeyPatch, table: dict[str, Any], **given: Any
) -> Iterator[tuple[float, NDArray[np.float64]]]:
    """Yield the logarithm of the chance of each path, and its scores in sensitivities."""
    for path in product(range(3), range(3)):
        steps, logs, seen = iter(path), list[float](), list[NDArray[np.float64]]()

        def choose(mechanism: Any, scores: Any, **_: Any) -> int:
            place = next(steps)  # noqa: B023
            weights = np.array(scores) / float(mechanism.scale)
            logs.append(weights[place] - np.logaddexp.reduce(weights))  # noqa: B023
            seen.append(scores)  # noqa: B023
            return place

        with monkeypatch.context() as patch:
            patch.setattr(ExponentialMechanism, "release", choose)
            release = median_by_halving(
                table, BOUNDS, column="x", rounds=2, ranges=3, epsilon=1, **given
            )
        yield sum(logs), np.concatenate(seen) / float(release.mechanism.sensitivity)


def tables_beside(
    crowd: tuple[int, ...], protected: str, relation: str
) -> Iterator[dict[str, Any]]:
    """Yield tables that differ in one unit; its rows are at one place, or nowhere."""
    places = (0.5, 4.0, 5.8, 7.5)
    others = np.repeat(places, crowd)
    is_there = protected == "row" and relation == "change-one"
    for own in places if is_there else (None, *places):
        rows = 0 if own is None else OWN[protected][1]
        yield {
            "x": np.append(others, [own] * rows).astype(float),
            "unit": np.append(np.arange(len(others)) + 1, [0] * rows).astype(int),
        }


@pytest.mark.parametrize("protected", OWN)
def test_no_path_is_likelier_than_allowed(monkeypatch: pytest.MonkeyPatch, protected: str) -> None:
    """All rounds together, exactly; and scores move as far as the noise of a round is for."""
    given = OWN[protected][0]
    for relation in RELATIONS:
        moves = relation != "add-remove" or protected == "contained"
        worst, farthest = 0.0, 0.0
        for crowd in product((0, 50), repeat=4):
            found = [
                [*paths(monkeypatch, table, relation=relation, **given)]
                for table in tables_beside(crowd, protected, relation)
            ]
            for one, two in combinations(found, 2):
                if not moves and one is not found[0]:  # the table without the unit
                    continue
                for (chance, scores), (other, others) in zip(one, two, strict=True):
                    worst = max(worst, abs(chance - other))
                    farthest = max(farthest, np.abs(scores - others).max())
        assert farthest == pytest.approx(1, rel=1e-12), relation
        assert 1 / 3 < worst < 3 / 4, OVERSTATED


def ranks_missed(x: list[float], ends: tuple[float, float]) -> float:
    """How far n / 2 is from the ranks that a range holds."""
    below, above = sum(each < ends[0] for each in x), sum(each > ends[1] for each in x)
    return max(below - len(x) / 2, above - len(x) / 2, 0)


# All but the first part are as many ranks from the median, which is as bad as it gets.
WORST = [0.1] * 80 + [8.0] * 40
STEPS = [1.0] * 25 + [4.5] * 5 + [6.5] * 5 + [7.5] * 5


MISSED: list[tuple[list[float], int, int]] = [
    (WORST, 1, 8), (STEPS, 3, 2), (WORST, 3, 2), (WORST, 2, 4), ([], 2, 2), ([3.0, 5.0], 3, 2),
]  # fmt: skip


def test_the_error_in_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact probability that it is larger is at most 1 - confidence."""
    for x, rounds, ranges in MISSED:
        given: dict[str, Any] = {"rounds": rounds, "ranges": ranges, "epsilon": "0.2"}
        known = distribution(monkeypatch, x, **given)
        for confidence in (0.5, 0.95, 0.999):
            bound = median_by_halving(x, BOUNDS, **given).rank_error(confidence)
            exceeded = sum(p for ends, p in known.items() if ranks_missed(x, ends) > bound)
            assert exceeded <= 1 - confidence, (x, rounds, ranges)


def test_the_error_in_ranks_is_no_larger_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one round of eight ranges; seven of them miss the median by 20 ranks."""
    given: dict[str, Any] = {"rounds": 1, "ranges": 8, "epsilon": "0.2"}
    known = distribution(monkeypatch, WORST, **given)
    missed = sum(p for ends, p in known.items() if ranks_missed(WORST, ends) == 20)
    release = median_by_halving(WORST, BOUNDS, **given)
    confidence = 1 - missed
    assert release.rank_error(confidence) == pytest.approx(20, abs=1.6)
    without = release.rank_error(confidence) - float(release.mechanism.scale) * math.log(7)
    assert without < 20 - 5  # a mutant that forgets how many ranges there are


def test_the_bound_of_gamma_variables() -> None:
    scale = median_by_halving([], (0, 1), rounds=9, epsilon=9).mechanism.scale
    assert scale == 1
    for rounds in (1, 2, 9, 28):
        release = median_by_halving([], (0, 1), rounds=rounds, epsilon=rounds)
        for confidence in ("0.01", "0.5", "0.95", "0.999999"):
            exact = gamma.isf(1 - float(confidence), rounds)
            assert exact <= release.rank_error(confidence) <= exact * (1 + 1e-6) + 1e-6


@pytest.mark.parametrize("ranges", [2, 3, 10])
def test_with_next_to_no_noise_it_is_the_median(ranges: int) -> None:
    draw = np.random.default_rng(8)
    for _ in range(30):
        x = np.round(draw.normal(40, 20, draw.integers(1, 60)), 1).clip(0, 100)
        release = median_by_halving(
            x, (0, 100), rounds=4, ranges=ranges, epsilon=10**6, rng=SeededGenerator(3)
        )
        assert ranks_missed([*x], release.range) == 0
        low, high = release.range
        assert low <= release.value <= high
        assert high - low <= release.resolution <= 100 / ranges**4


def test_the_difference_of_the_lecture_alone_would_miss_it() -> None:
    """60 of 100 records are left of 50, one is at 55, and the others are far above: [0, 50) holds
    the median, and [50, 60) has nearly as many above as below."""
    x = [10.0] * 60 + [55.0] + [90.0] * 39
    parts = [(0, 50), (50, 60)]
    around = [(sum(t < low for t in x), sum(t >= high for t in x)) for low, high in parts]
    differences = [abs(above - below) for below, above in around]
    assert differences == [40, 21]  # the less the better: the wrong part
    missed = [max(below - 50, above - 50, 0) for below, above in around]
    assert missed == [0, 10]
    assert ranks_missed(x, (0, 49.999)) == 0


def test_it_is_charged_once(tmp_path: Path) -> None:
    budget = PrivacyFilter(PureDP(1))
    release = median_by_halving([1, 2, 3], BOUNDS, rounds=8, epsilon="0.75", budget=budget)
    assert budget.spent.epsilon == Fraction(3, 4)
    with pytest.raises(cydp.BudgetExceededError):
        median_by_halving([1], BOUNDS, epsilon="0.75", budget=budget)
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        paid = median_by_halving([1, 2, 3], BOUNDS, rounds=8, epsilon="0.75", budget=ledger)
        (charge,) = [entry for entry in ledger.history() if entry["kind"] == "charge"]
        assert charge["mechanism"] == "ExponentialMechanism"
        assert "rounds=8, ranges=2" in charge["params"]
        assert paid.certificate(ledger=ledger)["rounds"] == 8
    assert release.mechanism.epsilon == Fraction(3, 32)
    assert release.loss == PureDP("0.75", relation="add-remove")


SHARES: list[tuple[dict[str, Any], Any, Any]] = [
    ({"epsilon": 1}, Fraction(1, 4), Fraction(1, 2)),
    ({"epsilon": 1, "relation": "change-one"}, Fraction(1, 4), 1),
    ({"epsilon": 1, "max_rows_per_unit": 3}, Fraction(1, 4), Fraction(3, 2)),
    ({"rho": 2}, 2, Fraction(1, 2)),
    ({"epsilon": 9, "delta": 1e-300}, Fraction(9, 4), Fraction(1, 2)),  # as good as pure
]


def test_each_round_has_its_share() -> None:
    for given, epsilon, norm in SHARES:
        release = median_by_halving([1], BOUNDS, rounds=4, **given)
        found = (release.mechanism.epsilon, release.mechanism.sensitivity)
        assert found == (epsilon, norm), given
        assert isinstance(release, HalvingRelease)
        assert isinstance(release.query, HalvingQuery)


def test_it_shows_itself() -> None:
    release = median_by_halving([5] * 9999, (0, 64), rounds=6, epsilon=1)
    assert release.range[0] == 5
    assert release.range[1] == pytest.approx(6, abs=1e-6)
    assert release.resolution == 1
    text = repr(release)
    assert "ExponentialMechanism, 6 rounds, scale 6 ranks" in text
    assert "middle of the range from 5 to 6" in text
    shown = cydp.explain(median_by_halving, (0, 64), rounds=6, epsilon=1)
    assert shown.query == release.query
    assert shown.error == {"median": release.rank_error()}
    assert "ranges of each of 6 rounds: ExponentialMechanism" in repr(shown)
    found = cydp.explain(median_by_halving, (0, 64), rounds=6, error=100)
    assert found.error["median"] <= 100  # type: ignore[operator]
    together = shown.error_bound(0.95, count=3)["median"]
    assert together == pytest.approx(release.rank_error(1 - Fraction(1, 60)))
