"""Columns of a relation that hold a piece of its rows after the other."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from cydp._columns import shared
from cydp._columns.declared import Labels, Records
from cydp._columns.lazy import guard_query
from cydp._columns.pieces import add_pieces
from cydp._columns.relations import SharedRelation
from cydp._columns.stored_tables import table_of_relation
from cydp._columns.tables import open_table
from cydp.exact._label_sets import find_labels


def numbers(rows: int, batch: int) -> duckdb.DuckDBPyRelation:
    table = pa.table({"x": pa.array(range(rows), pa.int64()), "y": pa.array([1] * rows)})
    return duckdb.from_arrow(pa.Table.from_batches(table.to_batches(batch), table.schema))


def test_batches_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    for rows, batch, least, expected in (
        (10, 2, 4, [4, 4, 2]), (10, 3, 4, [6, 4]), (10, 5, 5, [5, 5]), (0, 1, 4, [0]),
        (3, 1, 1, [1, 1, 1]), (3, 1, 9, [3]),
    ):  # fmt: skip
        monkeypatch.setattr(shared, "_PIECE_ROWS", least)
        table = open_table(numbers(rows, batch))
        first, second = Records(table.column("x", "x")), Records(table.column("y", "x"))
        seen: list[list[int]] = []

        def exact(first: Records = first, second: Records = second, seen: Any = seen) -> list[int]:
            seen.append(first.read().tolist())
            assert len(second.read()) == len(seen[-1])
            return [int(first.read().sum()), int(second.read().sum())]

        assert add_pieces(exact, [first, second]) == [rows * (rows - 1) // 2, rows]
        assert list(map(len, seen)) == expected
        assert [i for piece in seen for i in piece] == list(range(rows))


def test_pieces_have_as_many_rows_as_are_worth_their_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "_PIECE_ROWS", 1)
    records = Records(open_table(numbers(40, 1)).column("x", "x"))
    seen: list[int] = []

    def exact() -> list[Any]:
        seen.append(len(records.read()))
        return [np.ones(12, np.int64), np.zeros((3, 2), np.int64), 1]

    assert add_pieces(exact, [records])[2] == len(seen)
    assert seen == [1, *4 * [9], 3]  # half as many as there are answers


def test_a_relation_is_read_once() -> None:
    table = open_table(numbers(3, 1))
    records = Records(table.column("x", "x"))
    assert add_pieces(lambda: [int(records.read().sum())], [records]) == [3]
    with pytest.raises(ValueError, match="must be read together, piece by piece"):
        records.read()
    with pytest.raises(ValueError, match="chosen before one of them is read"):
        table.column("y", "x")
    shared = SharedRelation(numbers(3, 1))
    held = Records(shared.column("x"))
    assert held.read().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="must be read once"):
        next(shared.pieces())


@pytest.mark.parametrize("beside", ["relation", "array"])
def test_columns_that_are_not_of_one_relation_are_read_at_once(
    beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_PIECE_ROWS", 2)
    relation = numbers(9, 1)
    first = Records(relation.project("x"))
    second = Records(relation.project("y") if beside == "relation" else np.ones(9))
    counted = add_pieces(lambda: [len(first.read()), len(second.read()), 1], [first, second])
    assert counted == [9, 9, 1]
    alone = Records(relation.project("x"))
    assert add_pieces(lambda: [len(alone.read()), 1], [alone]) == [9, 5]


def test_a_reader_can_be_read_as_it_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_PIECE_ROWS", 4)
    table = open_table(duckdb.from_arrow(pa.table({"x": range(9), "y": [1] * 9}).to_reader(2)))
    first, second = Records(table.column("x", "x")), Records(table.column("y", "x"))
    assert add_pieces(lambda: [int((first.read() * second.read()).sum())], [first, second]) == [36]


@pytest.mark.parametrize("order", [1, -1])
def test_a_total_is_exact_and_ends_where_int64_does(
    order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is beyond int64 on the way, in one order of the pieces and not in the other."""
    monkeypatch.setattr(shared, "_PIECE_ROWS", 1)
    monkeypatch.setattr(shared, "_ANSWERS_FOR_EACH_ROW", 100)
    most = 2**63 - 1
    parts = [[most, 5, -most, 1, most], [most, 6, -most, 2, 1], [-most, 7, -most, 3, 0]][::order]
    left = iter(parts)
    records = Records(open_table(numbers(3, 1)).column("x", "x"))

    def exact() -> list[Any]:
        records.read()
        part = next(left)
        return [np.array(part), sum(part)]

    array, total = add_pieces(exact, [records])
    assert array.dtype == np.int64
    assert array.tolist() == [most, 18, -(2**63), 6, most]
    assert total == sum(map(sum, parts))


