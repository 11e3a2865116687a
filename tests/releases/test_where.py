"""`where`, and ledgers that know the column of their blocks: which rows a release reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP
from cydp.accounting import ChargeConflictError
from cydp.releases._query import Query
from cydp.releases._release import Release

ROWS = {
    "age": [12, 31, 64, None, 18, 40],
    "day": ["mon", "mon", "tue", "tue", "wed", None],
    "user": [1, 1, 2, 2, 3, 3],
}
EXACT: dict[str, Any] = {"epsilon": 10_000}


def counted(table: Any, **further: Any) -> int:
    return int(cydp.count(table, **further, **EXACT))


@pytest.fixture(params=["relation", "parquet", "csv", "csv.gz"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Return the rows as each kind of table that can be filtered."""
    frame = pl.DataFrame(ROWS)
    relation = duckdb.from_arrow(frame.to_arrow())
    if request.param == "relation":
        return relation
    file = tmp_path / f"t.{request.param}"
    relation.create_view("rows")
    duckdb.execute(f"COPY rows TO '{file}'")
    duckdb.execute("DROP VIEW rows")
    return file


def test_a_release_reads_the_rows_that_satisfy_a_condition(table: Any) -> None:
    adults = cydp.where(table, "age >= 18")
    assert counted(adults) == 4
    assert round(float(cydp.sum(adults, (0, 100), column="age", **EXACT))) == 31 + 64 + 18 + 40
    assert counted(adults, user="user", max_rows=1) == 3
    counts = cydp.group_by(adults, "day", keys=["mon", "tue", "wed"], **EXACT)
    assert counts["n"].tolist() == [1, 1, 1]
    again = cydp.where(adults, "day <> 'tue'")
    assert counted(again) == 2
    assert again.where is not None
    assert str(again.where) == "age >= 18 and day <> 'tue'"


def test_it_is_a_part_of_the_query(table: Any, tmp_path: Path) -> None:
    with BudgetLedger.create(tmp_path / "b.db", PureDP(9), privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="a")
        first = cydp.count(cydp.where(table, "age >= 18"), epsilon=1, budget=scope)
        assert cydp.count(cydp.where(table, "age>=18"), epsilon=1, budget=scope) == first
        for other in (table, cydp.where(table, "age >= 19")):
            with pytest.raises(ChargeConflictError, match="query"):
                cydp.count(other, epsilon=1, budget=scope)
        assert ledger.remaining == PureDP(8)
    assert "note: only rows where age >= 18" in str(first)
    assert "only rows where age >= 18" in first.to_json()
    assert first.certificate()["where"] == "age >= 18"
    kept = first.query.to_dict()
    assert Query.from_dict(kept).reads.where == "age >= 18"
    assert "where='age >= 18'" in repr(first.query)


def test_a_column_of_csv_is_times_where_bins_are(tmp_path: Path) -> None:
    """What is no date or time is missing; a condition and users do not change that."""
    rows = ["2024-01-01,a", "2024-01-02 10:00,a", "n/a,b", ",b", "2024-01-09,b", "5,c"]
    (tmp_path / "t.csv").write_text("\n".join(["day,user", *rows, ""]))
    weeks = {"bins": "1w", "range": ("2024-01-01", "2024-01-15"), "column": "day"}
    path = tmp_path / "t.csv"
    assert cydp.histogram(path, **weeks, **EXACT).counts.tolist() == [2, 1]
    late = cydp.where(path, "day >= date '2024-01-02'")
    assert cydp.histogram(late, **weeks, **EXACT).counts.tolist() == [1, 1]
    bounded = cydp.histogram(path, **weeks, user="user", max_partitions=1, **EXACT)
    assert bounded.counts.tolist() == [1, 1]
    zoned = weeks | {"range": ("2024-01-01[UTC]", "2024-01-15[UTC]")}
    assert cydp.histogram(path, **zoned, **EXACT).counts.tolist() == [0, 0]


