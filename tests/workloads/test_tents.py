"""workloads/_tents.py: sums, neighbours, variances, coefficients, and the choice of tents."""

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
from cydp.workloads._tents import Tents, prefix_tents, range_tents

TENTS = "tents"
UNIT = 2**20
SMALL = [Tents(n, levels) for n, levels in product((1, 2, 5, 6), ((1, 2), (0, 1), (0, 2, 3)))]
SHAPES = [*SMALL, Tents(40, (1, 5)), Tents(40, (0, 2, 12)), range_tents(64), prefix_tents(64)]


def planned(cells: int, **given: Any) -> Any:
    return cydp.explain(range_counts, cells, (0, 1), **{"epsilon": 1} | given).query


def test_each_cell_has_one_record_of_weight() -> None:
    for tents in [*SHAPES, prefix_tents(2**11)]:
        matrix = sums_of(tents)
        assert (matrix >= 0).all()
        assert (matrix.sum(0) == UNIT).all(), tents
        assert tents.alone.min() >= UNIT // len(tents.tents), tents
        assert tents.nodes == len(matrix)


def test_weights_rise_to_knots_and_fall_behind_them() -> None:
    x = np.arange(40) + 0.5
    for tents in (Tents(40, (1, 5)), Tents(40, (0, 2, 12))):
        start, *levels = tents.tents
        rows = [
            (1 - abs(x - knot * 40 / pieces) / (40 / pieces)).clip(0) / len(tents.tents)
            for pieces in levels
            for knot in range(start, pieces)
        ]
        assert np.abs(tents.rows / UNIT - rows).max() <= 1 / UNIT


def test_sums_are_exact_and_are_undone() -> None:
    counts = np.array([2**42 - 9, 1, 0, 3, 5])
    for tents in (Tents(5, (1, 2)), Tents(5, (0, 2))):
        exact = [
            sum(w * c for w, c in zip(row, counts.tolist(), strict=True))
            for row in sums_of(tents).tolist()
        ]
        assert tents.count_nodes(counts).tolist() == exact
        assert np.allclose(tents.fit(tents.count_nodes(counts)), counts, atol=1e-2)


def test_consistent_counts_are_the_least_squares() -> None:
    random = np.random.default_rng(1)
    for tents in SHAPES:
        noisy = random.integers(-50 * UNIT, 50 * UNIT, tents.nodes)
        fitted = np.linalg.lstsq(sums_of(tents) / UNIT, noisy / UNIT, rcond=None)[0]
        assert np.allclose(tents.fit(noisy), fitted), tents


def test_variances_are_those_of_the_covariance() -> None:
    random = np.random.default_rng(2)
    for tents in SHAPES:
        undone = np.linalg.pinv(sums_of(tents) / UNIT)
        lows, highs = all_ranges(tents.cells)
        variances = ((weights_of(lows, highs, tents.cells) @ undone) ** 2).sum(1)
        assert np.allclose(tents.range_variance(lows, highs), variances)
        assert tents.mean_range_variance() == pytest.approx(variances[highs > lows].mean())
        prefixes = variances[(lows == 0) & (highs > 0)]
        assert tents.mean_prefix_variance() == pytest.approx(prefixes.mean())
        weights = random.normal(size=(3, tents.cells))
        assert np.allclose(tents.weighted_variance(weights), ((weights @ undone) ** 2).sum(1))


def test_no_coefficient_is_above_the_largest() -> None:
    """Of what proven intervals rest on: sums of any cells, by trying all of few cells."""
    for tents in SHAPES:
        undone = np.linalg.pinv(sums_of(tents) / UNIT)
        signed = max(undone.clip(0).sum(0).max(), (-undone).clip(0).sum(0).max())
        assert tents.largest == pytest.approx(signed)
        if tents.cells <= 6:
            subsets = np.array(list(product((0, 1), repeat=tents.cells)))
            assert np.abs(subsets @ undone).max() == pytest.approx(tents.largest)
        lows, highs = all_ranges(tents.cells)
        found = np.abs(weights_of(lows, highs, tents.cells) @ undone).max(1)
        assert found.max() <= tents.largest * (1 + 1e-9)
        assert np.allclose(tents.largest_in(lows, highs), found, atol=1e-9)
    many = np.zeros(2**18, np.int64)
    assert range_tents(64).largest_in(many, many) == range_tents(64).largest


