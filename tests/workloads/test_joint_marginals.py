"""Marginals that are sums of the cells of all their columns: answers, privacy, errors, choice."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from workloads.test_marginals import DOMAINS, PEOPLE, SETS

import cydp
from cydp.accounting.ledger._serialize import deserialize, serialize
from cydp.testing import SeededGenerator
from cydp.workloads import MarginalsRelease, marginals

PAIRS = [*itertools.combinations("abcd", 2)]
SIZES = {"a": 2, "b": 2, "c": 6, "d": 16}
WIDE = {name: list(range(size)) for name, size in SIZES.items()}


def released(**given: Any) -> MarginalsRelease:
    given = {"strategy": "joint", "epsilon": 1, "rng": SeededGenerator(1)} | given
    return marginals(PEOPLE, DOMAINS, SETS, **given)


def planned(sets: Any = SETS, domains: Any = DOMAINS, **given: Any) -> Any:
    given = given if "rho" in given else {"epsilon": 1} | given
    return cydp.explain(marginals, domains, sets, **given).query


@pytest.mark.parametrize("consistent", [False, True])
def test_the_answers(consistent: bool) -> None:
    """Rows outside of one domain count in no table; counts are integers that agree."""
    release = released(epsilon=10**5, consistent=consistent)
    assert release["sex"].tolist() == [1, 2]
    assert release["age", "sex"].tolist() == [[0, 1], [1, 0], [0, 1], [0, 0]]
    assert release["city, age"].tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [0] * 4]
    assert release[()] == release["total"] == 3
    assert type(release[()]) is int
    noisy = released(epsilon=0.1, consistent=consistent)
    assert noisy["sex"].tolist() == noisy["age", "sex"].sum(0).tolist()
    assert noisy["city", "age"].sum(0).tolist() == noisy["age", "sex"].sum(1).tolist()
    assert noisy["sex"].sum() == noisy["total"]
    assert noisy["sex"].dtype == np.int64
    assert "sums of noisy counts in the cells of all columns together" in noisy.to_text()
    assert deserialize(serialize(noisy.query)) == noisy.query
    plan = cydp.explain(marginals, DOMAINS, SETS, epsilon=1, strategy="joint")
    assert "sums of noisy counts in the cells of all columns together" in str(plan)


def test_tables_are_sums_of_the_cells_that_were_released() -> None:
    """Nothing but one noisy count a cell is drawn: tables are functions of these."""
    release = released(epsilon=0.1)
    (cells,) = release.tables
    assert cells.shape == (2, 4, 3)
    assert (release["sex"] == cells.sum((1, 2))).all()
    assert (release["city", "age"] == cells.sum(0).T).all()


def test_a_record_changes_one_cell() -> None:
    units: list[tuple[dict[str, Any], int, int]] = [
        ({}, 1, 1), ({"relation": "change-one"}, 2, 2),
        ({"relation": "add-remove-or-change"}, 2, 2), ({"max_rows_per_unit": 3}, 3, 9),
        ({"user": "u", "max_rows": 3, "relation": "change-one"}, 6, 18),
    ]  # fmt: skip
    for unit, l1, square in units:
        query = planned(strategy="joint", **unit)
        (part,) = query.parts.values()
        assert query.joint == (1, 1)
        assert part.change.l1 == l1
        assert float(part.change.l2) == pytest.approx(square**0.5, rel=1e-5)


def test_variances_are_those_of_sums() -> None:
    for loss in ({"epsilon": 1}, {"rho": 0.5}):
        query = planned(PAIRS, WIDE, strategy="joint", **loss)
        (part,) = query.parts.values()
        for names in PAIRS:
            summed = math.prod(SIZES.values()) / math.prod(SIZES[name] for name in names)
            stated = query.variance[", ".join(names)]
            assert stated == pytest.approx(summed * part.noise.variance)


def test_errors_are_the_stated_ones() -> None:
    random, runs = SeededGenerator(7), 1000
    made = [released(rng=random) for _ in range(runs)]
    query, bound = made[0].query, made[0].error_bound(0.9)
    for name, true in (("sex", [1, 2]), ("total", 3)):
        off = np.array([release[name] for release in made]) - np.array(true)
        assert np.mean(off**2) == pytest.approx(query.variance[name], rel=0.25)
        missed = np.mean(np.abs(off) > bound[name])
        assert missed <= 0.1 + 5 * 0.0095  # five deviations
    assert {type(each) for each in bound.values()} == {int}
    whole = planned([("a", "b", "c", "d"), "a"], WIDE, strategy="joint")
    assert whole.answers()[0].error(0.95, 1, 0) == whole.parts["cells"].noise.error_bound(0.95)


def test_the_least_product_of_variances_is_taken() -> None:
    for loss in ({"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}):
        for consistent in (False, True):
            best = planned(PAIRS, WIDE, consistent=consistent, **loss)
            tables = planned(PAIRS, WIDE, consistent=consistent, strategy="tables", **loss)
            cells = np.array([math.prod(shape) for shape in best.shapes])
            one, two = (np.dot([*each.variance.values()], cells) for each in (best, tables))
            assert best.strategy == "joint"
            assert one < two / 1.5**2
    many = {"zip": list(range(1000)), "sex": ["f", "m"]}
    assert planned(["zip", ()], many).strategy == "tables"  # the total would be a sum of 1,000
    assert planned(["zip", ("zip", "sex")], many).strategy == "joint"
    assert planned(["zip"], many).strategy == "tables"
    assert planned(PAIRS, WIDE, split={"a, b": 2}).strategy == "tables"
    wide = {name: list(range(2**9)) for name in "abc"}
    assert planned(["a", "b", "c"], wide).strategy == "tables"
    assert planned(["zip", ("zip", "sex")], many, epsilon="1e-16").strategy == "tables"


def test_refusals() -> None:
    wide = {name: list(range(2**9)) for name in "abc"}
    for sets, domains, given, words in (
        (["a", "b", "c"], wide, {}, "all columns together have more than 2\\*\\*22 cells"),
        (PAIRS, WIDE, {"split": {"a, b": 2}}, "no table has noise of its own"),
        (PAIRS, WIDE, {"epsilon": "1e-16"}, "could leave int64"),
    ):
        with pytest.raises(ValueError, match=words):
            planned(sets, domains, strategy="joint", **given)
