"""workloads/_fractional_sums.py: sums, neighbours, variances, and the choice of a power."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from workloads.linear_algebra import all_ranges, sums_of, weights_of

import cydp
from cydp.releases._query import Query
from cydp.releases._unit import Unit
from cydp.testing import SeededGenerator
from cydp.workloads import Workload, linear_queries, range_counts
from cydp.workloads._fractional_sums import FractionalSums, why_no_fractional_sums

FRACTIONAL = "fractional_sums"
SHAPES = [FractionalSums(*each) for each in product((1, 2, 5, 6), (30, 50))]


def planned(cells: int, **given: Any) -> Any:
    return cydp.explain(range_counts, cells, (0, 1), **{"rho": 0.5} | given).query


def test_weights_are_those_of_the_power_of_running_sums() -> None:
    for percent in (30, 45, 50):
        matrix = sums_of(FractionalSums(40, percent)) / 2**20
        shift, term, power = np.eye(40, k=-1), np.eye(40), np.eye(40)
        for k in range(1, 40):
            term = term @ shift * (k - 1 + percent / 100) / k  # of (1 - shift)**-power
            power = power + term
        assert np.abs(matrix - power).max() <= 2**-21
    half = sums_of(FractionalSums(40, 50)) / 2**20
    assert np.allclose(half @ half, np.tri(40), atol=1e-4)


def test_sums_are_exact_and_are_undone() -> None:
    counts = np.array([2**42 - 9, 1, 0, 3, 5])
    sums = FractionalSums(5, 45)
    weights = sums.weights.tolist()
    exact = [sum(weights[i - j] * int(counts[j]) for j in range(i + 1)) for i in range(len(counts))]
    assert sums.count_nodes(counts).tolist() == exact
    assert np.allclose(sums.fit(sums.count_nodes(counts)), counts, atol=1e-2)


def test_variances_are_those_of_the_covariance() -> None:
    for sums in [*SHAPES, FractionalSums(40, 40)]:
        undone = np.linalg.inv(sums_of(sums) / 2**20)
        lows, highs = all_ranges(sums.cells)
        variances = ((weights_of(lows, highs, sums.cells) @ undone) ** 2).sum(1)
        assert np.allclose(sums.range_variance(lows, highs), variances)
        assert sums.mean_range_variance() == pytest.approx(variances[highs > lows].mean())
        weights = np.random.default_rng(1).normal(size=(3, sums.cells))
        assert np.allclose(sums.weighted_variance(weights), ((weights @ undone) ** 2).sum(1))


def test_neighbours_are_as_far_apart_as_stated() -> None:
    for sums, cells, relation in product(SHAPES, (1, 2, 3), ("add-remove", "change-one")):
        unit = Unit(relation, has_users=True, max_partitions=cells, max_rows=2)
        signs = np.array(list(product((-1, 0, 1), repeat=sums.cells)))
        goes = cells if relation == "change-one" else 0
        signs = signs[((signs > 0).sum(1) <= cells) & ((signs < 0).sum(1) <= goes)]
        apart = np.array([sums.count_nodes(2 * each) for each in signs])
        l1, square = np.abs(apart).sum(1).max(), (apart**2).sum(1).max()
        change = sums.change(unit)
        assert l1 <= change.l1, (sums, unit)
        assert square <= change.l2**2, (sums, unit)
        if cells == 1:
            assert float(square) ** 0.5 == pytest.approx(float(change.l2), rel=1e-5), (sums, unit)
        promised = sums.change(Unit(relation, max_rows=2 * cells, promised=True))
        assert promised.l2 >= change.l2 * (1 - 1e-5)
        assert (apart != 0).sum(1).max() <= change.coordinates


def bound_of(gram: Any) -> float:
    """No Gaussian noise on linear queries has less error (Li, Miklau 2013), at rho = 1/2."""
    cells, queries = len(gram), len(gram) * (len(gram) + 1) / 2
    roots = np.sqrt(np.linalg.eigvalsh(gram).clip(0))
    return float(roots.sum() / (cells * queries) ** 0.5)


def test_errors_are_near_the_least_that_is_possible() -> None:
    for cells, at_most, gain in ((64, 1.08, 1.15), (256, 1.09, 1.17), (1024, 1.09, 1.19)):
        places = np.arange(cells)
        gram = (np.minimum(places[:, None], places) + 1.0) * (
            cells - np.maximum(places[:, None], places)
        )
        query = planned(cells)
        assert query.strategy == FRACTIONAL
        assert query.expected_error <= at_most * bound_of(gram), cells
        assert planned(cells, strategy="tree").expected_error >= gain * query.expected_error
    assert planned(1000, epsilon=1, rho=None).strategy == "tents"
    assert planned(2**13 + 1).strategy == planned(100, levels=2).strategy == "tree"
    errors = Workload.prefixes(1024).errors(rho=1)
    assert errors["tree"].total > 1.6 * errors[FRACTIONAL].total
    assert "Laplace" in Workload.prefixes(8).errors(epsilon=1)[FRACTIONAL].why_not
    assert "too many" in why_no_fractional_sums(2**11, 2**9)


def test_what_is_released() -> None:
    x, random = np.arange(100) % 40, SeededGenerator(5)
    given: dict[str, Any] = {"strategy": FRACTIONAL, "rho": 10**10, "rng": random}
    release = range_counts(x, 40, (0, 40), **given)
    assert np.allclose(release.counts, np.bincount(x, minlength=40), atol=1e-3)
    assert "fractional sums" in release.to_text()
    assert release.nodes.dtype == np.int64
    answers = linear_queries(x, Workload.prefixes(40), 40, (0, 40), **given).answers
    assert np.allclose(answers, np.cumsum(np.bincount(x, minlength=40)), atol=1e-3)
    for query in (planned(40), planned(40, strategy="tree")):
        again = Query.from_dict(json.loads(json.dumps(query.to_dict())), edges=query.reads.edges)
        assert again == query
        assert again.percent == query.percent
        assert ("percent" in repr(query)) == (query.strategy == FRACTIONAL)


def test_intervals_hold_and_are_no_luxury() -> None:
    x, runs, random = np.arange(100) % 16, 1000, SeededGenerator(6)
    off = []
    for _ in range(runs):
        release = range_counts(x, 16, (0, 16), strategy=FRACTIONAL, rho=0.1, rng=random)
        off.append(abs(release.range(3, 11) - 49))
    deviation = float(release.range_variance(3, 11)) ** 0.5
    lower, upper = release.range_interval(3, 11, 0.9)
    assert np.mean(np.square(off)) == pytest.approx(deviation**2, rel=0.25)  # 5.6 deviations
    most = 100 + 5 * 9.5  # of 1,000 that miss with probability 0.1
    assert np.sum(np.array(off) > (upper - lower) / 2) <= most
    assert np.sum(np.array(off) > (upper - lower) / 6) > most