def test_a_session_and_a_sample_take_it(table: Any) -> None:
    adults = cydp.where(table, "age >= 18")
    session = cydp.Session(adults, PrivacyFilter(PureDP(10**5)))
    answer = session.count(epsilon=10**4)
    assert (int(answer), answer.query.reads.where) == (4, "age >= 18")
    sample = cydp.sampling.on_sample(cydp.count, adults, share="1/2", epsilon=1)
    assert sample.query.asked.reads.where == "age >= 18"


@pytest.mark.parametrize(
    "given",
    [{"age": [1]}, np.zeros((3, 2)), pl.DataFrame(ROWS), pl.DataFrame(ROWS).lazy()],
    ids=["dict", "array", "frame", "lazy"],
)
def test_another_table_is_filtered_by_its_own_library(given: Any) -> None:
    with pytest.raises(TypeError, match="table must be a path of files or a relation of DuckDB"):
        cydp.where(given, "age >= 18")


def test_mistakes(table: Any) -> None:
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: cydp.where(table, "height > 1"), "'height'"),
        (lambda: cydp.where(table, "age >"), "condition must have a constant"),
        (lambda: cydp.where([1, 2], "age > 1"), "table must be"),
        (lambda: cydp.where("no.csv", "age > 1"), "no such file: 'no.csv'"),
        (
            lambda: cydp.count(cydp.where(table, "age > 1"), column=np.zeros(6), epsilon=1),
            "column must be the name of a column",
        ),
        (
            lambda: cydp.mean(
                cydp.where(table, "age > 1"), (0, 100), column="age", missing=5,
                relation="change-one", epsilon=1,
            ),
            "missing must be 'drop' for rows that satisfy a condition, under 'change-one'",
        ),
    ]  # fmt: skip
    for call, words in wrong:
        with pytest.raises((TypeError, ValueError), match=words):
            call()


@pytest.mark.parametrize("relation", ["add-remove", "change-one", "add-remove-or-change"])
def test_answers_of_neighbours_differ_by_the_sensitivity_at_most(relation: str) -> None:
    """By brute force: every row may satisfy the condition or not, and every table is tried."""
    rows = [(a, s) for a in (0, 50, 100, None) for s in ("x", "y")]
    bounds = (50, 100)

    def sums(missing: Any) -> tuple[int, int]:
        """Return how far sums of neighbours are apart, and the sensitivity."""
        found = {}
        for pair in [(), *((r,) for r in rows), *((r, q) for r in rows for q in rows)]:
            values = ", ".join(f"({'NULL' if a is None else a}, '{s}')" for a, s in pair)
            table = duckdb.sql(
                f"SELECT * FROM (VALUES {values}) t(a, s)" if pair else
                "SELECT 0 AS a, '' AS s WHERE false"
            )  # fmt: skip
            filtered = cydp.where(table, "s = 'x'")
            release = cydp.sum(filtered, bounds, column="a", missing=missing, relation=relation,
                               epsilon=10**6)  # fmt: skip
            found[pair] = round(float(release)), release
        (part,) = next(iter(found.values()))[1].query.parts.values()
        apart = [
            abs(found[t][0] - found[u][0]) for t in found for u in found if near(t, u, relation)
        ]
        return max(apart), round(float(part.change.l1 * part.step))

    assert sums("drop") == (100, 100)
    if relation == "change-one":
        with pytest.raises(ValueError, match="is not public"):
            sums(50)
    else:
        assert sums(50) == (100, 100)


def near(t: tuple[Any, ...], u: tuple[Any, ...], relation: str) -> bool:
    """Whether two tables of at most two rows are neighbours."""
    added = (len(t) + 1 == len(u) and (t == u[:1] or t == u[1:] or t == ())) and len(u) <= 2
    changed = len(t) == len(u) and sum(a != b for a, b in zip(t, u, strict=True)) == 1
    return (added and relation != "change-one") or (changed and relation != "add-remove")


