"""workloads/_range_counts.py: the release, its choice of a tree, and what it refuses."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from workloads.linear_algebra import all_ranges, covariance, weights_of

import cydp
from cydp import PrivacyFilter, PureDP, workloads
from cydp.accounting import BudgetExceededError
from cydp.releases._certificate import wrong_in_certificate
from cydp.releases._noise_split import Aggregate, split_privacy
from cydp.releases._terms import read_privacy
from cydp.releases._unit import Unit
from cydp.testing import SeededGenerator
from cydp.workloads import RangeRelease, range_counts
from cydp.workloads._tree import Tree, change_nodes, levels_to_root

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])


def planned(cells: int, **given: Any) -> Any:
    return cydp.explain(range_counts, cells, (0, 1), **given).query


def released(**given: Any) -> RangeRelease:
    return range_counts(X, 10, (0, 100), **{"epsilon": 10**5, "rng": SeededGenerator(1)} | given)


def test_the_answers() -> None:
    shapes: list[dict[str, int]] = [{}, {"levels": 1}, {"branching": 2}, {"branching": 3}]
    for shape in shapes:
        release = released(**shape)
        exact = np.histogram(X, 10, (0, 100))[0]
        assert np.allclose(release.counts, exact, atol=1e-2)
        assert release.range(0, 3) == pytest.approx(5, abs=1e-2)
        assert release.range(0, 30, edges=True) == release.range(0, 3)
        assert release.range(20.0, 100, edges=True) == release.range(2, 10)
        lows, highs = all_ranges(10)
        assert np.allclose(
            release.ranges(lows, highs), weights_of(lows, highs, 10) @ release.counts
        )
        lower, upper = release.range_interval(lows, highs)
        assert (
            (lower <= release.ranges(lows, highs)) & (release.ranges(lows, highs) <= upper)
        ).all()
        assert release.ranges([[0], [1]], [2, 3]).shape == (2, 2)


def test_edges_are_those_of_numpy() -> None:
    edges = [0, 1, 1, 5, 5]
    release = range_counts([0, 1, 2, 5], edges, epsilon=10**5, rng=SeededGenerator(1))
    assert release.counts.round().tolist() == [1, 0, 2, 1]
    assert release.range(1, 5, edges=True) == pytest.approx(3, abs=1e-2)


def best_by_linear_algebra(cells: int, epsilon: float, relation: str) -> float:
    """The least mean variance, of all trees."""
    found = []
    lows, highs = all_ranges(cells)
    ranges = weights_of(lows, highs, cells)[lows < highs]
    for branching in range(2, cells + 1):
        for levels in range(1, levels_to_root(cells, branching) + 1):
            tree = Tree(cells, branching, levels)
            change = change_nodes(Unit(relation), tree)
            privacy = read_privacy(epsilon, None, None, relation)
            parts, _ = split_privacy(privacy, [Aggregate("nodes", change)])
            variances = np.einsum("qi,ij,qj->q", ranges, covariance(tree), ranges)
            found.append(parts["nodes"].variance * variances.mean())
    return min(found)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_the_tree_is_the_best_one(relation: str) -> None:
    for cells in (2, 7, 24):
        plan = planned(cells, epsilon=0.3, relation=relation)
        best = best_by_linear_algebra(cells, 0.3, relation)
        assert plan.mean_variance == pytest.approx(best)
        assert plan.expected_error == pytest.approx(best**0.5)
    binary = planned(24, branching=2, levels=6, epsilon=0.3, relation=relation)
    assert binary.mean_variance > 1.02 * best


def test_a_tree_without_noise_that_fits_is_left_out() -> None:
    assert planned(2**20, epsilon="2e-17").levels == 1


def test_a_tree_is_far_better_for_many_cells() -> None:
    tree, flat = planned(2**20, epsilon=1), planned(2**20, levels=1, epsilon=1)
    assert (tree.branching, tree.levels) == (16, 5)
    assert 20 * tree.expected_error < flat.expected_error


def test_the_budget_pays_once_for_all_ranges() -> None:
    kinds: list[dict[str, Any]] = [{"epsilon": 1}, {"rho": 0.5}, {"epsilon": 1, "delta": 1e-6}]
    for privacy in kinds:
        plan = planned(10, **privacy)
        budget = PrivacyFilter(plan.loss)
        release = range_counts(X, 10, (0, 100), budget=budget, **privacy)
        assert release.query == plan
        assert release.loss == plan.loss
        release.ranges([0] * 10, range(1, 11))
        with pytest.raises(BudgetExceededError):
            range_counts(X, 10, (0, 100), budget=budget, **privacy)


def test_users_are_bounded() -> None:
    table = {"x": np.repeat(np.arange(10), 20), "who": np.zeros(200, int)}
    release = range_counts(
        table, 10, (0, 10), column="x", user="who", max_partitions=3, max_rows_per_partition=2,
        epsilon=10**6, rng=SeededGenerator(1),
    )  # fmt: skip
    assert release.range(0, 10) == pytest.approx(6, abs=1e-2)


def test_a_release_is_a_value() -> None:
    release = released()
    assert pickle.loads(pickle.dumps(release)) == release
    assert release != released(rng=SeededGenerator(2), epsilon=1)
    with pytest.raises(ValueError, match="read-only"):
        release.counts[0] = 1
    counts, edges = release
    assert np.array_equal(counts, np.asarray(release))
    assert edges[-1] == 100
    assert "bin" in release.to_text()
    assert release.to_dict()["metadata"]["function"] == "range_counts"
    assert wrong_in_certificate(json.loads(json.dumps(release.certificate()))) == []
    assert len(release.to_pandas()) == 10
    flat = released(levels=1)
    assert flat.error_bound(0.9)[0] == flat.mechanism.error_bound(0.9)
    lower, upper = release.interval(0.9, count=10)
    assert (upper - lower == pytest.approx(2 * release.error_bound(0.9, count=10))) is True


def test_ledgers_record_it(tmp_path: Any) -> None:
    budget = PureDP(2, relation="add-remove")
    with cydp.BudgetLedger.create(tmp_path / "l.db", budget=budget, privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="ages")
        first, second = (range_counts(X, 10, (0, 100), epsilon=1, budget=scope) for _ in range(2))
        assert first == second
        assert np.array_equal(first.counts, second.counts)
        assert ledger.spent == PureDP(1)
    assert "range_counts" in workloads.__all__


def test_a_tree_is_taken_where_no_noise_fits_fractional_sums() -> None:
    made = range_counts([1, 2], 64, (0, 64), rho=1e-24, rng=SeededGenerator(1))
    assert made.query.percent == 0
    with pytest.raises(ValueError, match="sigma"):
        range_counts([1, 2], 64, (0, 64), rho=1e-24, strategy="fractional_sums")
