"""Releases from a relation of DuckDB in pieces equal releases of the same rows in memory."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from releases.shapes import KNOWN, RELEASES, ROWS, SHAPES, UNKNOWN, Columns, outline, values_of

import cydp
from cydp._columns import shared
from cydp._columns.relations import SharedRelation
from cydp._columns.stored_tables import table_of_relation
from cydp._columns.table import Table
from cydp.testing import SeededGenerator

SEED = 7
BY_COLUMNS = {
    "count of n", "sum of n", "mean of n", "histogram", "histogram, columns",
    "value_counts of kind",
}  # fmt: skip
"""Of columns that are taken from a table before."""
OF_TABLES = sorted(RELEASES.keys() - BY_COLUMNS)
AT_ONCE = {
    name for name in KNOWN if name.startswith(("median", "quantile")) or name in (
        "group_by", "group_by n, user", "group_by, filled", "group_by two",
    )
} | set(UNKNOWN)  # fmt: skip
BOUNDED = {name for name in RELEASES if "user" in name or name == "histogram, columns"} | {
    "histogram, by two", "sum, filled", "value_counts of n", "contribution_bound",
    "contribution_bound, by", "count, left out", "value_counts, left out",
}  # fmt: skip


def chunked(columns: Columns, rows: int) -> duckdb.DuckDBPyRelation:
    """Return a relation with batches of a number of rows, and a relation without any."""
    table = SHAPES["pyarrow"](columns)
    parts = [table[first : first + rows] for first in range(0, table.num_rows, rows)]
    return duckdb.from_arrow(pa.concat_tables([table[:0], *parts, table[:0]]))


def repeatable(columns: Columns, rows: int = 2, **others: Any) -> Table:
    return table_of_relation(chunked(columns, rows), repeatable=True, **others)


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many pieces each relation was read in, since the test began."""
    read, counted = SharedRelation.pieces, list[int]()

    def count(self: SharedRelation, users: int | None = None) -> Iterator[None]:
        counted.append(0)
        for _ in read(self, users):
            counted[-1] += 1
            yield

    monkeypatch.setattr(SharedRelation, "pieces", count)
    return counted


def released(name: str, table: Any) -> tuple[dict[str, Any], bytes]:
    """Return what a seeded release shows, and the stream's next bytes: those after its draws."""
    generator = SeededGenerator(SEED)
    return values_of(RELEASES[name](table, rng=generator)), generator.bytes(16)