def test_neighbours_are_as_far_apart_as_stated() -> None:
    for tents, cells, relation in product(SMALL, (1, 2, 3), ("add-remove", "change-one")):
        unit = Unit(relation, has_users=True, max_partitions=cells, max_rows=2)
        signs = np.array(list(product((-1, 0, 1), repeat=tents.cells)))
        goes = cells if relation == "change-one" else 0
        signs = signs[((signs > 0).sum(1) <= cells) & ((signs < 0).sum(1) <= goes)]
        apart = np.array([tents.count_nodes(2 * each) for each in signs])
        l1, square = np.abs(apart).sum(1).max(), (apart**2).sum(1).max()
        change = tents.change(unit)
        assert l1 <= change.l1, (tents, unit)
        assert square <= change.l2**2, (tents, unit)
        if relation == "add-remove":
            assert l1 == change.l1, (tents, unit)
        assert (apart != 0).sum(1).max() <= change.coordinates
    far = Tents(40, (1, 5))
    apart = far.count_nodes(np.eye(40, dtype=np.int64)[0] - np.eye(40, dtype=np.int64)[-1])
    assert np.abs(apart).sum() == far.change(Unit("change-one")).l1 == 2 * UNIT


def test_errors_are_near_those_of_optimised_strategies() -> None:
    """Those of p-identity strategies, of benchmarks/utility/strategy.py."""
    for cells, ranges, prefixes in ((64, 5.55, 5.32), (256, 8.10, 7.34)):
        query = planned(cells)
        assert query.strategy == TENTS
        assert query.expected_error <= 1.01 * ranges
        errors = Workload.prefixes(cells).errors(epsilon=1)
        assert (errors[TENTS].total / cells) ** 0.5 <= 1.05 * prefixes
        assert errors["tree"].total > 1.3 * errors[TENTS].total
    tree = planned(1024, strategy="tree").expected_error
    assert 1.09 * planned(1024).expected_error < tree
    for other in ({"levels": 2}, {"rho": 1, "epsilon": None}):
        assert planned(100, **other).strategy != TENTS
    assert planned(2**11 + 1).strategy == planned(4).strategy == "tree"
    assert planned(4, strategy=TENTS).strategy == TENTS
    assert "Gaussian" in Workload.prefixes(8).errors(rho=1)[TENTS].why_not


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"cannot be 'tents': tents are of at most 2\*\*11 cells"):
        planned(2**12, strategy=TENTS)
    with pytest.raises(ValueError, match="branching and levels are of trees, not of 'tents'"):
        planned(64, strategy=TENTS, levels=2)


def test_what_is_released() -> None:
    x, random = np.arange(100) % 40, SeededGenerator(5)
    given: dict[str, Any] = {"strategy": TENTS, "epsilon": 10**6, "rng": random}
    release = range_counts(x, 40, (0, 40), **given)
    assert np.allclose(release.counts, np.bincount(x, minlength=40), atol=1e-3)
    assert "overlapping sums" in release.to_text()
    assert release.nodes.dtype == np.int64
    answers = linear_queries(x, Workload.prefixes(40), 40, (0, 40), **given).answers
    assert np.allclose(answers, np.cumsum(np.bincount(x, minlength=40)), atol=1e-3)
    for query in (planned(40), planned(40, strategy="tree")):
        again = Query.from_dict(json.loads(json.dumps(query.to_dict())), edges=query.reads.edges)
        assert again == query
        assert again.tents == query.tents
        assert (TENTS in repr(query)) == (query.strategy == TENTS)
