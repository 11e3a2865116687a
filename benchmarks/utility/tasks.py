"""The tasks of the benchmark of error: a release, data, public parameters, and what is measured.

A task has a kind, which is the name of the function that answers it in the module of each library,
and what that function is given. One row is protected by epsilon = 1 under add-remove, unless a task
says otherwise; where it has users, one user is. How much of a user counts is a public parameter
that each library has its own of: of some `choices` the one with the least error is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from utility import data, errors
from utility.errors import Measure

EPSILON, DELTA = 1.0, 1e-6
PAIRS = ("sex", "married", "race", "educ")
DOMAINS = {"sex": (0, 1), "married": (0, 1), "race": range(1, 7), "educ": range(1, 17)}


@dataclass(frozen=True)
class Task:
    """What is asked of each library, and the exact answer."""

    title: str
    data: str
    kind: str
    given: Mapping[str, Any]
    exact: Any
    measure: Measure = errors.RMS
    runs: int = 10_000
    choices: Mapping[str, Sequence[int]] = field(default_factory=dict)


@cache
def tasks() -> dict[str, Task]:
    """Return all tasks by name."""
    return {
        **numbers(),
        **means(),
        **ranked(),
        **keyed(),
        **linear(),
        **users(),
    }


def numbers() -> dict[str, Task]:
    married, x = data.pums("married"), data.uniform()
    income = np.minimum(data.pums("income"), 200_000)
    counted = {"rows": married, "epsilon": EPSILON}
    return {
        "count": Task("count", "PUMS", "count", counted, married.sum()),
        "count delta": Task(
            "count, delta 1e-6", "PUMS", "count", counted | {"delta": DELTA}, married.sum()
        ),
        "sum uniform": Task(
            "sum", "uniform", "sum", {"x": x, "bounds": (0, 100), "epsilon": EPSILON}, x.sum()
        ),
        "sum income": Task(
            "sum", "PUMS", "sum", {"x": income, "bounds": (0, 200_000), "epsilon": EPSILON},
            income.sum(),
        ),
    }  # fmt: skip


def means() -> dict[str, Task]:
    found = {}
    for name, said, x, bounds, more in (
        ("uniform", "uniform", data.uniform(), (0, 100), {}),
        ("heavy", "heavy tail", data.heavy(), data.HEAVY, {}),
        ("answers", "50 answers", data.answers(), (1, 5), {}),
        ("delta", "PUMS", data.pums("age"), (0, 100), {"delta": DELTA}),
    ):
        title = "mean, delta 1e-6" if more else "mean"
        given = {"x": x, "bounds": bounds, "epsilon": EPSILON, **more}
        found[f"mean {name}"] = Task(title, said, "mean", given, x.mean())
        if not more:
            found[f"variance {name}"] = Task("variance", said, "variance", given, x.var())
    return found


def ranked() -> dict[str, Task]:
    answers, ages = data.answers(), data.pums("age")
    nine, many = [k / 10 for k in range(1, 10)], [k / 100 for k in range(1, 100)]
    found = {
        "median answers": Task(
            "median", "50 answers", "quantiles",
            {"x": answers, "qs": [0.5], "bounds": (1, 5), "step": 1, "epsilon": EPSILON},
            np.median(answers), errors.WRONG,
        ),
        "median ages": Task(
            "median", "PUMS", "quantiles",
            {"x": ages, "qs": [0.5], "bounds": (0, 100), "step": 1, "epsilon": EPSILON},
            np.median(ages), errors.DISTANCE,
        ),
    }  # fmt: skip
    for name, title, said, x, qs, bounds, step in (
        ("median uniform", "median", "uniform", data.uniform(), [0.5], (0, 100), None),
        ("nine uniform", "9 quantiles", "uniform", data.uniform(), nine, (0, 100), None),
        ("nine heavy", "9 quantiles", "heavy tail", data.heavy(), nine, data.HEAVY, None),
        ("nine income", "9 quantiles", "PUMS", data.pums("income"), nine, (0, 500_000), 1),
        ("many uniform", "99 quantiles", "uniform", data.uniform(), many, (0, 100), None),
        ("many heavy", "99 quantiles", "heavy tail", data.heavy(), many, data.HEAVY, None),
    ):
        given = {"x": x, "qs": qs, "bounds": bounds, "step": step, "epsilon": EPSILON}
        exact = np.sort(x), np.array(qs) * len(x)
        runs = {1: 5000, 9: 1000, 99: 300}[len(qs)]
        found[name] = Task(title, said, "quantiles", given, exact, errors.RANKS, runs)
    return found


def keyed() -> dict[str, Task]:
    age, educ, income = data.pums("age"), data.pums("educ"), data.pums("income")
    zipf, week, levels = data.keys(1), data.visits(), np.arange(1, 17)
    income = np.minimum(income, 200_000)
    by_level = np.array([income[educ == level].mean() for level in levels])
    close = data.keys(0.15)
    return {
        "histogram": Task(
            "histogram", "PUMS", "histogram",
            {"x": age, "bins": 10, "range": (0, 100), "epsilon": EPSILON},
            np.histogram(age, 10, (0, 100))[0],
        ),
        "known keys": Task(
            "value_counts, public keys", "PUMS", "known_keys",
            {"x": educ, "keys": levels, "epsilon": EPSILON}, np.bincount(educ, minlength=17)[1:],
        ),
        "unknown zipf": Task(
            "value_counts, unknown keys, delta 1e-9", "1,000 keys (Zipf)", "unknown_keys",
            {"x": zipf, "epsilon": EPSILON, "delta": 1e-9}, tally(zipf), errors.KEYS, 1000,
        ),
        "unknown visits": Task(
            "value_counts, unknown keys, 3 a user, delta 1e-6", "restaurant", "unknown_keys",
            {"x": week["quarter"], "user": week["visitor"], "max_partitions": 3,
             "epsilon": EPSILON, "delta": DELTA},
            tally(week["quarter"]), errors.KEYS, 1000,
        ),
        "top one": Task(
            "top 1, epsilon 0.5", "1,000 keys, close", "top",
            {"x": close, "keys": data.KEYS, "k": 1, "epsilon": 0.5},
            np.bincount(close, minlength=data.KEYS), errors.ROWS_LOST, 2000,
        ),
        "top ten": Task(
            "top 10", "1,000 keys, close", "top",
            {"x": close, "keys": data.KEYS, "k": 10, "epsilon": EPSILON},
            np.bincount(close, minlength=data.KEYS), errors.ROWS_LOST, 2000,
        ),
        "means by key": Task(
            "group_by means", "PUMS", "means_by_key",
            {"x": income, "by": educ, "keys": levels, "bounds": (0, 200_000), "epsilon": EPSILON},
            by_level, runs=2000,
        ),
    }  # fmt: skip


def linear() -> dict[str, Task]:
    x, stream = data.uniform(), data.stream()
    bins = {"x": x, "bins": 256, "range": (0, 100), "epsilon": EPSILON}
    counts = np.histogram(x, 256, (0, 100))[0]
    people = {name: data.pums(name) for name in PAIRS}
    pairs = [(one, other) for i, one in enumerate(PAIRS) for other in PAIRS[i + 1 :]]
    asked = {"table": people, "domains": DOMAINS, "epsilon": EPSILON}
    return {
        "ranges": Task(
            "range_counts, 256 bins", "uniform", "ranges", bins, counts, errors.RANGES, 1000
        ),
        "prefixes": Task(
            "prefix sums, 256 bins", "uniform", "prefixes", bins, np.cumsum(counts), runs=500
        ),
        "running": Task(
            "RunningCounts, 1,024 steps, delta 1e-6", "stream", "running",
            {"events": stream, "epsilon": EPSILON, "delta": DELTA}, np.cumsum(stream), runs=300,
        ),
        "marginals": Task(
            "marginals of 6 pairs, delta 1e-6", "PUMS", "marginals",
            asked | {"sets": pairs, "delta": DELTA}, cells(people, pairs), runs=1000,
        ),
        "marginals pure": Task(
            "marginals of 6 pairs", "PUMS", "marginals",
            asked | {"sets": pairs}, cells(people, pairs), runs=1000,
        ),
    }  # fmt: skip


def users() -> dict[str, Task]:
    week, (user, amount) = data.visits(), data.spenders()
    visitor, euros = week["visitor"], week["euros"]
    spent = {"user": visitor, "x": euros, "bounds": (0, 60), "epsilon": EPSILON}
    few = {"rows": (1, 2, 3, 4, 6), "total": (60, 90, 120, 160, 200, 250)}
    many = {"rows": (25, 50, 100, 150, 200), "total": (500, 1000, 1500, 2000, 2500, 3000)}
    return {
        "users sum": Task(
            "sum of users", "restaurant", "user_sum", spent, euros.sum(), runs=2000, choices=few
        ),
        "users sum heavy": Task(
            "sum of users", "few users have most rows", "user_sum",
            {"user": user, "x": amount, "bounds": (0, 100), "epsilon": EPSILON}, amount.sum(),
            runs=2000, choices=many,
        ),
        "users mean": Task(
            "mean of users", "restaurant", "user_mean", spent, euros.mean(), runs=1000, choices=few
        ),
        "users days": Task(
            "value_counts of users, public keys", "restaurant", "user_days",
            {"user": visitor, "x": week["day"], "keys": np.arange(1, 8), "epsilon": EPSILON},
            np.bincount(week["day"])[1:], runs=1000, choices=few,
        ),
    }  # fmt: skip


def tally(x: Any) -> dict[int, int]:
    keys, counts = np.unique(x, return_counts=True)
    return dict(zip(keys.tolist(), counts.tolist(), strict=True))


def cells(table: Mapping[str, Any], sets: Any) -> Any:
    """Return the counts of all tables, one after the other."""
    found = []
    for names in sets:
        edges = [np.append(DOMAINS[name], DOMAINS[name][-1] + 1) for name in names]
        found.append(np.histogramdd([table[name] for name in names], edges)[0].ravel())
    return np.concatenate(found)
