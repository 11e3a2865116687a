"""releases/_unit.py: what arguments describe, which ledgers fit, and what the words say."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from releases.test_refusals import OF_ONE, RELEASES

import cydp
from cydp import BudgetLedger, PureDP
from cydp.accounting import UnitMismatchError
from cydp.releases._unit import Change, Unit, read_unit, user_key

USERS = {"user": ["ann", "ann", "bob"], "x": [1, 2, 3]}


def read(user: Any = None, unit: Any = None, **given: Any) -> Unit:
    return read_unit(given.pop("relation", "add-remove"), user, unit, **given)


# What arguments describe


UNITS: list[tuple[dict[str, Any], Unit]] = [
    ({}, Unit()),
    ({"relation": "change-one"}, Unit("change-one")),
    ({"user": "visitor", "max_rows": 3}, Unit(name="visitor", has_users=True, max_rows=3)),
    ({"user": True, "max_rows": 3}, Unit(name="user", has_users=True, max_rows=3)),
    (
        {"user": "id", "unit": "person", "max_rows": np.int64(2)},
        Unit(name="person", has_users=True, max_rows=2),
    ),
    (
        {"user": "id", "unit": ("household", "person"), "max_rows": 2},
        Unit(name="household", contains=("person",), has_users=True, max_rows=2),
    ),
    (
        {"user": "id", "unit": ["a", "b", "c"], "max_rows": 2**40},
        Unit(name="a", contains=("b", "c"), has_users=True, max_rows=2**40),
    ),
    (
        {"user": "id", "max_partitions": 4, "bounded": "partitions"},
        Unit(name="id", has_users=True, max_partitions=4, max_rows=1),
    ),
    (
        {"user": "id", "max_partitions": 4, "max_rows_per_partition": 5, "bounded": "partitions"},
        Unit(name="id", has_users=True, max_partitions=4, max_rows=5),
    ),
    ({"max_rows_per_unit": 7}, Unit(name="unit", max_rows=7, promised=True)),
    (
        {"max_rows_per_unit": 7, "unit": ("household", "person"), "bounded": "partitions"},
        Unit(name="household", contains=("person",), max_rows=7, promised=True),
    ),
]


def test_arguments_describe_a_unit() -> None:
    wrong = [(given, found) for given, expected in UNITS if (found := read(**given)) != expected]
    assert wrong == []
    assert [user_key(user) for user in (None, "id", [1, 2], USERS)] == [None, "id", True, True]
    release = cydp.count([1, 2, 3], user=["a", "a", "b"], max_rows=1, epsilon=1)
    assert release.query.unit.name == "user"


def test_rows_of_a_user_in_all_keys_together() -> None:
    """A user with 40 rows counts with three of those whose key is public."""
    table = {"u": [1] * 40 + [2], "k": ["z"] * 30 + ["a"] * 5 + ["b"] * 5 + ["b"], "x": [1] * 41}
    bounded: dict[str, Any] = {"user": "u", "max_rows": 3, "epsilon": 10**5}
    for seed in range(20):
        rng = cydp.testing.SeededGenerator(seed)
        made = cydp.group_by(table, "k", keys=["a", "b"], sums={"x": (0, 1)}, rng=rng, **bounded)
        assert made.counts.sum() == 4
        assert made["sum_x"].sum().round() == 4
    assert made.query.parts["n"].change.l1 == 3
    wrong = [{"max_partitions": 1}, {"max_rows_per_partition": 1}]
    for other in wrong:
        with pytest.raises(TypeError, match="max_rows bounds the rows of a user in all partitions"):
            cydp.value_counts(table, ["a"], column="k", **bounded, **other)
    with pytest.raises(TypeError, match="max_partitions or max_rows must be given with user="):
        cydp.value_counts(table, ["a"], column="k", user="u", epsilon=1)


# Ledgers


FITTING: list[tuple[str, dict[str, Any]]] = [
    ("row", {}),
    ("row", {"max_rows_per_unit": 2}),
    ("user", {"user": "user"}),
    ("person", {"user": "user", "unit": "person"}),
    ("person", {"user": "user", "unit": ("household", "person")}),
    ("household", {"user": "user", "unit": ("household", "person")}),
    ("person", {"max_rows_per_unit": 2}),
    ("person", {"max_rows_per_unit": 2, "unit": "person"}),
    ("person", {"max_rows_per_unit": 2, "unit": ("household", "person")}),
]


def released(name: str, given: dict[str, Any], budget: Any) -> Any:
    is_number = name in {function.__name__ for function in OF_ONE}
    limits = {"max_rows" if is_number else "max_partitions": 2} if "user" in given else {}
    return RELEASES[name](epsilon=1, budget=budget, **given, **limits)


def test_ledgers_of_the_unit_pay(tmp_path: Path) -> None:
    """tests/releases/test_refusals.py has those that do not."""
    for kept in {kept for kept, _ in FITTING}:
        with BudgetLedger.create(tmp_path / kept, PureDP(100), privacy_unit=kept) as ledger:
            spent = 0
            for name, (unit, given) in product(RELEASES, FITTING):
                if unit == kept:
                    released(name, given, ledger.scope() if spent % 2 else ledger)
                    spent += 1
            assert ledger.spent == PureDP(spent)


def test_a_budget_in_memory_has_the_unit_of_its_first_release() -> None:
    """tests/accounting/test_budget.py has those that it refuses."""
    for kept in {kept for kept, _ in FITTING}:
        budget = cydp.PrivacyFilter(PureDP(10), relation="add-remove")
        given_of_unit = [given for unit, given in FITTING if unit == kept]
        for given in given_of_unit:
            released("count", given, budget)
        assert budget.spent == PureDP(len(given_of_unit))


def test_a_column_called_row_is_no_row(tmp_path: Path) -> None:
    """A ledger of rows protects each row, and not whoever has several."""
    with (
        BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger,
        pytest.raises(UnitMismatchError),
    ):
        cydp.count({"row": [1, 1], "x": [1, 2]}, user="row", max_rows=1, epsilon=1, budget=ledger)


# Words


WORDS: list[tuple[Unit, str]] = [
    (
        Unit(),
        "whether one row is in the table or not. A person with several rows is protected less: "
        "pass their column as user=",
    ),
    (
        Unit("change-one"),
        "whether one row has these data or others. A person with several rows is protected less: "
        "pass their column as user=",
    ),
    (
        Unit(name="visitor", has_users=True, max_rows=1),
        "whether one visitor is in the table or not, whatever rows they have: of each visitor at "
        "most 1 row counts",
    ),
    (
        Unit("change-one", "visitor", has_users=True, max_partitions=2, max_rows=1000),
        "whether one visitor has these data or others, whatever rows they have: of each visitor "
        "at most 1,000 rows in each of 2 partitions count",
    ),
    (
        Unit(name="person", promised=True, max_rows=3),
        "whether one person is in the table or not, if none has more than 3 rows: that is the "
        "caller's promise about the table",
    ),
]


def test_words() -> None:
    assert [unit.words for unit, _ in WORDS] == [words for _, words in WORDS]


def test_a_release_says_what_it_protects() -> None:
    release = cydp.count(USERS, column="x", user="user", max_rows=2, epsilon=1)
    assert release.unit == release.query.unit.words
    assert release.metadata["unit"] == {
        "name": "user", "contains": [], "max_partitions": None, "max_rows": 2, "promised": False,
        "protects": release.unit,
    }  # fmt: skip
    promised = cydp.count([1], max_rows_per_unit=3, epsilon=1)
    assert promised.metadata["unit"]["promised"] is True


# Sensitivities


HOUSEHOLD = {"name": "household", "contains": ("person",)}
CHANGES: list[tuple[Unit, Change, Change]] = [  # of one answer, and of each partition: 5, 7
    (Unit(), Change(5, 5, 1, "add-remove"), Change(5, 5, 1, "add-remove")),
    (Unit("change-one"), Change(7, 7, 1, "change-one"), Change(10, 5 * sqrt(2), 2, "change-one")),
    (
        Unit(has_users=True, max_rows=3, max_partitions=4),
        Change(15, 15, 1, "add-remove"),
        Change(60, 30, 4, "add-remove"),
    ),
    (
        Unit("change-one", has_users=True, max_rows=3, max_partitions=4),
        Change(21, 21, 1, "change-one"),
        Change(120, 30 * sqrt(2), 8, "change-one"),
    ),
    (
        Unit(**HOUSEHOLD, has_users=True, max_rows=3, max_partitions=4),
        Change(21, 21, 1, "add-remove"),
        Change(120, 30 * sqrt(2), 8, "add-remove"),
    ),
    (
        Unit(promised=True, max_rows=3),
        Change(15, 15, 1, "add-remove"),
        Change(15, 15, 3, "add-remove"),
    ),
    (
        Unit(**HOUSEHOLD, promised=True, max_rows=3),
        Change(15, 15, 1, "add-remove"),
        Change(15, 15, 3, "add-remove"),
    ),
    (
        Unit("change-one", promised=True, max_rows=3),
        Change(21, 21, 1, "change-one"),
        Change(30, 15 * sqrt(2), 6, "change-one"),
    ),
]


def test_changes() -> None:
    for unit, one, each in CHANGES:
        assert unit.change_one_answer(5, 7) == one
        found = unit.change_each_partition(5, 7, None)
        assert (found.l1, found.coordinates, found.relation) == (
            each.l1, each.coordinates, each.relation,
        ), unit  # fmt: skip
        assert float(each.l2) * (1 - 1e-15) <= found.l2 <= float(each.l2) * (1 + 1e-5), unit


def in_partitions(most: int, width: int, cells: int, partitions: int) -> Iterator[list[int]]:
    """Yield by how much each partition changes, for all sets that a unit's rows are in."""
    sets = [set(each) for n in range(min(partitions, cells) + 1)
            for each in combinations(range(cells), n)]  # fmt: skip
    for before, after in product(sets, repeat=2):
        yield [width if i in before & after else most * (i in before ^ after)
               for i in range(cells)]  # fmt: skip


