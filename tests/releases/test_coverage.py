"""Intervals of releases, as they are called: they hold the true answer as often as they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import cydp
from cydp.testing import SeededGenerator

ALMOST_NEVER = 1e-6
GAUSSIAN: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "noise": "gaussian"}
KEYED: dict[str, Any] = {"epsilon": 1, "delta": 0.05}
BOUNDS = {"x": (0, 1)}


def table_of(n: int) -> dict[str, Any]:
    """Return n rows: numbers from 0 to 1, of five keys, and of users of whom some have many."""
    random = np.random.default_rng(n)
    who = np.where(random.random(n) < 0.5, 0, random.integers(0, n, n))
    x = random.integers(0, 2**12 + 1, n) / 2**12
    return {"x": x, "key": np.arange(n) % 5, "who": who}


def of_users(table: dict[str, Any], rows: int) -> tuple[float, float]:
    """Return the sum and the mean of numbers that weigh min(1, rows / all of a user)."""
    _, user, many = np.unique(table["who"], return_inverse=True, return_counts=True)
    weights = np.minimum(1, rows / many[user])
    return weights @ table["x"], weights @ table["x"] / weights.sum()


def key_0(table: dict[str, Any]) -> Any:
    return table["x"][table["key"] == 0]


COLUMN: dict[str, Any] = {"column": "x"}
USERS: dict[str, Any] = {**COLUMN, "user": "who", "max_rows": 2}
KEYS: dict[str, Any] = {"keys": range(5)}
CASES: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = {
    "count": (cydp.count, (), {"epsilon": 1}, lambda table: len(table["x"])),
    "count, Gaussian": (cydp.count, (), GAUSSIAN, lambda table: len(table["x"])),
    "sum": (cydp.sum, ((0, 1),), {**COLUMN, "epsilon": 1}, lambda table: table["x"].sum()),
    "sum, Gaussian": (
        cydp.sum, ((0, 1),), {**COLUMN, **GAUSSIAN}, lambda table: table["x"].sum()),
    "sum of users": (
        cydp.sum, ((0, 1),), {**USERS, "epsilon": 1}, lambda table: of_users(table, 2)[0]),
    "mean": (cydp.mean, ((0, 1),), {**COLUMN, "epsilon": 1}, lambda table: table["x"].mean()),
    "mean, Gaussian": (
        cydp.mean, ((0, 1),), {**COLUMN, **GAUSSIAN}, lambda table: table["x"].mean()),
    "mean of users": (
        cydp.mean, ((0, 1),), {**USERS, "epsilon": 1}, lambda table: of_users(table, 2)[1]),
    "variance": (
        cydp.variance, ((0, 1),), {**COLUMN, "epsilon": 1}, lambda table: table["x"].var()),
    "variance, Gaussian": (
        cydp.variance, ((0, 1),), {**COLUMN, **GAUSSIAN}, lambda table: table["x"].var()),
    "group_by, sums": (
        cydp.group_by, ("key",), {**KEYS, "sums": BOUNDS, "count": False, "epsilon": 1},
        lambda table: key_0(table).sum()),
    "group_by, means": (
        cydp.group_by, ("key",), {**KEYS, "means": BOUNDS, "count": False, "epsilon": 1},
        lambda table: key_0(table).mean()),
    "group_by, means, Gaussian": (
        cydp.group_by, ("key",), {**KEYS, "means": BOUNDS, "count": False, **GAUSSIAN},
        lambda table: key_0(table).mean()),
    "value_counts": (
        cydp.value_counts, (range(5),), {"column": "key", "epsilon": 1},
        lambda table: len(key_0(table))),
    "value_counts, unknown keys": (
        cydp.value_counts, (), {"column": "key", **KEYED}, lambda table: len(key_0(table))),
    "value_counts, unknown keys before": (
        cydp.value_counts, (), {"column": "key", "selection": "optimal", **KEYED},
        lambda table: len(key_0(table))),
    "group_by, means, unknown keys": (
        cydp.group_by, ("key",), {"means": BOUNDS, **KEYED}, lambda table: key_0(table).mean()),
}  # fmt: skip
ROUNDING = 1e-9  # of floats: the numbers of the tables are not rounded


def count_held(name: str, n: int, runs: int, confidence: float) -> tuple[int, int]:
    """Return how many intervals hold the true answer, and of how many: of a key, if released."""
    release, arguments, given, true = CASES[name]
    table, noise = table_of(n), SeededGenerator(n)
    answer, held, shown = true(table), 0, 0
    with pytest.MonkeyPatch.context() as patch:
        query = release(table, *arguments, **given, rng=noise).query
        kept: list[Any] = []
        own = type(query).read

        def read(self: Any, source: Any, key: Any) -> Any:
            """Return the exact answers of the first call: the table is the same in all runs."""
            if not kept:
                kept.append(own(self, source, key))
            return kept[0]

        patch.setattr(type(query), "read", read)
        for _ in range(runs):
            made = release(table, *arguments, **given, rng=noise)
            if name.startswith(("group_by", "value_counts")):
                places = np.flatnonzero(np.asarray(list(made.keys)) == 0)
                if not len(places):
                    continue
                column = {"column": next(reversed(made.columns))} if "group" in name else {}
                lower, upper = (end[places[0]] for end in made.interval(confidence, **column))
            else:
                lower, upper = made.interval(confidence)
            shown += 1
            held += bool(lower - ROUNDING <= answer <= upper + ROUNDING)
    return held, shown


@pytest.mark.parametrize("runs", [200, pytest.param(10**4, marks=pytest.mark.long)])
@pytest.mark.parametrize("n", [10, 10**3, 10**5])
@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_as_often_as_they_say(name: str, n: int, runs: int) -> None:
    held, shown = count_held(name, n, runs, 0.95)
    assert shown > runs / 100
    assert binom.cdf(held, shown, 0.95) > ALMOST_NEVER, (held, shown)


def test_narrower_intervals_are_found() -> None:
    for name in ("count", "sum", "mean", "value_counts"):
        held, shown = count_held(name, 10**3, 1000, 0.8)
        assert binom.cdf(held, shown, 0.95) < ALMOST_NEVER, (name, held)