def test_a_release_in_pieces_is_that_of_the_rows_in_memory(
    pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = []
    for name, (batch_rows, piece_rows, least) in product(RELEASES, ((1, 1, 16), (3, 5, 3))):
        monkeypatch.setattr(shared, "_PIECE_ROWS", piece_rows)
        expected = released(name, ROWS)
        pieces.clear()
        is_same = released(name, chunked(ROWS, batch_rows)) == expected
        is_whole = name in AT_ONCE | BOUNDED or name == "count"
        in_pieces = not pieces if is_whole else len(pieces) == 1 and pieces[0] >= least
        if not is_same or not in_pieces:
            wrong.append((name, piece_rows, is_same, list(pieces)))
    assert wrong == []


def test_users_in_pieces_are_those_in_memory(
    pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's rows are sampled as from all rows at once, whatever piece the user is in."""
    wrong = []
    for name, (rows, least) in product(OF_TABLES, ((1, 16), (3, 6))):
        monkeypatch.setattr(shared, "_USER_ROWS", rows)
        expected = released(name, ROWS)
        pieces.clear()
        is_same = released(name, repeatable(ROWS)) == expected
        if not is_same or (name in BOUNDED - AT_ONCE and pieces != [least]):
            wrong.append((name, rows, is_same, list(pieces)))
    assert wrong == []


def test_nulls_and_no_rows_change_the_answer_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_PIECE_ROWS", 3)
    monkeypatch.setattr(shared, "_USER_ROWS", 3)
    others: list[Columns] = [
        {column: entries[:5] + [None] * 11 for column, entries in ROWS.items()},
        {column: [None] * 4 for column in ROWS},
        {column: [] for column in ROWS},
    ]
    wrong = []
    for place, name in enumerate(OF_TABLES):
        make = repeatable if place % 2 else lambda columns: chunked(columns, 2)
        expected, *seen = [
            outline(RELEASES[name](make(columns)), shapes=name in KNOWN)
            for columns in (ROWS, *others)
        ]
        wrong += [(name, i) for i, each in enumerate(seen) if each != expected]
    assert wrong == []


# Bounds of users

VISITS: Columns = {
    "who": [i % 40 for i in range(400)],
    "day": [i // 40 for i in range(400)],
    "x": [1.0] * 400,
}


def total(table: Any) -> tuple[int, int]:
    """Return how many rows count, and their sum, almost without noise."""
    release = cydp.group_by(
        table, "day", keys=list(range(10)), sums={"x": (0, 1)}, epsilon=10**6, user="who",
        max_partitions=3, rng=SeededGenerator(SEED),
    )  # fmt: skip
    return int(release["n"].sum()), round(release["sum_x"].sum())


def visits(**others: Any) -> Table:
    schema = pa.schema({"who": pa.int64(), "day": pa.int32(), "x": pa.float64()})
    return table_of_relation(
        duckdb.from_arrow(pa.table(VISITS, schema=schema)), repeatable=True, **others
    )


def test_no_user_counts_more_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 40 users has 10 days, and 3 of them count, if all are bounded together."""
    monkeypatch.setattr(shared, "_USER_ROWS", 60)
    assert total(visits()) == (120, 120)
    split = SharedRelation._by_users
    monkeypatch.setattr(SharedRelation, "_by_users", lambda self, label: split(self, "day"))
    assert total(visits())[0] > 120  # a user who is split over pieces


def test_bounds_that_do_not_bind_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_USER_ROWS", 60)
    release = cydp.group_by(
        visits(), "day", keys=list(range(10)), means={"x": (0, 2)}, epsilon=10**6, user="who",
        max_partitions=10, rng=SeededGenerator(SEED),
    )  # fmt: skip
    assert release["n"].tolist() == [40] * 10
    assert release["mean_x"] == pytest.approx([1] * 10, abs=1e-3)


# Tables of the command line


def test_a_table_is_for_many_releases_and_says_how_far_it_is() -> None:
    seen: list[int] = []
    table = repeatable(ROWS, watch=seen.append)
    for name in ("sum", "sum, user", "histogramdd", "count", "quantiles"):
        seen.clear()
        assert released(name, table) == released(name, ROWS)
        assert seen == sorted(seen)
        assert seen[-1] == 16


def test_a_table_of_one_column_is_a_table() -> None:
    table = table_of_relation(duckdb.sql("select null::int as x from range(5)"))
    assert round(cydp.count(table, epsilon=1000, rng=SeededGenerator(1)).value) == 5
    assert round(cydp.count(table, column="x", epsilon=1000, rng=SeededGenerator(1)).value) == 0


def test_text_that_is_no_number_shows_nothing_and_is_paid_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "_PIECE_ROWS", 1000)
    connection = duckdb.connect()
    connection.execute("create table t as select i, i::varchar as x from range(500_000) s(i)")
    connection.execute("insert into t values (7, 'secret')")
    query = "select i, cast(x as int) as x from t"
    calls: list[Callable[[Any, Any], Any]] = [
        lambda table, budget: cydp.sum(table, (0, 1), column="x", epsilon=1, budget=budget),
        lambda table, budget: cydp.quantile(
            table, 0.5, (0, 1), column="x", epsilon=1, budget=budget
        ),
        lambda table, budget: cydp.histogram(
            table, 2, (0, 1), column="x", epsilon=1, user="i", max_partitions=1, budget=budget
        ),
    ]
    for call in calls:
        for make in (
            lambda r: r,
            table_of_relation,
            lambda r: table_of_relation(r, repeatable=True),
        ):
            budget = cydp.PrivacyFilter(cydp.PureDP(10))
            with pytest.raises(ValueError, match=r"^the relation could not be read: ") as caught:
                call(make(connection.sql(query)), budget)
            error: BaseException | None = caught.value
            assert "secret" not in "".join(traceback.format_exception(error))
            while error is not None:
                assert "secret" not in str(error)
                error = error.__cause__ or error.__context__
            assert budget.spent == cydp.PureDP(1)
            assert connection.sql("select 1").fetchall() == [(1,)]  # the failed one is closed


def test_a_progress_line_that_fails_leaves_the_connection_free() -> None:
    connection = duckdb.connect()
    relation = connection.sql("select i, 1.0::double as x from range(500_000) t(i)")

    def stop(rows: int) -> None:
        raise KeyboardInterrupt

    table = table_of_relation(relation, repeatable=True, watch=stop)
    users = {"user": "i", "max_rows": 1}
    for call in (
        lambda: cydp.count(table, epsilon=1),
        lambda: cydp.sum(table, (0, 1), column="x", epsilon=1),
        lambda: cydp.sum(table, (0, 1), column="x", epsilon=1, **users),
        lambda: cydp.median(table, (0, 1), column="x", epsilon=1),
    ):
        with pytest.raises(KeyboardInterrupt) as caught:
            call()
        assert connection.sql("select 1").fetchall() == [(1,)]
        del caught