@pytest.fixture
def days(tmp_path: Path) -> Any:
    with BudgetLedger.create(
        tmp_path / "days.db", PureDP(10**6), privacy_unit="row", by_block=True, block_column="day"
    ) as ledger:
        ledger.add_blocks(["mon", "tue", "wed"])
        yield ledger


def test_a_release_reads_the_rows_of_its_blocks(table: Any, days: BudgetLedger) -> None:
    for blocks, count in [(["mon"], 2), (["wed", "mon"], 3), (["mon", "tue", "wed"], 5)]:
        budget = days.scope(blocks=blocks)
        released = cydp.count(table, budget=budget, **EXACT)
        assert int(released) == count
        session = cydp.Session(table, budget)
        assert int(session.count(**EXACT)) == count
        named = ", ".join(f"'{block}'" for block in sorted(blocks))
        assert released.query.reads.where == f"day in blocks ({named})"
    adults = cydp.where(table, "age >= 18")
    assert counted(adults, budget=days.scope(blocks=["mon"])) == 1
    promised = days.scope(blocks=["mon"], table_in_blocks=True)
    assert counted(table, budget=promised) == 6


def test_a_table_whose_rows_cannot_be_chosen_is_refused(days: BudgetLedger) -> None:
    budget = days.scope(blocks=["mon"])
    before = days.head()
    for given in (pl.DataFrame(ROWS), pl.DataFrame(ROWS).lazy(), ROWS, [1, 2], np.zeros(3)):
        with pytest.raises(TypeError, match=r"must be a path of files or a relation of DuckDB"):
            cydp.count(given, epsilon=1, budget=budget)
    with pytest.raises(ValueError, match="must have the ledger's block column 'day'"):
        cydp.count(duckdb.sql("select 1 as age"), epsilon=1, budget=budget)
    assert days.head() == before
    promised = days.scope(blocks=["mon"], table_in_blocks=True)
    assert isinstance(cydp.count(pl.DataFrame(ROWS), epsilon=1, budget=promised), Release)


def test_mistakes_of_ledgers(tmp_path: Path, days: BudgetLedger) -> None:
    path = tmp_path / "other.db"
    with pytest.raises(ValueError, match="block_column must be left out for a ledger without bl"):
        BudgetLedger.create(path, PureDP(1), privacy_unit="row", block_column="day")
    with pytest.raises(TypeError, match="block_column must be"):
        BudgetLedger.create(
            path, PureDP(1), privacy_unit="row", by_block=True, block_column=3,  # type: ignore[arg-type]
        )  # fmt: skip
    with pytest.raises(ValueError, match="table_in_blocks must be left out without blocks"):
        days.scope(table_in_blocks=True)
    with pytest.raises(TypeError, match="table_in_blocks must be True or False, not int"):
        days.scope(blocks=["mon"], table_in_blocks=1)  # type: ignore[arg-type]


def test_a_ledger_keeps_the_column_of_its_blocks(tmp_path: Path, days: BudgetLedger) -> None:
    with BudgetLedger.open(tmp_path / "days.db") as opened:
        assert opened.block_column == "day"
        opened.verify()
    made = BudgetLedger.create(tmp_path / "old.db", PureDP(1), privacy_unit="row", by_block=True)
    with made as old:
        assert old.block_column is None
        assert "block_column" not in old.history()[0]
        old.add_block("mon")
        before = old.head()
        for table in ([1, 2], duckdb.sql("select 'mon' as day"), pl.DataFrame(ROWS).lazy()):
            for ask in (
                cydp.count,
                lambda *x, budget, **more: cydp.Session(*x, budget).count(**more),
            ):
                with pytest.raises(ValueError, match="must hold no rows of other blocks than"):
                    ask(table, epsilon=1, budget=old.scope(blocks=["mon"]))
        assert old.head() == before
        promised = old.scope(blocks=["mon"], table_in_blocks=True)
        assert cydp.count([1, 2], epsilon=1, budget=promised).query.reads.where is None
