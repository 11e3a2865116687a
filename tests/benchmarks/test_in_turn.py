"""Ways take turns in each round, slow ones in some; with a clock that only ways move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import in_turn, sizes
from harness.environments import ForeignWay
from harness.record import Record, Turn, Way, duration

LIMIT = in_turn.SECONDS


class Clock:
    """Seconds that pass when a way says so, and who let them."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.calls: list[str] = []

    def way(self, name: str, seconds: float) -> Callable[[], str]:
        def take() -> str:
            self.calls.append(name)
            self.now += seconds
            return f"{name}: {len(self.calls)}"

        return take


class Benchmark:
    """What is used of pytest-benchmark's."""

    group = "a work"

    def __init__(self) -> None:
        self.extra_info: dict[str, Any] = {}

    def pedantic(
        self, call: Callable[..., Any], args: Any = (), *, setup: Callable[[], None], rounds: int
    ) -> None:
        for _ in range(rounds):
            setup()
            call(*args)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(in_turn, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(in_turn, "process_time", lambda: 3 * clock.now)
    monkeypatch.setattr(sizes, "SMALL", False)
    return clock


def measured(ways: Any, rounds: int, **given: Any) -> tuple[Any, Any]:
    benchmark = Benchmark()
    answers = in_turn.measure(benchmark, ways, rounds, **given)
    return answers, benchmark.extra_info["record"]


def test_ways_of_one_speed_take_a_turn_in_each_round(clock: Clock) -> None:
    ways = {name: clock.way(name, 1e-3) for name in ("cydp", "numpy", "OpenDP")}
    answers, record = measured(ways | {"left out": None}, 7)
    assert answers.keys() == record.ways.keys() == ways.keys()
    assert [way.turns for way in record.ways.values()] == [7, 7, 7]
    assert clock.calls[3:] == ["numpy", "OpenDP", "cydp"] * 7  # behind the warm-up
    assert answers["cydp"] == f"cydp: {len(clock.calls)}"


def test_times_and_ratios_are_those_of_the_clock(clock: Clock) -> None:
    ways = {"cydp": clock.way("cydp", 0.01), "numpy": clock.way("numpy", 0.04)}
    _, record = measured(ways, 5, per=10, moved=80, keystream=20, threads=2)
    assert record.ways["cydp"].seconds == pytest.approx((0.001,) * 3)
    assert record.ways["cydp"].cpu == pytest.approx(0.003)
    assert record.ways["numpy"].ratio == pytest.approx((4, 4, 4))
    assert (record.group, record.moved, record.keystream, record.threads) == ("a work", 8, 2, 2)


@pytest.mark.parametrize(
    ("ours", "theirs", "small", "turns"),
    [
        pytest.param(1e-3, LIMIT / 5, False, (30, 6), id="slow"),
        pytest.param(1e-3, 2 * LIMIT, False, (30, 1), id="beyond the limit"),
        pytest.param(2 * LIMIT, 1e-3, False, (1, 1), id="ours beyond the limit"),
        pytest.param(1e-3, 1e-3, True, (1, 1), id="small"),
    ],
)
def test_slow_ways_take_fewer_turns_and_have_the_same_ratio(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, ours: float, theirs: float, small: bool,
    turns: tuple[int, int],
) -> None:  # fmt: skip
    monkeypatch.setattr(sizes, "SMALL", small)
    _, record = measured({"cydp": clock.way("cydp", ours), "rival": clock.way("rival", theirs)}, 30)
    assert record.ways["cydp"].turns == turns[0]
    assert min(2, turns[1]) <= record.ways["rival"].turns <= turns[1]
    assert record.ways["rival"].ratio[1] == pytest.approx(theirs / ours)
    assert [sizes.size(n) for n in (10, 10**4, 10**7)] == (
        [10, 1000, 10**5] if small else [10, 10**4, 10**7]
    )


def test_a_way_of_another_process_says_what_it_took(clock: Clock) -> None:
    class Process:
        def ask(self, *question: Any) -> Any:
            clock.now += 0.3  # the way there and back
            return (0.02, 0.05), "answer"

    foreign = ForeignWay(Process(), 0)  # type: ignore[arg-type]
    for share in (1, 100):  # how many of our calls one of its calls stands for
        foreign.share = share
        answers, record = measured({"cydp": clock.way("cydp", 0.01), "OpenDP": foreign}, 5)
        assert answers["OpenDP"] == "answer"
        assert record.ways["OpenDP"].seconds == pytest.approx((0.02 * share,) * 3)
        assert record.ways["OpenDP"].cpu == pytest.approx(0.05 * share)
        assert record.ways["OpenDP"].ratio == pytest.approx((2 * share,) * 3)


def turns(*walls: float) -> list[Turn]:
    return [Turn(round, wall, wall * 2) for round, wall in enumerate(walls, 1)]


def test_quartiles_are_those_of_the_turns_and_of_one_call() -> None:
    taken = turns(5, 1, 2, 4, 3)
    way = Way.of(taken, taken, 1)
    assert (way.seconds, way.least, way.cpu, way.turns) == ((2, 3, 4), 1, 6, 5)
    found = Record.of("work", {"cydp": turns(2, 2), "rival": turns(6, 6)}, per=1000, threads=2)
    assert found.ways["cydp"].seconds == pytest.approx((0.002,) * 3)
    assert found.ways["rival"].ratio == (3, 3, 3)


def test_a_ratio_pairs_turns_of_one_round() -> None:
    """A machine that becomes ten times slower changes no ratio."""
    ours, rival = turns(1, 10, 100), turns(3, 30, 300)
    assert Way.of(rival, ours, 1).ratio == Way.of(rival[::-1], ours, 1).ratio == (3, 3, 3)
    assert Way.of([Turn(2, 20, 0)], ours, 1).ratio == (2, 2, 2)
    assert Way.of([Turn(0, 50, 0)], ours, 1).ratio == (5, 5, 5)  # of the warm-up


def test_a_duration_has_three_digits_and_a_unit() -> None:
    seconds = [1, 0.0123456, 1e-3, 9.994e-6, 7.5e-8]
    assert list(map(duration, seconds)) == ["1 s", "12.3 ms", "1 ms", "9.99 us", "75 ns"]
