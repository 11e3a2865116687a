"""Intervals of workloads and published tables hold as often as they say, whatever the rows are.

Noise is drawn after the rows were counted, by parameters alone: the first test shows that it is the
same for 10 and for 10**5 rows, so that the second one, with 10 rows, is for all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from cydp.publishing import contingency_tables, hierarchy
from cydp.testing import SeededGenerator
from cydp.workloads import Workload, linear_queries, marginals, range_counts

CELLS, CONFIDENCE, CHANCE = 16, 0.9, 1e-6
RUNS = [100, pytest.param(10**4, marks=pytest.mark.long)]
LOWS, HIGHS = np.array([0, 3, 5]), np.array([16, 11, 6])
DOMAINS = {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1]}
SETS = [("a", "b"), ("b", "c"), ("a",), ()]

Ends: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""The lower and upper ends of intervals, and the true numbers."""


def ranges(n: int, rng: Any, **given: Any) -> Ends:
    x = np.arange(n) % CELLS
    release = range_counts(x, CELLS, (0, CELLS), rng=rng, **given)
    before = np.append(0, np.cumsum(np.bincount(x, minlength=CELLS)))
    return *release.range_interval(LOWS, HIGHS, CONFIDENCE), before[HIGHS] - before[LOWS]


def prefixes(n: int, rng: Any, **given: Any) -> Ends:
    x = np.arange(n) % CELLS
    workload = Workload.prefixes(CELLS)
    release = linear_queries(x, workload, CELLS, (0, CELLS), rng=rng, **given)
    return *release.interval(CONFIDENCE), np.cumsum(np.bincount(x, minlength=CELLS))


def rows(n: int) -> dict[str, NDArray[np.int64]]:
    return {
        name: np.arange(n) // 2**i % len(each) for i, (name, each) in enumerate(DOMAINS.items())
    }


def exact(table: dict[str, NDArray[np.int64]], columns: tuple[str, ...]) -> NDArray[np.int64]:
    counts = np.zeros([len(DOMAINS[name]) for name in columns], np.int64)
    np.add.at(counts, tuple(table[name] for name in columns), 1)
    return counts.reshape(-1) if columns else np.array([len(table["a"])])


def tables(n: int, rng: Any, **given: Any) -> Ends:
    table = rows(n)
    release = marginals(table, DOMAINS, SETS, rng=rng, **given)
    lower, upper = (
        np.concatenate([np.ravel(each) for each in ends.values()])
        for ends in release.interval(CONFIDENCE)
    )
    return lower, upper, np.concatenate([exact(table, columns) for columns in SETS])


def published(n: int, rng: Any) -> Ends:
    table = rows(n)
    made = contingency_tables(table, DOMAINS, SETS[:2], epsilon=0.5, rng=rng)
    ends = [made[columns].interval(CONFIDENCE) for columns in SETS[:2]]
    lower, upper = (np.concatenate([each[i].reshape(-1) for each in ends]) for i in (0, 1))
    return lower, upper, np.concatenate([exact(table, columns) for columns in SETS[:2]])


def regions(n: int, rng: Any) -> Ends:
    table, tree = rows(n), {0: [0, 1], 1: [2]}
    table["a"] = table["b"] // 2
    made = hierarchy(table, ["a", "b"], tree, epsilon=0.5, rng=rng)
    lower, upper = made["b"].interval(CONFIDENCE)
    return lower, upper, exact(table, ("b",))


CASES: dict[str, Callable[[int, Any], Ends]] = {
    "tree": partial(ranges, strategy="tree", branching=4, levels=2, epsilon=0.5),
    "tents": partial(ranges, strategy="tents", epsilon=0.5),
    "fractional sums": partial(ranges, strategy="fractional_sums", rho=0.1),
    "prefixes by tents": partial(prefixes, strategy="tents", epsilon=0.5),
    "prefixes by a tree": partial(prefixes, strategy="tree", epsilon=0.5),
    "tables": partial(tables, strategy="tables", epsilon=0.5),
    "consistent tables": partial(tables, strategy="tables", consistent=True, epsilon=0.5),
    "joint": partial(tables, strategy="joint", epsilon=0.5),
    "joint, Gaussian": partial(tables, strategy="joint", rho=0.1),
    "residuals": partial(tables, strategy="residuals", consistent=True, rho=0.1),
    "contingency tables": published,
    "hierarchy": regions,
}


@pytest.mark.parametrize("name", CASES)
def test_the_noise_is_the_same_for_any_number_of_rows(name: str) -> None:
    ends = [CASES[name](n, SeededGenerator(3)) for n in (10, 10**3, 10**5)]
    few, many, most = (upper - true for _, upper, true in ends)
    assert np.allclose(many, most, atol=1e-6)
    cut = ends[0][1] == 0  # published intervals are
    assert (cut | np.isclose(few, many, atol=1e-6)).all()
    assert not cut.all()


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("name", CASES)
def test_intervals_hold_and_a_quarter_of_them_does_not(name: str, runs: int) -> None:
    random, missed, narrow = SeededGenerator(4), 0, 0
    for _ in range(runs):
        lower, upper, true = CASES[name](10, random)
        missed = missed + ((true < lower - 1e-9) | (true > upper + 1e-9))
        middle, quarter = (lower + upper) / 2, (upper - lower) / 8
        narrow = narrow + (np.abs(true - middle) > quarter)
    most = binom.isf(CHANCE, runs, 1 - CONFIDENCE)
    assert np.max(missed) <= most
    assert np.max(narrow) > most
