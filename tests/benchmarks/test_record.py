"""What is kept of the turns: quartiles, and ratios of turns of one round."""

from __future__ import annotations

import pytest
from harness.record import Record, Turn, Way, duration


def turns(*walls: float, first: int = 1) -> list[Turn]:
    return [Turn(round, wall, wall * 2) for round, wall in enumerate(walls, first)]


def test_quartiles_are_those_of_the_turns() -> None:
    taken = turns(5, 1, 2, 4, 3)
    way = Way.of(taken, taken, 1)
    assert way.seconds == (2, 3, 4)
    assert (way.least, way.cpu, way.turns) == (1, 6, 5)
    assert way.ratio == (1, 1, 1)


def test_a_ratio_pairs_turns_of_one_round() -> None:
    """A machine that becomes ten times slower changes no ratio."""
    first, rival = turns(1, 10, 100), turns(3, 30, 300)
    assert Way.of(rival, first, 1).ratio == (3, 3, 3)
    assert Way.of(rival[::-1], first, 1).ratio == (3, 3, 3)


def test_a_ratio_of_some_rounds_uses_those_rounds() -> None:
    first = turns(1, 10, 100)
    assert Way.of([Turn(2, 20, 0)], first, 1).ratio == (2, 2, 2)


def test_a_turn_of_the_warm_up_is_beside_the_usual_one() -> None:
    assert Way.of([Turn(0, 50, 0)], turns(1, 10, 100), 1).ratio == (5, 5, 5)


def test_times_are_of_one_call_and_ratios_of_none() -> None:
    found = Record.of("work", {"cydp": turns(2, 2), "rival": turns(6, 6)}, per=1000, threads=2)
    ours, rival = found.ways.values()
    assert ours.seconds == pytest.approx((0.002,) * 3)
    assert (ours.least, ours.cpu) == pytest.approx((0.002, 0.004))
    assert rival.ratio == (3, 3, 3)
    assert found.threads == 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 s"), (0.0123456, "12.3 ms"), (1e-3, "1 ms"), (9.994e-6, "9.99 us"), (7.5e-8, "75 ns")],
)
def test_a_duration_has_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text
