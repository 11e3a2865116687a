"""Ways take turns in each round, slow ones in some; with a clock that only ways move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import in_turn, sizes
from harness.environments import ForeignWay


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
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr(in_turn, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(in_turn, "process_time", lambda: 3 * clock.now)
    monkeypatch.setattr(sizes, "SMALL", False)
    return clock


def measured(ways: Any, rounds: int = 31, **given: Any) -> tuple[Any, Any]:
    benchmark = Benchmark()
    answers = in_turn.measure(benchmark, ways, rounds, **given)
    return answers, benchmark.extra_info["record"]


def test_ways_of_one_speed_take_a_turn_in_each_round(clock: Clock) -> None:
    ways = {name: clock.way(name, 1e-3) for name in ("cydp", "numpy", "OpenDP")}
    answers, record = measured(ways, 7)
    assert answers.keys() == ways.keys()
    assert [way.turns for way in record.ways.values()] == [7, 7, 7]
    rounds = clock.calls[3:]  # behind the warm-up
    assert rounds == ["numpy", "OpenDP", "cydp"] * 7
    assert answers["cydp"] == f"cydp: {len(clock.calls)}"


def test_times_and_ratios_are_those_of_the_clock(clock: Clock) -> None:
    ways = {"cydp": clock.way("cydp", 0.01), "numpy": clock.way("numpy", 0.04)}
    _, record = measured(ways, 5, per=10, moved=80, keystream=20, threads=2)
    assert record.ways["cydp"].seconds == pytest.approx((0.001,) * 3)
    assert record.ways["cydp"].cpu == pytest.approx(0.003)
    assert record.ways["numpy"].ratio == pytest.approx((4, 4, 4))
    assert (record.group, record.moved, record.keystream, record.threads) == ("a work", 8, 2, 2)


def test_a_way_that_is_none_is_left_out(clock: Clock) -> None:
    answers, record = measured({"cydp": clock.way("cydp", 1e-3), "OpenDP": None}, 3)
    assert list(answers) == list(record.ways) == ["cydp"]


def test_a_slow_way_takes_its_turn_in_some_rounds(clock: Clock) -> None:
    ways = {"cydp": clock.way("cydp", 1e-3), "slow": clock.way("slow", in_turn.SECONDS / 5)}
    _, record = measured(ways, 30)
    assert record.ways["cydp"].turns == 30
    assert 1 < record.ways["slow"].turns <= 6
    assert record.ways["slow"].ratio[1] == pytest.approx(in_turn.SECONDS / 5 / 1e-3)


def test_a_way_beyond_the_limit_takes_one_turn(clock: Clock) -> None:
    ways = {"cydp": clock.way("cydp", 1e-3), "slow": clock.way("slow", 2 * in_turn.SECONDS)}
    _, record = measured(ways, 30)
    assert clock.calls.count("slow") == record.ways["slow"].turns == 1
    assert record.ways["cydp"].turns == 30
    assert record.ways["slow"].ratio[1] == pytest.approx(2 * in_turn.SECONDS / 1e-3)


def test_a_first_way_beyond_the_limit_takes_one_round(clock: Clock) -> None:
    ways = {"cydp": clock.way("cydp", 2 * in_turn.SECONDS), "numpy": clock.way("numpy", 1e-3)}
    _, record = measured(ways, 30)
    assert [way.turns for way in record.ways.values()] == [1, 1]
    assert record.ways["numpy"].ratio[1] == pytest.approx(1e-3 / 2 / in_turn.SECONDS)


def test_small_mode_takes_one_round(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "SMALL", True)
    _, record = measured({name: clock.way(name, 1e-3) for name in ("cydp", "numpy")}, 101)
    assert [way.turns for way in record.ways.values()] == [1, 1]
    assert len(clock.calls) <= 4


def test_a_way_of_another_process_says_what_it_took(clock: Clock) -> None:
    class Process:
        def ask(self, *question: Any) -> Any:
            clock.now += 0.3  # the way there and back
            return (0.02, 0.05), "answer"

    foreign = ForeignWay(Process(), 0)  # type: ignore[arg-type]
    answers, record = measured({"cydp": clock.way("cydp", 0.01), "OpenDP": foreign}, 5)
    assert answers["OpenDP"] == "answer"
    assert record.ways["OpenDP"].seconds == (0.02, 0.02, 0.02)
    assert record.ways["OpenDP"].cpu == 0.05
    assert record.ways["OpenDP"].ratio == pytest.approx((2, 2, 2))


def test_small_sizes_are_a_hundredth_but_never_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "SMALL", True)
    assert [sizes.size(n) for n in (10, 1000, 10**4, 10**7)] == [10, 1000, 1000, 10**5]
    monkeypatch.setattr(sizes, "SMALL", False)
    assert sizes.size(10**7) == 10**7
