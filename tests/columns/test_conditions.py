"""A condition on one row: its grammar, and what DuckDB makes of it for any value."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from itertools import combinations, product
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cydp._columns.condition_parser import parse_condition
from cydp._columns.condition_sql import sql_of_condition
from cydp._columns.conditions import Condition, all_of, condition_on_blocks

# What is written, and what is understood.
UNDERSTOOD = {
    "age >= 18": "age >= 18",
    "AGE==18": "AGE = 18",
    "18 < age": "age > 18",
    "age != -1.5e3": "age <> -1.5e3",
    "a = 'it''s'": "a = 'it''s'",
    '"a ""b" = .5': '"a ""b" = .5',
    '"and" is null': '"and" is null',
    "größe IS NOT NULL": "not (größe is null)",
    "a in (1,2)": "a in (1, 2)",
    "a NOT IN ('x')": "not (a in ('x'))",
    "a not like 'x%'": "not (a like 'x%')",
    "a between 1 and 2 and b = true": "a >= 1 and a <= 2 and b = true",
    "a = 1 or b = 2 and not c = 3": "a = 1 or b = 2 and not (c = 3)",
    "(a = 1 or b = 2) and c = 3": "(a = 1 or b = 2) and c = 3",
    "((a = 1))": "a = 1",
    "d >= date '2024-01-31'": "d >= date '2024-01-31'",
    "t < timestamp '2024-01-31 18:00'": "t < timestamp '2024-01-31 18:00'",
}
REFUSED = [
    "", " ", "age", "age >=", ">= 18", "age => 18", "age = height", "age + 1 > 2", "18 = 18",
    "age = null", "age is 3", "age not 3", "age in ()", "age in (1, 'a')", "age in (select 1)",
    "age in (1", "(age = 1", "age = 1)", "age = 1 or", "not", "age = 1 age = 2", "a like 3",
    "a like b", "lower(a) = 'x'", "cast(a as int) = 1", "a::int = 1", "random() < 0.5",
    "a = 1; drop table t", "a = 1 -- x", "count(*) > 1", "exists (select 1)", "a = 'x", 'a = "x"',
    '"a = 1', "a = 1.2.3", "a = 0x10", "a = 1a", "a = $1", "a = ?", "* = 1", "t.a = 1", "a = 'x\0'",
    "a between 1", "a is not", "date = 1", "d = date", "d = date 2024", "a = \udcff",
    "(" * 60 + "a = 1" + ")" * 60, "not " * 60 + "a = 1", "a = 1 or " * 2000 + "a = 1",
]  # fmt: skip


@pytest.mark.parametrize("written", UNDERSTOOD)
def test_what_is_understood_is_written_in_one_way(written: str) -> None:
    condition = parse_condition(written)
    assert str(condition) == UNDERSTOOD[written]
    assert parse_condition(str(condition)) == condition


@pytest.mark.parametrize("written", REFUSED, ids=range(len(REFUSED)))
def test_nothing_else_is_understood(written: str) -> None:
    with pytest.raises(ValueError, match=r"^condition must ") as refused:
        parse_condition(written)
    assert str(refused.value).count("\n") == 0
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("ts >= 2024-02-01", "dates in single quotes, such as '2024-01-31', not 2024-02-01"),
        ("ts >= 2024-02-01T10:00", "dates in single quotes, such as '2024-01-31', not 2024-02-01"),
        (
            'a = "DE"',
            "a constant at '\"DE\"', and 'DE' without single quotes is a column: write 'DE'",
        ),
        ("a = DE", "a constant at 'DE', and 'DE' without single quotes is a column: write 'DE'"),
        ("lower(a) = 'de'", "columns and constants alone, and 'lower' is followed by parentheses"),
        ("a in ()", "at least one constant in the parentheses"),
        ("a is DE", "'null' or 'not null' behind 'is' at 'DE'"),
        ("a = 'DE", 'a quote at the end of a text as at its beginning, not "\'DE"'),
        ("a = 1 && b = 2", "'and', not '&& b = 2'"),
        ("a = 1 || b = 2", "'or', not '|| b = 2'"),
        ("`a` = 1", "names in double quotes, not '`a` = 1'"),
    ],
)
def test_what_other_languages_write_is_told(written: str, words: str) -> None:
    with pytest.raises(ValueError, match="condition must have " + re.escape(words)):
        parse_condition(written)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("a > b", "two columns are not compared"),
        ("1 < a < 9", "condition must compare a column once at a time, at '< 9'"),
        ("where a = 1", "leave 'where' out"),
    ],
)
def test_what_is_no_condition_is_told(written: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_condition(written)


def test_a_condition_is_a_text() -> None:
    with pytest.raises(TypeError, match="condition must be a text, not int"):
        parse_condition(3)  # type: ignore[arg-type]


# Three-valued logic, of cells of text: None is unknown.
Truth = bool | None
CELLS = ["", "7", "7.0", " 7", "18", "-3", "1e1", "nan", "NaN", "inf", "1e999", "x", "X", "it's",
         "2024-01-31", "n/a", "\t", "9007199254740993", "seven 7", "%", "ß"]  # fmt: skip
ATOMS: dict[str, Any] = {
    "a = 7": lambda a, b: number(a, lambda x: x == 7),
    "b >= 18": lambda a, b: number(b, lambda x: x >= 18),
    "a < 0.5": lambda a, b: number(a, lambda x: x < 0.5),
    "a in (7, 10)": lambda a, b: number(a, lambda x: x in (7, 10)),
    "b = '7'": lambda a, b: text(b, lambda x: x == "7"),
    "a <> 'x'": lambda a, b: text(a, lambda x: x != "x"),
    "b in ('x', 'it''s')": lambda a, b: text(b, lambda x: x in ("x", "it's")),
    "a like '%7'": lambda a, b: text(a, lambda x: x.endswith("7")),
    "b is null": lambda a, b: b == "",
}


def number(cell: str, holds: Any) -> Truth:
    try:
        value = float(cell)
    except ValueError:
        return None
    return None if math.isnan(value) else bool(holds(value))


def text(cell: str, holds: Any) -> Truth:
    return None if cell == "" else bool(holds(cell))


def negated(part: Truth) -> Truth:
    return None if part is None else not part


def both(left: Truth, right: Truth) -> Truth:
    if left is False or right is False:
        return False
    return None if None in (left, right) else True


Tree = Any  # an atom, ("not", tree), or (tree, "and" or "or", tree)
TREES = st.recursive(
    st.sampled_from(sorted(ATOMS)),
    lambda part: (
        st.tuples(st.just("not"), part) | st.tuples(part, st.sampled_from(["and", "or"]), part)
    ),
    max_leaves=6,
)


def written(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    return f"({' '.join(each if each in ('not', 'and', 'or') else written(each) for each in tree)})"


def truth(tree: Tree, a: str, b: str) -> Truth:
    if isinstance(tree, str):
        found: Truth = ATOMS[tree](a, b)
        return found
    if tree[0] == "not":
        return negated(truth(tree[1], a, b))
    left, right = truth(tree[0], a, b), truth(tree[2], a, b)
    if tree[1] == "and":
        return both(left, right)
    return negated(both(negated(left), negated(right)))


ROWS = list(product(CELLS, CELLS))


def kept(condition: Condition, relation: Any, kinds: dict[str, str]) -> list[Any]:
    sql = sql_of_condition(condition, lambda name: (f'"{name}"', kinds[name]))
    return list(relation.filter(sql).fetchall())


@pytest.fixture(scope="module")
def cells() -> Any:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (a VARCHAR, b VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
    return connection.table("t")


@given(tree=TREES)
def test_the_rows_that_stay_are_those_of_a_reader_in_python(cells: Any, tree: Tree) -> None:
    """Each row by itself, whatever the others hold."""
    found = kept(parse_condition(written(tree)), cells, {"a": "", "b": ""})
    assert sorted(found) == sorted(row for row in ROWS if truth(tree, *row))


# Values of each type, such that a careless cast, or a comparison, of some of them fails.
VALUES = {
    "BIGINT": ["0", "18", "-9223372036854775808", "9007199254740993", "NULL"],
    "UTINYINT": ["0", "18", "255", "NULL"],
    "HUGEINT": ["18", "170141183460469231731687303715884105727", "NULL"],
    "UHUGEINT": ["18", "340282366920938463463374607431768211455", "NULL"],
    "DOUBLE": ["18", "'nan'", "'inf'", "-1.7e308", "NULL"],
    "FLOAT": ["18", "'nan'", "'-inf'", "NULL"],
    "DECIMAL(38,10)": ["18", "9999999999999999999999999999.0000000001", "NULL"],
    "BOOLEAN": ["true", "false", "NULL"],
    "VARCHAR": ["'18'", "''", "'2024-01-31'", "'n/a'", "NULL"],
    "ENUM('18', 'x')": ["'18'", "'x'", "NULL"],
    "UUID": ["'00000000-0000-0000-0000-000000000018'", "NULL"],
    "DATE": ["'2024-01-31'", "'infinity'", "'290000-01-01'", "'5877642-06-25 (BC)'", "NULL"],
    "TIMESTAMP": ["'2024-01-31 18:00'", "'infinity'", "'290000-01-01'", "NULL"],
    "TIMESTAMP_S": ["'2024-01-31 18:00'", "'-infinity'", "'290000-01-01'", "NULL"],
    "TIMESTAMP_NS": ["'2024-01-31 18:00:00.123456789'", "'infinity'", "NULL"],
    "TIMESTAMP WITH TIME ZONE": ["'2024-01-31 18:00+02'", "'infinity'", "'-infinity'", "NULL"],
    "TIME": ["'18:00'", "NULL"],
    "BLOB": ["'x'", "NULL"],
    "BIGINT[]": ["[18]", "NULL"],
    "VARCHAR[]": ["['18']", "NULL"],
    "STRUCT(v BIGINT)": ["{'v': 18}", "NULL"],
}
CONSTANTS = [
    "18", "0.5", "1e30", "-1e400", "9" * 40, "'18'", "'2024-01-31'", "'2024-01-31T18:00+02:00'",
    "date '2024-01-31'", "timestamp '2024-01-31 18:00'", "true",
]  # fmt: skip


def outcome(form: str, table: Any, kind: str) -> Any:
    """Return the rows that stay, or what is refused."""
    try:
        return kept(parse_condition(form), table, {"v": kind})
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("kind", VALUES)
def test_no_value_can_fail(kind: str) -> None:
    """A constant is refused by the type of the column, or compared with every value."""
    rows = ", ".join(f"(CAST({value} AS {kind}))" for value in VALUES[kind])
    tables = [
        duckdb.sql(f"SELECT * FROM (VALUES {rows}) t(v){more}") for more in ("", " WHERE false")
    ]
    (declared,) = map(str, tables[0].types)
    compared = 0
    for constant in CONSTANTS:
        for form in ("v = {}", "v >= {}", "not (v in ({}))", "v like {}"):
            outcomes = [outcome(form.format(constant), table, declared) for table in tables]
            if isinstance(outcomes[1], str):  # whatever the rows hold
                assert outcomes[0] == outcomes[1]
                assert outcomes[1].startswith("condition must ")
                continue
            assert (None,) not in outcomes[0]
            assert outcomes[1] == []
            compared += 1
    assert (compared > 0) == (kind not in ("TIME", "BLOB", "BIGINT[]", "VARCHAR[]",
                                           "STRUCT(v BIGINT)"))  # fmt: skip
    assert len(kept(parse_condition("v is null"), tables[0], {"v": declared})) >= 1


def test_integers_are_compared_exactly_and_nan_is_missing() -> None:
    big = duckdb.sql("SELECT unnest([9007199254740992, 9007199254740993]) AS v")
    assert kept(parse_condition("v = 9007199254740993"), big, {"v": "BIGINT"}) == [
        (9007199254740993,)
    ]
    floats = duckdb.sql("SELECT unnest(['nan', '1', 'inf']::DOUBLE[]) AS v")
    for form, rows in [("v > 0", 2), ("not (v > 0)", 0), ("v is null", 1), ("v <> 1", 1)]:
        assert len(kept(parse_condition(form), floats, {"v": "DOUBLE"})) == rows


def test_a_text_is_a_time_where_the_column_has_times() -> None:
    times = duckdb.sql("SELECT unnest(['2024-01-31 18:00', '2024-02-01']::TIMESTAMP[]) AS v")
    for form, rows in [
        ("v >= '2024-01-31'", 2), ("v >= '2024-01-31 18:00:01'", 1), ("v = '2024-02-01'", 1),
        ("v < date '2024-02-01'", 1),
    ]:  # fmt: skip
        assert len(kept(parse_condition(form), times, {"v": "TIMESTAMP"})) == rows
    zoned = duckdb.sql("SELECT '2024-01-31 18:00+02'::TIMESTAMPTZ AS v")
    kinds = {"v": "TIMESTAMP WITH TIME ZONE"}
    assert len(kept(parse_condition("v = '2024-01-31T16:00+00:00'"), zoned, kinds)) == 1
    for same in (
        "timestamptz '2024-01-31 16:00Z'", "timestamp '2024-01-31T17:00[Europe/Vienna]'",
        "'2024-01-31T17:00+01:00'", "'2024-01-31T16:00[UTC]'",
    ):  # fmt: skip
        assert len(kept(parse_condition(f"v = {same}"), zoned, kinds)) == 1
    for later in ("date '2024-02-01[Europe/Vienna]'", "'2024-02-01Z'", "'2024-02-01+01:00'"):
        assert len(kept(parse_condition(f"v < {later}"), zoned, kinds)) == 1
        assert not kept(parse_condition(f"v >= {later}"), zoned, kinds)
    with pytest.raises(ValueError, match="a time with an offset for 'v'"):
        kept(parse_condition("v = '2024-01-31T16:00'"), zoned, kinds)
    with pytest.raises(ValueError, match="a time without a zone for 'v'"):
        kept(parse_condition("v = '2024-01-31T16:00+00:00'"), times, {"v": "TIMESTAMP"})
    with pytest.raises(ValueError, match="a date or a time for 'v'"):
        kept(parse_condition("v = 'monday'"), times, {"v": "TIMESTAMP"})
    for wrong in ("'2024-01'", "'2024-01-31[Europe/Wien]'", "timestamp '2024-02-30'"):
        with pytest.raises(ValueError, match="a date or a time for 'v'"):
            kept(parse_condition(f"v = {wrong}"), zoned, kinds)


BLOCKS = {
    "": [
        "a",
        "2024-01-31",
        "2024-1-31",
        "2024-01-31 23:59",
        "2024-01-31T01:00+01:00",
        "2024-02-30",
        "infinity",
        "7",
        " 7",
        "",
        "NULL",
    ],
    "VARCHAR": ["'a'", "''", "'2024-01-31'", "' 2024-01-31T12:00:00.5'", "NULL"],
    "INTEGER": ["7", "-7", "0", "NULL"],
    "DATE": ["'2024-01-31'", "'2024-02-01'", "'infinity'", "'290000-01-01'", "NULL"],
    "TIMESTAMP": ["'2024-01-31'", "'2024-01-31 23:59:59.999999'", "'2024-02-01'", "NULL"],
}
IDS = ["a", "7", "07", "-7", "0", "2024-01-31", "2024-02-01", "2024-1-31", "infinity", " 7",
       "290000-01-01", "2024-02-30", "2024-01-31 23:59",
       "2024-01-31T01:00+01:00", "2024-03-01"]  # fmt: skip


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_row_lies_in_one_block_at_most(kind: str) -> None:
    cells = BLOCKS[kind] if kind else [f"'{each}'" for each in BLOCKS[kind][:-1]] + ["NULL"]
    rows = ", ".join(f"({i}, CAST({cell} AS {kind or 'VARCHAR'}))" for i, cell in enumerate(cells))
    table = duckdb.sql(f"SELECT * FROM (VALUES {rows}) t(i, d)")
    found = [
        {row[0] for row in kept(condition_on_blocks("d", [block]), table, {"d": kind})}
        for block in IDS
    ]
    for i in range(len(cells)):
        assert sum(i in rows for rows in found) <= 1
    assert set().union(*found)
    several = kept(condition_on_blocks("d", IDS), table, {"d": kind})
    assert {row[0] for row in several} == set().union(*found)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP"])
def test_parts_of_a_file_that_are_skipped_have_no_row_of_a_block(kind: str) -> None:
    """The block of a row is its day, whether DuckDB skips by the first and last of the days."""
    edges = [date(1, 1, 1), date(2024, 2, 28), date(2024, 3, 1), date(9999, 12, 31)]
    times = [datetime.combine(day, at) for day in edges for at in (time.min, time.max)]
    times += [datetime(2024, 2, 29, 12), datetime(2024, 3, 2)]
    if kind == "DATE":
        times = [datetime.combine(each, time.min) for each in {each.date() for each in times}]
    rows = ", ".join(f"('{each}'::{kind})" for each in [*times, "infinity", "-infinity"])
    table = duckdb.sql(f"SELECT d FROM (VALUES {rows}) t(d)")
    days = [*map(date.isoformat, edges), "2024-02-29"]
    for size in range(1, len(days) + 1):
        for blocks in combinations([*days, "infinity"], size):
            found = kept(condition_on_blocks("d", blocks), table, {"d": kind})
            wanted = sum(each.date().isoformat() in blocks for each in times)
            assert len(found) == wanted + ("infinity" in blocks)
    assert ">= DATE '2024-02-28'" in sql_of_condition(
        condition_on_blocks("d", ["2024-02-29", "2024-02-28"]), lambda _: ("d", "DATE")
    )


CSV_TIMES = ["2024-01-31", "2024-01-31 18:00", " 2024-01-31T23:59:59.5 ", "2024-02-01 00:00",
             "2024-01-31T18:00+02:00", "2024-01-31T16:00Z", "2024-02-30", "infinity",
             "today", ""]  # fmt: skip


@pytest.mark.parametrize("kind", ["", "VARCHAR"])
def test_times_of_text_lie_in_the_block_of_their_day(kind: str) -> None:
    """Other text is the block of its text, and an empty one lies in none."""
    rows = ", ".join(f"({i}, '{each}')" for i, each in enumerate(CSV_TIMES))
    table = duckdb.sql(f"SELECT * FROM (VALUES {rows}) t(i, d)")

    def rows_of(block: str) -> list[int]:
        found = kept(condition_on_blocks("d", [block]), table, {"d": kind})
        return sorted(row[0] for row in found)

    assert [rows_of("2024-01-31"), rows_of("2024-02-01")] == [[0, 1, 2], [3]]
    assert [rows_of(each) for each in CSV_TIMES[4:9]] == [[4], [5], [6], [7], [8]]
    assert [rows_of(each) for each in CSV_TIMES[1:4]] == [[], [], []]


def test_times_of_csv_keep_their_zone() -> None:
    """Those with an offset are missing beside a constant without one, and the other way round."""
    rows = ", ".join(f"({i}, '{each}')" for i, each in enumerate(CSV_TIMES))
    table = duckdb.sql(f"SELECT * FROM (VALUES {rows}) t(i, d)")
    for form, found in [
        ("d <= date '2024-01-31'", [0, 1, 2]), ("d < date '2024-02-01'", [0, 1, 2]),
        ("d < timestamp '2024-01-31 18:01'", [0, 1]), ("d >= date '2024-01-01'", [0, 1, 2, 3]),
        ("d = timestamp '2024-01-31T16:00+00:00'", [4, 5]),
        ("d < timestamp '2024-01-31T16:00+00:00'", []),
        ("d between timestamp '2024-01-31T15:00Z' and timestamp '2024-01-31T17:00Z'", [4, 5]),
    ]:  # fmt: skip
        assert sorted(row[0] for row in kept(parse_condition(form), table, {"d": ""})) == found
    with pytest.raises(ValueError, match="a time with an offset for 'd'"):
        kept(parse_condition("d in (timestamp '2024-01-31 16:00', timestamp '2024-01-31T16:00Z')"),
             table, {"d": ""})  # fmt: skip


def test_blocks_of_times_are_days_and_other_types_have_none() -> None:
    times = duckdb.sql("SELECT unnest(['2024-01-31 18:00', '2024-02-01']::TIMESTAMP[]) AS d")
    assert len(kept(condition_on_blocks("d", ["2024-01-31"]), times, {"d": "TIMESTAMP"})) == 1
    for kind in ("DOUBLE", "TIMESTAMP WITH TIME ZONE", "BOOLEAN", "VARCHAR[]", "DECIMAL(9,2)"):
        with pytest.raises(ValueError, match="column 'd' cannot tell the blocks of rows"):
            sql_of_condition(condition_on_blocks("d", ["a"]), lambda _, k=kind: ("d", k))
    with pytest.raises(ValueError, match="such as d at time zone 'Europe/Vienna' of DuckDB"):
        sql_of_condition(
            condition_on_blocks("d", ["a"]), lambda _: ("d", "TIMESTAMP WITH TIME ZONE")
        )
    joined = all_of([parse_condition("a = 1 or b = 2"), condition_on_blocks("d", ["y", "x"])])
    assert str(joined) == "(a = 1 or b = 2) and d in blocks ('x', 'y')"


def test_numbers_that_floats_do_not_tell_apart_are_refused_for_cells_of_csv() -> None:
    """2**53 and 2**53 + 1 are one float, so a cell of one would satisfy the other's condition."""
    for form in ("a = 9007199254740993", "a in (1, -9007199254740993)", "a < 1e16"):
        with pytest.raises(ValueError, match="a number of at most 2"):
            sql_of_condition(parse_condition(form), lambda _: ("a", ""))
    sql_of_condition(parse_condition("a = 9007199254740992"), lambda _: ("a", ""))
    sql_of_condition(parse_condition("a = 9007199254740993"), lambda _: ("a", "BIGINT"))