def test_few_partitions_change_no_more_than_they_are() -> None:
    """By all sets of partitions before and after, for a unit of up to three rows in each."""
    for cells, partitions, (most, width) in product(
        range(1, 6), range(1, 7), ((5, 7), (5, 10), (5, 5), (1, 1))
    ):
        changes = list(in_partitions(most, width, cells, partitions))
        coming = min(partitions, cells) * most
        for rows, relation in product((1, 3), ("add-remove", "change-one", "add-remove-or-change")):
            unit = Unit(relation, has_users=True, max_rows=rows, max_partitions=partitions)
            found = unit.change_each_partition(most, width, cells)
            l1, square = (max(sum(x**p for x in each) for each in changes) for p in (1, 2))
            reached = max(sum(x > 0 for x in each) for each in changes)
            if relation == "add-remove":
                l1, square, reached = coming, coming * most, min(partitions, cells)
            assert (found.l1, found.coordinates) == (rows * l1, reached)
            assert square * rows**2 <= found.l2**2 <= square * rows**2 * (1 + Fraction(1, 10**4))


def test_promised_rows_change_no_more_partitions_than_there_are() -> None:
    """Each row of a promise moves on its own, and with one partition only comes or goes."""
    unit = Unit("change-one", promised=True, max_rows=4)
    assert unit.change_each_partition(1, 1, 1) == Change(Fraction(4), Fraction(4), 1, "change-one")
    assert unit.change_each_partition(1, 1, 3).l1 == 8
    assert unit.change_each_partition(1, 1, 3).coordinates == 3


