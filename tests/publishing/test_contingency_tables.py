"""publishing/_contingency_tables.py: what holds exactly, and what is charged and read when."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from publishing.tables import DOMAINS, PEOPLE, TABLES, disagreements, exact_table, publish

import cydp
from cydp.accounting import UnitMismatchError
from cydp.publishing import ContingencyTables, contingency_tables
from cydp.publishing import _contingency_tables as module
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


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), 1])
@pytest.mark.parametrize("name", ACYCLIC)
def test_tables_agree_as_integers(name: str, epsilon: Any) -> None:
    for seed in range(3):
        assert not list(disagreements(publish(ACYCLIC[name], seed, epsilon=epsilon)))


def test_tables_that_are_projected_by_themselves_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def alone(real: Any, columns: Any, shared: Any, given: Any) -> Any:
        return module.project_slices(real.reshape(1, -1), given.sum(keepdims=True).ravel()).reshape(
            real.shape
        )

    monkeypatch.setattr(module, "_within", alone)
    assert "disagree" in " ".join(disagreements(publish()))


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
    with pytest.raises(ValueError, match="must not overlap in a cycle"):
        publish(CYCLE)
    published = publish(CYCLE, consistent=False, epsilon=1)
    assert not published.consistent
    assert np.array_equal(published["sex", "age"].counts, published["sex", "age"].noisy)
    assert "overlap in a cycle" in repr(published)
    assert 900 < published.total < 1100
    with pytest.raises(TypeError, match="estimate_with_mbi"):
        published.sample()


class Unread:
    """A column that must not be read."""

    dtype = np.dtype(np.int64)
    shape = (3,)
    ndim = 1

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("it was read")

    def __len__(self) -> int:
        return 3


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"domains": [0, 1]}, "domains must be a dict"),
    ({"domains": {}}, "domains must name a column"),
    ({"domains": {"a": [0, 0]}}, "the domain of a: keys must be distinct"),
    ({"domains": {"a": [None, 0]}}, "the domain of a"),
    ({"domains": {"a": (0, (0, 1))}}, "the domain of a: bins must be from 1"),
    ({"domains": {"a": (2, None)}}, "the domain of a: range"),
    ({"domains": {"a": (1, 2, 3)}}, "the domain of a must be a list of labels, or a tuple"),
    ({"domains": {"a": ([0, 1], (0, 1))}}, "range must be None if bins are edges"),
    ({"domains": {"a": ("f", "m")}}, "the domain of a .* a tuple of labels is neither"),
    ({"domains": {"a": (0, 1)}}, "the domain of a .* a tuple of labels is neither"),
    ({"domains": {"a": [0, 1], 1: [0], "1": [0]}}, "names that differ"),
    ({"domains": {"c": [0, 1]}, "tables": ["c"]}, "domains must be a column of table"),
    ({"tables": []}, "tables must be a list"),
    ({"tables": "a"}, "tables must be a list"),
    ({"tables": ["b"]}, "tables must have columns of domains, not 'b'"),
    ({"tables": [()]}, "at least one column"),
    ({"tables": [("a", "a")]}, "none twice"),
    ({"tables": ["a", ("a",)]}, "is there twice"),
    ({"domains": {"a": [0], "b": [0]}}, "b is in none of them"),
    ({"domains": {"a": (2**16, (0, 1)), "b": (2**15, (0, 1))}, "tables": [("a", "b")]},
     "at most 2..30 cells"),
    ({"domains": {name: [0, 1] for name in "abcdefghijklm"}, "consistent": False,
      "tables": list(combinations("abcdefghijklm", 12))}, "share at most 2..12 sets"),
    ({"total": -1}, "total must be from 0"),
    ({"total": 2.5}, "total must be an integer"),
    ({"total": True}, "total must be an integer"),
    ({"consistent": 1}, "consistent must be True or False"),
    ({"epsilon": 0}, "epsilon"),
    ({"split": {"b": 1}}, "split must have weights"),
    ({"split": [1]}, "split must be a dict"),
    ({"max_rows": 1}, "give user="),
    ({"user": "a"}, "max_rows must be given with user="),
    ({"relation": "both"}, "relation"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_arguments_are_refused_before_anything_is_charged_or_read(
    given: dict[str, Any], message: str
) -> None:
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    right: Any = {"domains": {"a": [0, 1]}, "tables": ["a"], "epsilon": 1, "budget": budget}
    data = {"a": Unread(), "b": Unread()}
    with pytest.raises((TypeError, ValueError), match=message):
        contingency_tables(data, **right | given)
    assert budget.spent.epsilon == 0
    with pytest.raises(AssertionError, match="it was read"):
        contingency_tables(data, **right)
    assert budget.spent.epsilon == 1
    with pytest.raises(cydp.BudgetExceededError):
        contingency_tables(data, **right)


def test_it_is_shown_and_exported() -> None:
    published = publish(["sex", ("sex", "age")])
    frame = published.to_pandas()
    assert list(frame) == ["table", "sex", "age", "count"]
    assert len(frame) == 2 + 20
    assert frame["count"].sum() == 2 * published.total
    table = published["sex", "age"]
    assert list(table.to_pandas()) == ["sex", "age_left", "age_right", "count"]
    assert table.to_dict()["columns"]["count"]["values"] == table.counts.tolist()
    assert "epsilon=1, relation='add-remove'" in repr(table)
    assert table.loss == published.loss == cydp.PureDP(1, relation="add-remove")
    lower, upper = table.interval("0.999999999", count=20)
    assert ((lower <= exact_table(("sex", "age"))) & (exact_table(("sex", "age")) <= upper)).all()
    assert (upper - lower).max() == 2 * published.error_bound("0.999999999", count=20)["sex, age"]
    assert published.interval()[0]["sex"].tolist() == published["sex"].interval()[0].tolist()
    assert np.asarray(table).sum() == published.total
    with pytest.raises(KeyError, match="the tables are sex; sex, age, not age"):
        published["age"]


def test_domains_may_be_any_labels() -> None:
    data = {"day": np.array(["2026-01-01", "2026-01-02"], "M8[D]"), "on": [True, False]}
    domains = {"day": np.array(["2026-01-02", "2026-01-03"], "M8[D]"), "on": [False, True]}
    found = contingency_tables(data, domains, [("on", "day")], epsilon=5000)
    assert found["on", "day"].counts.tolist() == [[1, 0], [0, 0]]
    assert DOMAINS["educ"] == publish(["educ"])["educ"].keys["educ"].tolist()