USERS = {
    "tinyint": "(i % 7)::tinyint", "ubigint": "(i % 7 + 18446744073709551600::ubigint)::ubigint",
    "decimal": "(i % 7)::decimal(9, 3)",
    "signed zeros": "case when i % 2 = 0 then 0.0::double else -0.0::double end",
    "signed zeros of 32 bits": "case when i % 2 = 0 then 0.0::float else -0.0::float end",
    "double": "case i % 4 when 0 then 'nan'::double when 1 then 0.5 else -0.5 end",
    "text": "case i % 4 when 0 then '' when 1 then 'a' when 2 then 'a' || chr(0) else 'é' end",
    "long text": "repeat('user', 9) || (i % 5)::varchar",
    "enum": "(case when i % 2 = 0 then 'a' else 'b' end)::enum('a', 'b')",
    "instants": "(timestamp '2024-01-01' + interval (i % 5) hour)::timestamptz",
    "null": "null::int",
}  # fmt: skip


@pytest.mark.parametrize("kind", USERS)
def test_all_rows_of_a_user_are_in_one_piece(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_USER_ROWS", 3)
    user = f"case when i % 5 = 4 then null else {USERS[kind]} end"
    relation = duckdb.sql(f"select i, {user} as who from range(30) t(i)")
    table = table_of_relation(relation, repeatable=True)
    rows, users = Records(table.column("i", "x")), Labels(table.column("who", "user"))
    pieces: list[set[Any]] = []
    seen: list[int] = []

    def exact() -> list[int]:
        seen.extend(rows.read().tolist())
        pieces.append(set(find_labels([users]).arrays[0].tolist()))
        return [len(users.read())]

    assert add_pieces(exact, [rows], users) == [30]
    assert sorted(seen) == list(range(30))  # a row of no user is somewhere, too
    assert len(pieces) == 10
    assert sum(map(len, pieces)) == len(set[Any]().union(*pieces))
    assert kind == "null" or any(pieces)


@pytest.mark.parametrize("n", [2, 3, 7, 24, 1000])
def test_a_hash_at_the_end_of_a_part_is_in_one_part(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = {(i << 64) // n + step for i in range(n + 1) for step in (-1, 0, 1)}
    hashes = sorted(end for end in ends if 0 <= end < 2**64)
    connection = duckdb.connect()
    connection.execute("create macro hash(x) as x")
    relation = connection.sql(f"select unnest({hashes}::ubigint[]) as who")
    monkeypatch.setattr(shared, "_USER_ROWS", 1)
    monkeypatch.setattr(SharedRelation, "_count", lambda *_: n)
    table = table_of_relation(relation, repeatable=True)
    users = Labels(table.column("who", "user"))
    seen: list[int] = []

    def exact() -> list[int]:
        seen.extend(find_labels([users]).arrays[0].tolist())
        return [1]

    assert add_pieces(exact, [users], users) == [n]
    assert seen == hashes


def test_a_relation_that_need_not_repeat_itself_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_USER_ROWS", 2)
    monkeypatch.setattr(shared, "_PIECE_ROWS", 2)
    table = open_table(numbers(9, 1))
    rows, users = Records(table.column("x", "x")), Labels(table.column("y", "user"))
    assert add_pieces(lambda: [len(rows.read()), 1], [rows], users) == [9, 1]


def test_too_little_memory_in_the_middle_of_the_rows_is_told() -> None:
    """By the beginning of the message: its end may have a cell of any text."""
    rows, told = SharedRelation(numbers(1, 1)), "Out of Memory Error: SECRET"
    begins = "ArrowArrayStream::get_next() failed (5): "

    def fail(message: str) -> Any:
        raise RuntimeError(message)

    with pytest.raises(MemoryError, match=r"DuckDB has too little memory$"):
        rows._guard(lambda: fail(begins + told))
    with pytest.raises(ValueError, match="could not be read: its query") as caught:
        rows._guard(lambda: fail(f"{begins}Conversion Error: {told}"))
    assert "SECRET" not in str(caught.value)


def test_ctrl_c_stays_one_if_the_library_fails_while_it_cleans_up() -> None:
    """As Spark, whose job is cancelled; other errors are not shown."""

    def query(first: type[BaseException]) -> None:
        try:
            raise first
        finally:
            raise OSError("of a cancelled job")

    for first, expected in ((KeyboardInterrupt, KeyboardInterrupt), (KeyError, ValueError)):
        with pytest.raises(expected) as caught:
            guard_query(lambda first=first: query(first), "the query", "run it")
        assert caught.value.__context__ is None