GIVEN: list[dict[str, Any]] = [
    {}, {"max_rows_per_unit": 4}, {"user": "u", "max_partitions": 3},
    {"user": "u", "unit": ("household", "person"), "max_partitions": 3},
]  # fmt: skip


def _each_partition(unit: Unit, most: int, width: int, *, cells: int | None) -> Change:
    return unit.change_each_partition(most, width, cells)


def test_either_change_is_the_larger_of_both() -> None:
    """In each norm, and in coordinates."""
    relations = ("add-remove", "change-one", "add-remove-or-change")
    sizes = ((5, 7), (5, 10), (5, 5), (60, 10))
    methods = (
        Unit.change_one_answer,
        *(partial(_each_partition, cells=cells) for cells in (None, 1, 4)),
    )
    for given, (most, width), method in product(GIVEN, sizes, methods):
        if width < most and "user" in given:
            continue  # only a row that is always there
        units = [read(bounded="partitions", relation=relation, **given) for relation in relations]
        comes, changes, either = (method(unit, most, width) for unit in units)
        assert either == Change(
            max(comes.l1, changes.l1), max(comes.l2, changes.l2),
            max(comes.coordinates, changes.coordinates), "add-remove-or-change",
        ), (given, most, width)  # fmt: skip


def test_a_change_within_a_partition_can_be_the_larger_one() -> None:
    unit = Unit("change-one", has_users=True, max_rows=3, max_partitions=4)
    assert unit.change_each_partition(5, 10, None) == Change(
        Fraction(120), Fraction(60), 8, "change-one"
    )  # fmt: skip


def test_nothing_that_changes_has_a_sensitivity_of_one_step() -> None:
    change = Unit().change_one_answer(0, 0)
    assert [change.sensitivity(norm) for norm in (1, 2)] == [1, 1]
