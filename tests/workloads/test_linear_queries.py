"""workloads/_linear_queries.py: answers, errors, sensitivities and the choice of a strategy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from workloads.linear_algebra import all_ranges, covariance, nodes_of, sums_of, weights_of

from cydp.releases._unit import Unit
from cydp.testing import SeededGenerator
from cydp.workloads import LinearRelease, Workload, linear_queries
from cydp.workloads._queries import MatrixQueries, Queries, RangeQueries, read_matrix
from cydp.workloads._strategies import STRATEGIES, change_answers
from cydp.workloads._tree import Tree

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])
COUNTS = np.histogram(X, 10, (0, 100))[0]
INTEGERS = np.random.default_rng(1).integers(-3, 4, (5, 10))
PREFIXES = np.tri(10, dtype=int)


def released(workload: Any, **given: Any) -> LinearRelease:
    given = {"rho": 2 * 10**5, "rng": SeededGenerator(1)} | given
    return linear_queries(X, workload, 10, (0, 100), **given)


def test_the_answers() -> None:
    cases = ((INTEGERS, INTEGERS), (INTEGERS * 1.0, INTEGERS), (Workload.prefixes(10), PREFIXES))
    for (workload, matrix), strategy in product(cases, STRATEGIES):
        loss = {"epsilon": 10**4, "rho": None} if strategy == "tents" else {}
        release = released(workload, strategy=strategy, **loss)
        assert np.allclose(release.answers, matrix @ COUNTS, atol=5e-2)
        lower, upper = release.interval()
        assert ((lower <= release.answers) & (release.answers <= upper)).all()
        assert release.query.strategy == strategy
        assert "strategy" in release.to_text()


def variances_of(matrix: Any, strategy: str, query: Any) -> Any:
    """By linear algebra, in variances of the noise."""
    if strategy == "workload":
        return np.ones(len(matrix))
    if strategy in ("fractional_sums", "tents"):
        return ((matrix @ np.linalg.pinv(sums_of(query.sums))) ** 2).sum(1)
    tree = query.tree if strategy == "tree" else Tree(matrix.shape[1], 2, 1)
    return np.einsum("qi,ij,qj->q", matrix, covariance(tree), matrix)


ONE_LONG = np.ones((1, 40), int)
SPARSE = np.eye(40, dtype=int)[:3]
MANY = weights_of(*all_ranges(40), 40)


@pytest.mark.parametrize(
    ("matrix", "best", "loss"), [
        (ONE_LONG, "workload", {"rho": 0.1}), (np.eye(40, dtype=int), "identity", {"rho": 0.1}),
        (MANY, "fractional_sums", {"rho": 0.1}), (SPARSE * 0.5, "identity", {"rho": 0.1}),
        (MANY, "tents", {"epsilon": 1}), (np.tri(40), "tents", {"epsilon": 1}),
    ],
)  # fmt: skip
def test_the_choice_is_that_of_linear_algebra(matrix: Any, best: str, loss: Any) -> None:
    given: dict[str, Any] = {"branching": 4, "levels": 3} | loss
    errors = Workload(matrix).errors(**given)
    x = np.arange(40.0)
    made: dict[str, float] = {}
    for strategy in STRATEGIES:
        if errors[strategy].why_not:
            assert any(word in errors[strategy].why_not for word in ("integers", "noise"))
            with pytest.raises(ValueError, match=f"cannot be '{strategy}'"):
                linear_queries(x, matrix, 40, (0, 40), strategy=strategy, **given)
            continue
        release = linear_queries(x, matrix, 40, (0, 40), strategy=strategy, **given)
        variances = variances_of(matrix, strategy, release.query) * release.mechanism.variance
        assert np.allclose(release.variance, variances)
        assert errors[strategy].total == pytest.approx(variances.sum())
        assert errors[strategy].largest == pytest.approx(variances.max())
        made[strategy] = variances.sum()
    assert min(made, key=lambda each: made[each]) == best == next(iter(errors))
    assert linear_queries(x, matrix, 40, (0, 40), **given).query.strategy == best


def distances(matrix: Any, replaces: bool) -> tuple[int, int]:
    """The largest L1 and squared L2 distance of the answers of neighbours, one by one."""
    none = np.zeros((len(matrix), 1), int)
    columns = np.concatenate([matrix, none], axis=1).astype(int)
    l1 = l2 = 0
    for i in range(columns.shape[1]):
        apart = columns - columns[:, [i]] if replaces else columns
        l1 = max(l1, int(np.abs(apart).sum(0).max()))
        l2 = max(l2, int((apart**2).sum(0).max()))
    return l1, l2


LOWS, HIGHS = np.random.default_rng(2).integers(0, 9, (2, 12))
RANGES = np.minimum(LOWS, HIGHS), np.maximum(LOWS, HIGHS)


NESTED = np.arange(4), np.full(4, 4)
LONG = np.array([0, 1, 0, 0, 0]), np.array([2, 3, 3, 3, 3])  # most of them hold any two cells
QUERIES: dict[str, tuple[Queries, Any]] = {
    "integers": (read_matrix(INTEGERS), INTEGERS),
    "positive": (read_matrix(np.abs(INTEGERS)), np.abs(INTEGERS)),
    "prefixes": (RangeQueries(np.zeros(10, int), np.arange(1, 11), 10), PREFIXES),
    "ranges": (RangeQueries(*RANGES, 8), weights_of(*RANGES, 8)),
    "long ranges": (RangeQueries(*LONG, 3), weights_of(*LONG, 3)),
    "suffixes": (RangeQueries(*NESTED, 4), weights_of(*NESTED, 4)),
}


def test_neighbours() -> None:
    for (name, (queries, matrix)), replaces in product(QUERIES.items(), (False, True)):
        assert queries.change(replaces) == distances(matrix, replaces), (name, replaces)


SMALL: dict[str, tuple[Queries, Any]] = {
    "cells": (read_matrix(np.eye(5)), np.eye(5, dtype=int)),
    "all": (read_matrix(np.ones((1, 5))), np.ones((1, 5), int)),
    "one answer": (read_matrix(INTEGERS[:1, :5]), INTEGERS[:1, :5]),
    "prefixes": (read_matrix(np.tri(5)), np.tri(5, dtype=int)),
    "prefixes as ranges": (RangeQueries(np.zeros(5, int), np.arange(1, 6), 5), np.tri(5)),
    "both signs": (read_matrix(INTEGERS[:, :6]), INTEGERS[:, :6]),
    "few cells": (read_matrix(INTEGERS[:, :2]), INTEGERS[:, :2]),
    "long ranges": QUERIES["long ranges"],
}
LOOSE = {"both signs", "few cells", "long ranges"}
"""Their bound is not reached: the worst for one answer, or cell, is not the worst for all."""


def of_users(matrix: Any, cells: int, relation: str) -> tuple[float, float, int]:
    """The largest L1 and L2 distance of the answers, by all sets of cells before and after, and
    how many change."""
    signs = np.array(list(product((-1, 0, 1), repeat=matrix.shape[1])))
    goes = cells if relation == "change-one" else 0
    signs = signs[((signs > 0).sum(1) <= cells) & ((signs < 0).sum(1) <= goes)]
    apart = np.abs(signs @ matrix.T)
    l1, square, reached = apart.sum(1).max(), (apart**2).sum(1).max(), (apart > 0).sum(1).max()
    return float(l1), float(square) ** 0.5, int(reached)


def test_a_user_changes_the_answers_by_each_of_its_rows() -> None:
    """A user adds up to two rows in each of up to n cells, or all of them become others."""
    for (name, (queries, matrix)), cells, relation in product(
        SMALL.items(), (1, 2, 3, 4, 5, 50), ("add-remove", "change-one")
    ):
        unit = Unit(relation, has_users=True, max_partitions=cells, max_rows=2)
        change = change_answers(queries, unit)
        l1, l2, reached = of_users(matrix, cells, relation)
        assert 2 * l1 <= change.l1, (name, unit)
        assert 2 * l2 <= float(change.l2) * (1 + 1e-12), (name, unit)
        assert reached <= change.coordinates <= min(2 * reached, queries.count), (name, unit)
        if name not in LOOSE and (relation == "add-remove" or cells > 4 or name == "cells"):
            assert 2 * l1 == change.l1, (name, unit)
            if cells > 4 or name == "cells":
                assert 2 * l2 == pytest.approx(float(change.l2), rel=1e-5), (name, unit)


def test_a_bound_without_products_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cydp.workloads._queries._MOST_WORK", 1)
    for (queries, matrix), relation in product(SMALL.values(), ("add-remove", "change-one")):
        assert queries.products() is None
        change = change_answers(queries, Unit(relation, has_users=True, max_partitions=2))
        l1, l2, _ = of_users(matrix, 2, relation)
        assert l1 <= change.l1
        assert l2 <= float(change.l2) * (1 + 1e-12)


def test_sums_of_products_do_not_overflow() -> None:
    queries = read_matrix(np.full((3, 40), 2**20))
    found = change_answers(queries, Unit(has_users=True, max_partitions=40))
    assert found.l1 == 3 * 40 * 2**20
    assert found.l2 == pytest.approx(3**0.5 * 40 * 2**20)
    many = read_matrix(np.full((2**19, 4), 2**20))
    assert many.products() is None  # 2**59 each, and sixteen of them
    found = change_answers(many, Unit(has_users=True, max_partitions=4))
    assert found.l2 == pytest.approx(2**9.5 * 4 * 2**20, rel=1e-5)


def test_the_weights_of_a_query_are_apart_from_0_in_both_directions() -> None:
    """No coefficient of a node's noise is larger: docs/workloads.md, "Error bounds"."""
    tree = Tree(9, 3, 3)
    coefficients = covariance(tree) @ nodes_of(tree).T
    for weights in (np.random.default_rng(4).integers(-3, 4, (50, 9)), -np.eye(9, dtype=int)):
        found = np.abs(weights @ coefficients).max(1)
        assert (found <= read_matrix(weights).largest() + 1e-9).all()


def test_large_workloads_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cydp.workloads._queries._MOST_WORK", 1)
    for queries, matrix in (
        (read_matrix(INTEGERS), INTEGERS), (RangeQueries(*RANGES, 8), weights_of(*RANGES, 8))
    ):  # fmt: skip
        stated, exact = queries.change(True), distances(matrix, True)
        assert stated[0] >= exact[0]
        assert stated[1] >= exact[1]


def test_prefixes_of_many_cells_need_no_matrix() -> None:
    errors = Workload.prefixes(2**16).errors(epsilon=1)
    assert list(errors) == ["tree", "identity", "workload", "fractional_sums", "tents"]
    assert "at most 2**11 cells" in errors["tents"].why_not
    assert (
        "at most 2**13 cells" in Workload.prefixes(2**16).errors(rho=1)["fractional_sums"].why_not
    )
    assert 50 * errors["tree"].total < errors["identity"].total


def test_answers_that_could_overflow_have_no_noise() -> None:
    for weight, queries in ((2**20 + 1, 1), (1, 2**20 + 1)):
        assert MatrixQueries(np.full((queries, 1), weight)).why_not_exact
        fits = np.full((min(queries, 2**10), 1), min(weight, 2**20))
        assert not MatrixQueries(fits).why_not_exact
