"""The examples run, and their numbers are within the stated errors of exact ones.

Ledgers take no seeded generator, so that errors have confidence 1 - 1e-9.
"""

from __future__ import annotations

import csv
import runpy
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SURE = "0.999999999999"


def table(name: str) -> dict[str, list[str]]:
    with (EXAMPLES / "data" / name).open() as file:
        first, *rows = csv.reader(file)
    return dict(zip(first, map(list, zip(*rows, strict=True)), strict=True))


def numbers(name: str) -> dict[str, Any]:
    return {column: np.array(values, float) for column, values in table(name).items()}


def within(release: Any, exact: Any, **which: Any) -> bool:
    """Whether the interval for all numbers together holds the exact ones."""
    lower, upper = release.interval(SURE, count=max(np.size(exact), 1), **which)
    return bool(np.all((lower <= exact) & (exact <= upper)))


def test_people(capsys: pytest.CaptureFixture[str]) -> None:
    shown = runpy.run_path(str(EXAMPLES / "pums.py"))
    people = numbers("pums.csv")
    assert within(shown["ages"], np.histogram(people["age"], 10, (0, 100))[0])
    assert within(shown["income"], people["income"].clip(0, 200_000).mean())
    levels = np.bincount(people["educ"].astype(int), minlength=17)[1:]
    assert within(shown["levels"], levels)
    assert not within(shown["levels"], levels + 1000 * (np.arange(16) == 15))
    pairs = np.histogram2d(people["age"], people["sex"], (5, 2), [(0, 100), (0, 2)])[0]
    assert within(shown["cells"], pairs)
    below = np.count_nonzero(people["income"] < shown["median"].value)
    upto = np.count_nonzero(people["income"] <= shown["median"].value)
    assert max(below - 500, 500 - upto, 0) <= shown["median"].rank_error(SURE)
    assert "left: PureDP(epsilon=0)" in capsys.readouterr().out


def possible(
    keys: Iterable[Any], visitors: list[str], amounts: list[float]
) -> dict[Any, tuple[list[float], list[float]]]:
    """By key, the amounts that count for certain, and those that may, if two keys of each do."""
    keys_of: dict[str, set[Any]] = defaultdict(set)
    one_each = dict(zip(zip(keys, visitors, strict=True), amounts, strict=True))
    for key, visitor in one_each:
        keys_of[visitor].add(key)
    found: dict[Any, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for (key, visitor), amount in one_each.items():
        found[key][len(keys_of[visitor]) > 2].append(amount)
    return found


def test_visits(capsys: pytest.CaptureFixture[str]) -> None:
    shown = runpy.run_path(str(EXAMPLES / "restaurant_week.py"))
    visits = table("restaurant_week.csv")
    visitors, days = visits["VisitorId"], [int(day) for day in visits["Day"]]
    euros = [min(float(euro), 50) for euro in visits["Money spent (euros)"]]
    assert len(set(zip(visitors, days, strict=True))) == len(visitors)  # one visit a day

    by_day, found = shown["by_day"], possible(days, visitors, euros)
    assert list(by_day.keys) == list(range(1, 8))
    for column, least, most in [
        ("n", lambda sure, _: len(sure), lambda sure, more: len(sure + more)),
        ("sum_euros", lambda sure, _: sum(sure), lambda sure, more: sum(sure + more)),
        ("mean_euros", lambda sure, more: mean_beside(sure, sorted(more), min),
         lambda sure, more: mean_beside(sure, sorted(more, reverse=True), max)),
    ]:  # fmt: skip
        lower, upper = by_day.interval(SURE, count=7, column=column)
        assert np.all(lower <= [most(*found[day]) for day in range(1, 8)])
        assert np.all(upper >= [least(*found[day]) for day in range(1, 8)])
    two_days = sum(min(visitors.count(each), 2) for each in set(visitors))
    assert abs(by_day.counts.sum() - two_days) <= 7 * by_day.error_bound(SURE, count=7)
    assert two_days + 7 * by_day.error_bound(SURE, count=7) < len(visitors)  # they are bounded

    by_hour = shown["by_hour"]
    hours = [datetime.strptime(time, "%I:%M%p").hour for time in visits["Time entered"]]
    found = possible(hours, visitors, euros)
    assert set(by_hour.keys.tolist()) <= set(hours)
    for hour, (sure, more) in found.items():
        if len(sure) > 200:  # far above the threshold
            assert hour in by_hour.keys
        if hour in by_hour.keys:
            place = list(by_hour.keys).index(hour)
            lower, upper = (ends[place] for ends in by_hour.interval(SURE, count=24))
            assert lower <= len(sure + more)
            assert upper >= len(sure)
    assert any(len(sure) > 200 for sure, _ in found.values())

    for day, release in shown["visitors"].items():
        assert within(release, days.count(day))
    said = capsys.readouterr().out
    assert "left: ApproxDP(epsilon=0, delta=0)" in said
    assert (
        "7 blocks from 'day 1' to 'day 7': spent PureDP(epsilon=0.5), left PureDP(epsilon=0.5)"
        in said
    )


def mean_beside(sure: list[float], more: list[float], best: Any) -> float:
    """The least or the greatest mean of what is sure and some of what may count, sorted so."""
    totals = sum(sure) + np.cumsum([0.0, *more])
    return float(best(totals / np.maximum(len(sure) + np.arange(len(totals)), 1)))


def test_a_stream(capsys: pytest.CaptureFixture[str]) -> None:
    """With real noise: what holds however the attempts end."""
    shown = runpy.run_path(str(EXAMPLES / "sage_stream.py"))
    printed = capsys.readouterr().out
    blocks = shown["final"]
    assert [block.id for block in blocks] == [f"day {day:02}" for day in range(1, 13)]
    assert max(block.spent.epsilon for block in blocks) == shown["guarantee"].epsilon
    assert 0 < shown["guarantee"].epsilon <= 0.5
    for block in blocks:
        assert block.retired == (block.budget.epsilon - block.spent.epsilon < Fraction("0.05"))
        assert block.retired == (block.id not in shown["stream"])
        assert (f"{block.id} is retired" in printed) == block.retired
    accepted = [line for line in printed.splitlines() if line.endswith(": accept")]
    assert len(accepted) == ("minutes" not in shown["pipelines"])
    for line in accepted:
        assert float(line.split("at most ")[1].split(",")[0]) <= 35
