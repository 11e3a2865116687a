"""workloads/_marginals.py: tables, their least squares, errors, and neighbours."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from cydp import PrivacyFilter, PureDP, explain
from cydp.accounting import BudgetExceededError
from cydp.publishing import contingency_tables
from cydp.testing import SeededGenerator
from cydp.workloads import MarginalsRelease, marginals
from cydp.workloads._consistency import agree, effect_weights

PEOPLE = {
    "sex": ["f", "m", "m", None, "f", "x"],
    "age": np.array([31, 64, 12, 12, np.nan, 3]),
    "city": [1, 2, 1, 1, 2, 2],
}
DOMAINS = {"sex": ["f", "m"], "age": (4, (0, 100)), "city": [1, 2, 3]}
SETS = ["sex", ("age", "sex"), ("city", "age"), ()]


def released(**given: Any) -> MarginalsRelease:
    given = {"epsilon": 10**5, "strategy": "tables", "rng": SeededGenerator(1)} | given
    return marginals(PEOPLE, DOMAINS, SETS, **given)


def test_notes_say_which_rows_are_in_no_table() -> None:
    """They are those of the parameters, whatever the rows are."""
    every = (
        "a row counts in all tables or in none: each of sex, age, city must be in its domain, and"
    )
    notes = explain(marginals, DOMAINS, SETS, epsilon=1).notes
    assert [note for note in notes if "row counts" in note] == [every + " not missing"]
    assert every in " ".join(str(released()).split())
    assert explain(marginals, DOMAINS, ["sex"], epsilon=1).notes == ()


@pytest.mark.parametrize(("labels", "is_told"), [
    ([0, 50_000, 1_000_000], True), ([0, 0.5, 1], True), (np.array([0, 5, 10]), True),
    ([1, 2, 3], False), (range(3), False), ([0, 1], False), ([3, 1, 2], False),
    (["0", "5", "9"], False), (([0, 50_000, 1_000_000], None), False), ([False, True], False),
    (np.array([0, 5, 10], "M8[ns]"), False),
])  # fmt: skip
def test_labels_that_may_be_meant_as_edges_have_a_note(labels: Any, is_told: bool) -> None:
    notes = explain(marginals, {"income": labels}, ["income"], epsilon=1).notes
    assert ["edges are given as a tuple" in note for note in notes] == [True] * is_told


@pytest.mark.parametrize("labels", [[0, 10, np.inf], [-np.inf, 0.0, 10.0]])
def test_infinite_labels_are_edges(labels: list[float]) -> None:
    budget = PrivacyFilter(PureDP(1))
    for call in (marginals, contingency_tables):
        with pytest.raises(ValueError, match="the domain of age must have finite labels: a list"):
            call(PEOPLE, {"age": labels}, ["age"], epsilon=1, budget=budget)  # type: ignore[operator]
    assert budget.spent == PureDP(0)


@pytest.mark.parametrize("consistent", [False, True])
def test_the_answers(consistent: bool) -> None:
    """Rows outside of one domain count in no table."""
    release = released(consistent=consistent)
    assert np.allclose(release["sex"], [1, 2], atol=1e-2)
    assert np.allclose(release["age", "sex"], [[0, 1], [1, 0], [0, 1], [0, 0]], atol=1e-2)
    assert np.allclose(release["city, age"], [[1, 1, 0, 0], [0, 0, 1, 0], [0] * 4], atol=1e-2)
    assert release[()] == release["total"] == pytest.approx(3, abs=1e-2)
    assert release.domain("age").tolist() == [0, 25, 50, 75, 100]
    assert release.names == ["sex", "age, sex", "city, age", "total"]
    lower, upper = release.interval()
    assert all(np.all(lower[name] <= release[name]) for name in release.names)
    assert all(np.all(upper[name] >= release[name]) for name in release.names)
    totals = release[()], lower["total"], upper["total"]
    assert {type(each) for each in totals} == {float if consistent else int}


def test_one_charge_covers_all_tables() -> None:
    plan = explain(marginals, DOMAINS, SETS, epsilon=1, split={"sex": 2}).query
    budget = PrivacyFilter(plan.loss)
    release = marginals(PEOPLE, DOMAINS, SETS, epsilon=1, split={"sex": 2}, budget=budget)
    assert release.query == plan
    assert [str(part.mechanism.epsilon) for part in plan.parts.values()] == ["2/5", *["1/5"] * 3]
    assert plan.loss == PureDP(1, relation="add-remove")
    with pytest.raises(BudgetExceededError):
        marginals(PEOPLE, DOMAINS, SETS, epsilon=1, budget=budget)


SIZES = {"a": 3, "b": 4, "c": 2, "d": 3}
OVERLAPPING = [("a", "b"), ("c", "b"), ("a", "c", "d"), ("d",), ("b", "a", "c")]
VARIANCES = [1.0, 2.0, 0.5, 3.0, 1.7]
TABLES = [
    np.random.default_rng(3).integers(0, 40, [SIZES[column] for column in columns])
    for columns in OVERLAPPING
]


def weighted_rows() -> NDArray[np.float64]:
    """What all cells of all tables count, by their precision, in cells of all columns."""
    full = list(SIZES.values())
    places = np.indices(full).reshape(len(full), -1)
    rows = []
    for columns, table, variance in zip(OVERLAPPING, TABLES, VARIANCES, strict=True):
        at = [places["abcd".index(column)] for column in columns]
        counted = np.zeros((table.size, places.shape[1]))
        counted[np.ravel_multi_index(at, table.shape), np.arange(places.shape[1])] = 1
        rows.append(counted / np.sqrt(variance))
    return np.concatenate(rows)


def are_least_squares() -> bool:
    rows, scales = weighted_rows(), np.repeat(np.sqrt(VARIANCES), [each.size for each in TABLES])
    noisy = np.concatenate([table.reshape(-1) for table in TABLES]) / scales
    fitted = rows @ np.linalg.lstsq(rows, noisy, rcond=None)[0] * scales
    found = agree(TABLES, OVERLAPPING, VARIANCES)
    return np.allclose(np.concatenate([each.reshape(-1) for each in found]), fitted)


def test_consistent_tables_are_the_weighted_least_squares() -> None:
    assert are_least_squares()


def test_variances_are_those_of_the_projection() -> None:
    rows, sizes = weighted_rows(), [each.size for each in TABLES]
    projection = rows @ np.linalg.pinv(rows.T @ rows) @ rows.T
    exact = np.split(np.diag(projection) * np.repeat(VARIANCES, sizes), np.cumsum(sizes)[:-1])
    for variances, squares in zip(
        exact, effect_weights(OVERLAPPING, SIZES, VARIANCES), strict=True
    ):
        assert np.allclose(variances, np.dot(squares, VARIANCES))


def test_a_plan_knows_both_errors() -> None:
    noisy = explain(marginals, DOMAINS, SETS, rho=1, strategy="tables").query
    fitted = explain(marginals, DOMAINS, SETS, rho=1, consistent=True).query
    assert set(noisy.expected_error.values()) == {noisy.parts["sex"].variance ** 0.5}
    assert all(fitted.expected_error[n] < noisy.expected_error[n] for n in noisy.names)


def test_neighbours() -> None:
    """Rows of a unit that lie in one cell, and others in another one, reach the sensitivity."""
    units: list[tuple[dict[str, Any], int, int]] = [
        ({}, 1, 1), ({"relation": "change-one"}, 2, 2),
        ({"relation": "add-remove-or-change"}, 2, 2), ({"max_rows_per_unit": 3}, 3, 9),
        ({"user": "u", "max_rows": 3, "relation": "change-one"}, 6, 18),
    ]  # fmt: skip
    for unit, l1, square in units:
        plan = explain(marginals, DOMAINS, SETS, epsilon=1, strategy="tables", **unit).query
        for name, part in plan.parts.items():
            if name == "total":  # which a row changes that comes, goes or ceases to count
                rows = unit.get("max_rows", unit.get("max_rows_per_unit", 1))
                assert part.change.l1 == part.change.l2 == rows
                continue
            assert part.change.l1 == l1, unit
            assert float(part.change.l2) == pytest.approx(square**0.5, rel=1e-5)


def test_a_total_and_tables_do_not_change_to_the_full_together() -> None:
    """A row that moves changes two cells of each table, and one that goes one and the total."""
    for relation, split, epsilon, rho in (
        ("add-remove", None, 1, 1), ("change-one", None, Fraction(3, 4), Fraction(3, 4)),
        ("change-one", {"total": 5}, Fraction(13, 16), Fraction(13, 16)),
    ):  # fmt: skip
        plan = explain(
            marginals, DOMAINS, SETS, epsilon=1, strategy="tables", relation=relation, split=split
        ).query
        assert plan.joint == (epsilon, rho), relation


def test_users_are_bounded() -> None:
    table = {"x": ["a"] * 50, "who": [1] * 50}
    release = marginals(
        table, {"x": ["a", "b"]}, ["x"], user="who", max_rows=3, epsilon=10**6,
        rng=SeededGenerator(1),
    )  # fmt: skip
    assert release["x"].tolist() == [3, 0]


def test_the_order_of_rows_changes_nothing() -> None:
    """With `max_rows` a user's rows are chosen by their places in all tables."""
    rng = np.random.default_rng(6)
    x, y, who = (rng.integers(0, 5, 60) for _ in range(3))

    def tables(order: NDArray[np.intp]) -> list[int]:
        table = {"x": x[order], "y": y[order], "who": who[order]}
        release = marginals(
            table, {"x": range(5), "y": range(5)}, ["x", "y", ("x", "y")], user="who", max_rows=3,
            epsilon=10**6, rng=SeededGenerator(1),
        )  # fmt: skip
        return release["x", "y"].ravel().tolist()  # type: ignore[no-any-return]

    assert all(tables(rng.permutation(60)) == tables(np.arange(60)) for _ in range(5))


def test_a_relation_is_read_in_pieces() -> None:
    relation = duckdb.sql("select range as n, 'x' as a from range(5000)")
    release = marginals(
        relation, {"a": ["x", "y"], "n": (2, (0, 5000))}, ["a", ("a", "n")], epsilon=10**6,
        rng=SeededGenerator(1),
    )  # fmt: skip
    assert release["a", "n"].tolist() == [[2500, 2500], [0, 0]]


def test_a_release_is_a_value() -> None:
    release = released(consistent=True)
    assert pickle.loads(pickle.dumps(release)) == release
    assert "[25, 50), f" in release.to_text()
    assert len(release.to_pandas()) == 2 + 8 + 12 + 1
    assert "sex" in release


def test_a_ledger_has_what_it_had_of_marginals() -> None:
    query = explain(marginals, DOMAINS, SETS, epsilon=1, consistent=True, strategy="tables").query
    ((_, parts),) = query.to_dict()["query"].values()
    assert set(parts) == {"privacy", "unit", "sets", "sizes", "weights", "consistent"}
    kept = ("columns", "where")  # what the dictionary has itself
    public = {name: each for name, each in query.reads._asdict().items() if name not in kept}
    assert query.from_dict(query.to_dict(), **public) == query
