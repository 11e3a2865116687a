"""publishing/_contingency_tables.py: what holds exactly, and what is charged and read when."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from publishing.tables import DOMAINS, PEOPLE, TABLES, disagreements, exact_table, publish

import cydp
from cydp.accounting import UnitMismatchError
from cydp.publishing import ContingencyTables, contingency_tables
from cydp.testing import SeededGenerator

ACYCLIC: dict[str, Any] = {
    "one": [("sex", "age")],
    "single columns": ["sex", "age", "race"],
    "chain": TABLES,
    "chain, in another order": [TABLES[2], TABLES[0], TABLES[3], TABLES[1]],
    "star": [("race", "sex"), ("married", "race"), ("age", "race")],
    "nested": [("age", "sex", "race"), "sex", ("race", "sex")],
    "pairs with three": [("sex", "race"), ("race", "married"), ("married", "sex"),
                         ("race", "sex", "married")],
    "two parts": [("sex", "age"), ("race", "married"), ("married", "educ")],
}  # fmt: skip
CYCLE = [("sex", "age"), ("age", "married"), ("married", "sex")]


def test_tables_agree_as_integers() -> None:
    for name, tables in ACYCLIC.items():
        for seed, epsilon in enumerate((Fraction(1, 1000), Fraction(1, 20), 1)):
            published = publish(tables, seed, epsilon=epsilon)
            assert list(disagreements(published)) == [], (name, epsilon)


def test_without_noise_tables_are_the_exact_ones() -> None:
    published = publish(epsilon=5000)
    assert published.total == len(PEOPLE)
    for columns in TABLES:
        assert np.array_equal(published[columns].counts, exact_table(columns))
        assert np.array_equal(published[columns].noisy, exact_table(columns))
    assert not np.array_equal(publish()["sex", "age"].noisy, exact_table(("sex", "age")))


def test_a_row_outside_of_a_domain_is_in_no_table() -> None:
    data = {"a": [0, 1, 9, 1], "b": ["x", None, "x", "y"], "n": [0.5, 0.5, 0.5, np.nan]}
    domains: Any = {"a": [0, 1], "b": ["x", "y"], "n": ([0, 1, 2], None)}
    found = contingency_tables(data, domains, ["a", ("n", "b")], epsilon=5000)
    assert found["a"].counts.tolist() == [1, 0]
    assert found["n", "b"].counts.tolist() == [[1, 0], [0, 0]]
    assert found["n", "b"].keys["b"].tolist() == ["x", "y"]
    assert found["n", "b"].edges["n"].tolist() == [0, 1, 2]


def test_the_total_is_the_one_that_is_given() -> None:
    assert publish(total=1234, rho=1, relation="change-one").total == 1234
    assert not list(disagreements(publish(total=0, epsilon=1), 0))
    given = publish(total=1000, epsilon=1)
    assert given.noisy_total is None
    assert "total" not in given.query.parts
    assert publish(TABLES, 1).noisy_total != 1000
    count = cydp.count(PEOPLE, epsilon=1)
    assert publish(total=count, epsilon=1).total == count.value
    counts = [cydp.count([], epsilon="1/100", rng=SeededGenerator(seed)) for seed in range(9)]
    below = min(counts, key=lambda each: each.value)
    assert below.value < 0
    assert publish(total=below, epsilon=1).total == 0


def test_a_total_below_zero_counts_as_zero() -> None:
    empty = {name: np.zeros(0) for name in ("a", "b")}
    domains = {"a": [0, 1], "b": [0, 1]}
    found = [
        contingency_tables(
            empty, domains, ["a", ("a", "b")], epsilon="1/10", rng=SeededGenerator(seed)
        )
        for seed in range(8)
    ]
    below = [each for each in found if each.estimated_total < -0.5]
    assert 0 < len(below) < 8
    for each in found:
        assert not list(disagreements(each))
        assert ("the total is below 0, and counts as 0" in each.notes) == (each in below)


def test_the_result_depends_on_what_was_released_alone() -> None:
    """It is the same when it is made again from noisy counts, with no data in sight."""
    published = publish()
    again: ContingencyTables = pickle.loads(pickle.dumps(published))
    assert again == published
    assert hash(again) == hash(published)
    for name, table in published.tables.items():
        assert np.array_equal(again.tables[name].counts, table.counts)
    assert again.to_json() == published.to_json()
    other = pickle.loads(pickle.dumps(publish(seed=2)))
    assert other != published
    with pytest.raises(ValueError, match="read-only"):
        published["sex", "age"].counts[0, 0] = 1


def test_a_ledger_pays_once_and_records(tmp_path: Path) -> None:
    ledger = cydp.BudgetLedger.create(tmp_path / "x", cydp.PureDP(1), privacy_unit="row")
    given: Any = {"epsilon": 1, "budget": ledger.scope(charge_id="once")}
    domains = {"sex": [0, 1], "age": (5, (0, 100))}
    first, second = (
        contingency_tables(PEOPLE, domains, ["sex", ("sex", "age")], **given) for _ in range(2)
    )
    assert first == second
    assert ledger.spent.epsilon == 1
    assert first.payment is not None
    domains["age"] = (5, (0, 101))  # as many bins, other ones
    with pytest.raises(cydp.PrivacyError):
        contingency_tables(PEOPLE, domains, ["sex", ("sex", "age")], **given)
    assert {part["name"] for part in first.certificate()["parts"]} == {"sex", "sex, age", "total"}
    other = cydp.BudgetLedger.create(tmp_path / "y", cydp.PureDP(9), privacy_unit="person")
    with pytest.raises(UnitMismatchError):
        contingency_tables(PEOPLE, domains, ["sex", "age"], epsilon=1, budget=other)


def test_privacy_is_split_by_weights() -> None:
    published = publish(["sex", ("sex", "age")], epsilon=5, split={("sex", "age"): 3, "total": 1})
    shares = {name: part.share for name, part in published.query.parts.items()}
    assert shares == {
        "sex": Fraction(1, 5), "sex, age": Fraction(3, 5), "total": Fraction(1, 5)
    }  # fmt: skip
    assert publish(["sex", "race"]).query.parts["total"].share == Fraction(1, 21)


def test_tables_in_a_cycle_are_refused_or_left_noisy() -> None:
    with pytest.raises(ValueError, match="cycle"):
        publish(CYCLE)
    published = publish(CYCLE, consistent=False, epsilon=1)
    assert not published.consistent
    assert np.array_equal(published["sex", "age"].counts, published["sex", "age"].noisy)
    assert "overlap in a cycle" in repr(published)
    assert 900 < published.total < 1100
    with pytest.raises(TypeError, match="estimate_with_mbi"):
        published.sample()


def test_it_is_shown_and_exported() -> None:
    published = publish(["sex", ("sex", "age")])
    frame = published.to_pandas()
    assert list(frame) == ["table", "sex", "age", "count", "count_lower", "count_upper"]
    assert len(frame) == 2 + 20
    assert frame["count"].sum() == 2 * published.total
    table = published["sex", "age"]
    assert list(table.to_pandas(confidence=None)) == ["sex", "age_left", "age_right", "count"]
    assert table.to_dict()["columns"]["count"]["values"] == table.counts.tolist()
    assert "epsilon=1, relation='add-remove'" in repr(table)
    assert table.loss == published.loss == cydp.PureDP(1, relation="add-remove")
    lower, upper = table.interval("0.999999999", count=20)
    assert ((lower <= exact_table(("sex", "age"))) & (exact_table(("sex", "age")) <= upper)).all()
    assert (upper - lower).max() == 2 * published.error_bound("0.999999999", count=20)["sex, age"]
    assert published.interval()[0]["sex"].tolist() == published["sex"].interval()[0].tolist()
    assert np.asarray(table).sum() == published.total
    noisy = publish(["sex", ("sex", "age")], epsilon="1/20")["sex", "age"]
    assert not np.array_equal(noisy.noisy, noisy.counts)
    bound = noisy.release.error_bound("0.9")["sex, age"]
    for end, sign in zip(noisy.interval("0.9"), (-1, 1), strict=True):  # around the noisy counts
        assert np.array_equal(end, np.maximum(noisy.noisy + sign * bound, 0))


def test_domains_may_be_any_labels() -> None:
    data = {"day": np.array(["2026-01-01", "2026-01-02"], "M8[D]"), "on": [True, False]}
    domains = {"day": np.array(["2026-01-02", "2026-01-03"], "M8[D]"), "on": [False, True]}
    found = contingency_tables(data, domains, [("on", "day")], epsilon=5000)
    assert found["on", "day"].counts.tolist() == [[1, 0], [0, 0]]
    assert DOMAINS["educ"] == publish(["educ"])["educ"].keys["educ"].tolist()
