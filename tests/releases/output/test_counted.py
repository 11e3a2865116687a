"""releases/_format.py, counted: what counts are numbers of, in every output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import cydp
from cydp.publishing import contingency_tables
from cydp.releases._format import counted
from cydp.releases._unit import Unit
from cydp.workloads import marginals

TABLE = {"who": [7, 7, 7, 9], "day": [1, 1, 2, 1], "x": [1.0, 2.0, 3.0, 4.0]}
DOMAINS: Any = {"day": [1, 2, 3]}
ONE_ROW, ONE_DAY = {"max_rows": 1}, {"max_partitions": 2}

Call = tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]
# Each with a bound by which a user counts once in each number, and one by which they do not.
CALLS: dict[str, Call] = {
    "count": (lambda **more: cydp.count(TABLE, **more), ONE_ROW, {"max_rows": 2}),
    "histogram": (lambda **more: cydp.histogram(TABLE, 2, (0, 4), column="x", **more),
                  ONE_DAY, ONE_DAY | {"max_rows_per_partition": 2}),
    "histogramdd": (lambda **more: cydp.histogramdd(TABLE, 2, [(0, 4)], columns=["x"], **more),
                    ONE_DAY, ONE_DAY | {"max_rows_per_partition": 2}),
    "value_counts": (lambda **more: cydp.value_counts(TABLE, [1, 2], column="day", **more),
                     ONE_DAY, ONE_DAY | {"max_rows_per_partition": 3}),
    "group_by": (lambda **more: cydp.group_by(TABLE, ["day"], keys=[1, 2], **more),
                 {"max_partitions": 1}, ONE_DAY | {"max_rows_per_partition": 2}),
    "top_k": (lambda **more: cydp.top_k(TABLE, 1, [1, 2], column="day", **more),
              {"max_rows_per_partition": 1}, {"max_rows_per_partition": 2}),
    "marginals": (lambda **more: marginals(TABLE, DOMAINS, ["day"], **more),
                  ONE_ROW, {"max_rows": 2}),
    "contingency_tables": (
        lambda **more: contingency_tables(TABLE, DOMAINS, ["day"], **more)["day"],
        ONE_ROW, {"max_rows": 2}),
    "nonnegative": (
        lambda **more: cydp.histogram(TABLE, 2, (0, 4), column="x", **more).nonnegative(),
        ONE_DAY, ONE_DAY | {"max_rows_per_partition": 2}),
}  # fmt: skip


def unit_of(release: Any) -> str:
    """Return what the numbers count, by JSON, once all outputs have said the same."""
    (column,) = release._sheet(0.95, False).columns
    unit: str = column.bound_unit.partition(" ")[0] if column.unit == "rank" else column.unit
    (found,) = release.to_dict()["columns"].values()
    assert found["unit"] == column.unit
    if column.unit == "rank":
        assert found["error"]["unit"].startswith(unit)
        assert unit in repr(release)
        assert unit in release.to_html()
        return unit
    if not release._sheet(0.95, False).axes:
        size = int(release._sheet(0.95, False).columns[0].values)
        shown = unit.removesuffix("s") if size == 1 else unit  # as noise decides
        assert f": {size:,} {shown}" in repr(release)
        assert shown in release.to_html()
    ax = release.plot(Figure().subplots())
    assert f"({unit})" in ax.get_ylabel() + ax.get_xlabel()
    return unit


@pytest.mark.parametrize("name", CALLS)
def test_users_are_counted_where_each_counts_once(name: str) -> None:
    call, once, often = CALLS[name]
    user: Any = {"epsilon": "1/100", "user": "who", "unit": "visitor"}
    assert unit_of(call(**user, **once)) == "visitors"
    assert unit_of(call(**user, **often)) == "rows"
    assert unit_of(call(epsilon=1)) == "rows"
    assert unit_of(call(epsilon=1, max_rows_per_unit=1, unit=None)) == "rows"
    house = {**user, "unit": ("household", "visitor")}
    assert unit_of(call(**house, **once)) == "households"


def test_a_median_and_a_sum_count_nothing() -> None:
    for release in (
        cydp.sum(TABLE, (0, 4), column="x", user="who", max_rows=1, epsilon=1),
        cydp.median(TABLE, (0, 4), column="x", user="who", max_rows=1, epsilon=1),
    ):
        assert [each["unit"] for each in release.to_dict()["columns"].values()] == [None]


def test_the_plural_is_plain() -> None:
    for one, several in {
        "visitor": "visitors", "company": "companies", "day": "days", "box": "boxes",
        "bus": "buses", "branch": "branches", "y": "ys",
    }.items():  # fmt: skip
        assert counted(Unit(name=one, has_users=True)) == (one, several)
    assert counted(Unit(name="unit", promised=True)) == ("row", "rows")
    assert counted(Unit(name="visitor", has_users=True, max_rows=2)) == ("row", "rows")


def test_one_is_said_in_the_singular() -> None:
    given: Any = {"user": [7, 7], "max_rows": 1, "unit": "company", "epsilon": 1000}
    assert repr(cydp.count([1, 2], **given)).startswith("count: 1 company; ")
    given["user"] = [7, 8]
    assert repr(cydp.count([1, 2], **given)).startswith("count: 2 companies; ")
    assert repr(cydp.count([1], epsilon=1000)).startswith("count: 1 row; ")


def test_explain_says_it_too() -> None:
    plan = cydp.explain(
        cydp.value_counts, 3, user="who", unit="visitor", max_partitions=2, epsilon=1
    )
    assert "error of n: within 6 visitors, with" in repr(plan)
    often = cydp.explain(
        cydp.value_counts, 3, user="who", unit="visitor", max_partitions=2,
        max_rows_per_partition=2, epsilon=1,
    )  # fmt: skip
    assert "error of n: within 12 rows, with" in repr(often)


def test_a_name_that_is_no_word_stays() -> None:
    """And in the words of a ledger the unit has the plural, not the block."""
    words = {
        "user_id": "3 values of 'user_id'", "VisitorId": "3 values of 'VisitorId'",
        "Visitor": "3 Visitors", "bank account": "3 bank accounts",
        "user in one block": "3 users in one block",
        "u1 in one block": "3 values of 'u1' in one block",
    }  # fmt: skip
    for name, counts in words.items():
        release = cydp.count([1, 2, 3], user=[5, 6, 7], unit=name, max_rows=1, epsilon=1000)
        assert str(release).startswith(f"count: {counts}; epsilon=1000,")
    one = cydp.count([1], user=[5], unit="u1", max_rows=1, epsilon=1000)
    assert str(one).startswith("count: 1 value of 'u1';")


def test_a_promise_for_any_unit_is_said_of_the_unit_of_the_ledger(tmp_path: Path) -> None:
    with cydp.BudgetLedger.create(
        tmp_path / "l.db", cydp.PureDP(9), privacy_unit="visitor", by_block=True
    ) as ledger:
        ledger.add_blocks(["mon"])
        budget = ledger.scope(blocks=["mon"], table_in_blocks=True)
        release = cydp.count([1], max_rows_per_unit=2, epsilon=1, budget=budget)
    said = "whether one visitor in one block is in the table or not, if none has more than 2 rows"
    assert release.unit.startswith(said)
    assert release.to_dict()["protects"] == release.unit
    assert str(release).count("visitor in one block") == 1
    assert "whether one unit is" in cydp.count([1], max_rows_per_unit=2, epsilon=1).unit


def test_a_name_is_no_formula_of_a_plot() -> None:
    release = cydp.count([1, 2], user=[7, 7], unit="$v", max_rows=1, epsilon=1)
    assert r"(values of '\$v')" in release.plot(Figure().subplots()).get_xlabel()
