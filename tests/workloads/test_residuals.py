"""workloads/_residuals.py: what has noise, what a record changes in it, and the tables."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.accounting.ledger._serialize import deserialize, serialize
from cydp.releases._unit import Unit
from cydp.testing import SeededGenerator
from cydp.workloads import marginals
from cydp.workloads._residuals import best_shares, cost_together, residuals_of, why_no_residuals

SIZES = {"a": 2, "b": 3, "c": 1, "d": 4}
SETS = [("a", "b"), ("d", "b"), ("c", "a"), ("d",), ()]
SHAPES = [tuple(SIZES[name] for name in names) for names in SETS]
DOMAINS = {name: list(range(size)) for name, size in SIZES.items()}
PEOPLE = {
    name: np.random.default_rng(i).integers(0, size + (size > 2), 200)
    for i, (name, size) in enumerate(SIZES.items())
}
RESIDUALS = residuals_of(SETS, SHAPES)


def planned(sets: Any = SETS, domains: Any = DOMAINS, **given: Any) -> Any:
    given = {"rho": 0.5, "consistent": True} | given
    return cydp.explain(marginals, domains, sets, **given).query


def released(**given: Any) -> Any:
    given = {"consistent": True, "strategy": "residuals", "rho": 0.5} | given
    return marginals(PEOPLE, DOMAINS, SETS, **given)


def exact(columns: tuple[str, ...]) -> Any:
    inside = np.logical_and.reduce([PEOPLE[name] < size for name, size in SIZES.items()])
    counts = np.zeros([SIZES[name] for name in columns])
    np.add.at(counts, tuple(PEOPLE[name][inside] for name in columns), 1)
    return counts


def test_the_answers() -> None:
    release = released(rho=10**6, rng=SeededGenerator(1))
    for columns in SETS:
        counts = exact(columns) if columns else exact(("a",)).sum()
        assert np.allclose(release[columns], counts, atol=0.02), columns
    assert release["a", "b"].sum() == pytest.approx(release["total"])
    assert "residuals" in release.to_text()
    assert len(release) == len(SETS)
    again = deserialize(serialize(release.query))
    assert again == release.query
    assert again.strategy == "residuals"


def unit_cells(sizes: tuple[int, ...]) -> Any:
    return np.eye(math.prod(sizes), dtype=np.int64)


def deviations_of(cell: Any, sizes: tuple[int, ...]) -> Any:
    """The deviations of a table, times its cells: integers, by exact arithmetic."""
    found = cell.reshape(sizes) * math.prod(sizes)
    for axis in range(len(sizes)):
        means = found.sum(axis, keepdims=True)
        assert (means % sizes[axis] == 0).all()
        found = found - means // sizes[axis]
    return found


def test_a_record_changes_what_is_released_as_its_deviations_do() -> None:
    """The privacy argument: noisy counts and noisy deviations give the same differences."""
    for each in RESIDUALS:
        cells = unit_cells(each.sizes)
        shifts = np.array([deviations_of(cell, each.sizes).reshape(-1) for cell in cells])
        for cell, shift in zip(cells, shifts, strict=True):
            assert (each.differences(each.cells * cell) == each.differences(shift)).all()
        square = int((shifts**2).sum(1).max())
        assert square == each.cells**2 * each.share == (shifts**2).sum(1).min()
        comes = each.change(Unit("add-remove", max_rows=3, promised=True))
        assert 3 * square**0.5 == pytest.approx(float(comes.l2), rel=1e-5)
        assert float(comes.l2) >= 3 * square**0.5 * (1 - 1e-12)
        pairs = ((shifts[:, None] - shifts[None, :]) ** 2).sum(-1)
        moves = max(int(pairs.max()), square)
        for relation in ("change-one", "add-remove-or-change"):
            stated = float(each.change(Unit(relation)).l2)
            assert moves**0.5 * (1 - 1e-12) <= stated
            assert stated == pytest.approx(moves**0.5, rel=1e-5)


def test_nothing_else_of_the_noisy_counts_is_released() -> None:
    random = np.random.default_rng(4)
    for each in RESIDUALS:
        noisy = random.integers(-50, 50, each.sizes)
        found = each.differences(noisy)
        assert found.shape == tuple(size - 1 for size in each.sizes)
        for axis in range(len(each.sizes)):  # what does not depend on one of the columns
            other = random.integers(
                -50, 50, [n if i != axis else 1 for i, n in enumerate(each.sizes)]
            )
            assert (each.differences(noisy + other) == found).all()
        whole = deviations_of(noisy, each.sizes) / each.cells**2
        assert np.allclose(each.deviations(found), whole)
    release = released(rng=SeededGenerator(2))
    pairs = zip(release.tables, RESIDUALS, strict=True)
    assert all(table.shape == tuple(n - 1 for n in each.sizes) for table, each in pairs)


def test_a_row_that_moves_costs_no_more_than_stated_in_all_of_them_together() -> None:
    shares = best_shares(RESIDUALS, SETS, SHAPES, [Fraction(1)] * len(SETS))
    names = ["a", "b", "d"]
    records = list(itertools.product(*(range(SIZES[name]) for name in names)))
    deviations = {}
    for each in RESIDUALS:
        places = [names.index(name) for name in each.columns]
        for record in records:
            cell = np.zeros(each.sizes, np.int64)
            cell[tuple(record[i] for i in places)] = 1
            deviations[each, record] = deviations_of(cell, each.sizes) / each.cells
    costs = [
        sum(
            float(share / each.most) * ((deviations[each, one] - deviations[each, two]) ** 2).sum()
            for each, share in zip(RESIDUALS, shares, strict=True)
        )
        for one, two in itertools.combinations(records, 2)
    ]
    leaves = sum(
        float(share * each.share / each.most) for each, share in zip(RESIDUALS, shares, strict=True)
    )
    stated = float(cost_together(RESIDUALS, shares)) * float(sum(shares))
    largest = max(*costs, leaves)
    assert largest * (1 - 1e-12) <= stated <= largest * (1 + 1e-5)
    assert stated < 0.99 * float(sum(shares))
    many = [(name,) for name in "abcdefghijklm"]
    wide = residuals_of(many, [(2,)] * 13)
    assert cost_together(wide, [Fraction(1)] * len(wide)) == 1


def test_parts_have_the_noise_that_the_whole_can_pay() -> None:
    for relation in ("add-remove", "change-one"):
        query = planned(strategy="residuals", relation=relation)
        spent = sum(float(part.mechanism.rho) for part in query.parts.values())
        assert spent * float(query.joint.rho) == pytest.approx(0.5, rel=1e-5)


def test_variances_are_those_of_the_noise() -> None:
    query = planned(strategy="residuals")
    for i, (terms, table) in enumerate(zip(map(query.terms, range(len(SETS))), SETS, strict=True)):
        total, place = 0.0, 0
        for j, each in enumerate(RESIDUALS):
            coefficients = []
            for one in unit_cells(each.sizes):
                tables = [np.zeros([n - 1 for n in other.sizes], np.int64) for other in RESIDUALS]
                tables[j] = each.differences(one * 2**20)
                coefficients.append(query.fitted(tables)[i] / 2**20)
            squares = (np.array(coefficients) ** 2).sum(0)
            assert np.allclose(squares, squares.flat[0])  # the same in all cells
            part = query.parts[each.name]
            total += float(squares.flat[0]) * part.noise.variance
            if set(each.columns) <= set(table):
                assert float(terms[place].squares) == pytest.approx(float(squares.flat[0]))
                place += 1
        assert query.variance[query.names[i]] == pytest.approx(total)


def test_the_weights_are_the_best() -> None:
    weights = [Fraction(n + 1) for n in range(len(SETS))]
    shares = np.array([float(e) for e in best_shares(RESIDUALS, SETS, SHAPES, weights)])

    def error(shares: Any) -> float:
        total = 0.0
        for each, share in zip(RESIDUALS, shares / shares.sum(), strict=True):
            for names, shape, weight in zip(SETS, SHAPES, weights, strict=True):
                if set(each.columns) <= set(names):
                    spread = math.prod(shape) / each.cells
                    total += float(weight * each.share**2) / share / spread**2
        return total

    random = np.random.default_rng(5)
    for _ in range(100):
        assert (
            error(shares) <= error(shares * np.exp(0.1 * random.normal(size=len(shares)))) * 1.0001
        )


def test_the_strategy_with_the_least_variance_is_taken() -> None:
    domains = {name: [0, 1] for name in "abcdefgh"}
    for many, gain in ((2, 1.15), (3, 1.15)):
        sets = list(itertools.combinations(domains, many))
        best, tables = planned(sets, domains), planned(sets, domains, strategy="tables")
        assert best.strategy == "residuals"
        assert sum(tables.variance.values()) > gain**2 * sum(best.variance.values())
    for other in ({"split": {"d": 2}}, {"rho": None, "epsilon": 1}, {"consistent": False}):
        assert planned(**other).strategy != "residuals"
    assert planned(split={"d": 2}, strategy="tables") == planned(split={"d": 2})
    assert planned(rho=None, epsilon=1, delta=1e-9, noise="laplace").strategy != "residuals"
    assert planned(strategy="residuals", split={"d": 2}).strategy == "residuals"
    assert why_no_residuals([("a", "b")], [(2**10, 2**9)])
    assert why_no_residuals([tuple("abcdefghijklm")], [(1,) * 13])


def test_refusals() -> None:
    for wrong, words in (
        ({"strategy": "best"}, "strategy must be one of tables, joint, residuals"),
        ({"strategy": []}, "strategy must be one of"),
        ({"strategy": "residuals", "consistent": False}, "consistent"),
        ({"strategy": "residuals", "rho": None, "epsilon": 1}, "Laplace"),
    ):
        with pytest.raises(ValueError, match=words):
            planned(**wrong)


def test_errors_are_the_stated_ones() -> None:
    random, runs = SeededGenerator(7), 1000
    off = np.array(
        [released(rng=random)["a", "b"][1, 2] - exact(("a", "b"))[1, 2] for _ in range(runs)]
    )
    query = planned(strategy="residuals")
    assert np.mean(off**2) == pytest.approx(query.variance["a, b"], rel=0.25)  # 5.6 deviations
    bound = released().error_bound(0.9)["a, b"]
    most = 100 + 5 * 9.5  # of 1,000 that miss with probability 0.1
    assert np.sum(np.abs(off) > bound) <= most
    assert np.sum(np.abs(off) > bound / 3) > most


def test_columns_may_have_any_names() -> None:
    """A column called "total" is no total, and one called "a, b" is no pair."""
    rows = {"total": ["a", "b"], "b": ["x", "y"]}
    made = marginals(
        rows, rows, [("total", "b"), "b"], rho=1e4, consistent=True, strategy="residuals"
    )
    assert made["b"].round().tolist() == [1, 1]
    names = {"a": [0, 1], "b": [0, 1], "a, b": [0, 1]}
    made = marginals(names, names, [("a", "b"), ("a", "a, b")], rho=1e4, consistent=True)
    assert made["a", "b"].round().tolist() == [[1, 0], [0, 1]]
