"""What columns, tables and keys are refused, in words that show no record."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from columns.labelled import DAY, HOUR, relation
from pyarrow.dataset import dataset
from refusals import Refusal, check_refusals

import cydp
from cydp import exact
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp._columns.pieces import add_pieces
from cydp._columns.reading import read_group_codes
from cydp._columns.tables import open_table
from cydp.exact import HistogramAccumulator

SECRET = 31415
TWO = {"a": [SECRET], "b": [2]}
Call = Callable[[], object]


def bound(users: Any, groups: Any = (1,)) -> object:
    return exact.bound_contributions(users, groups, max_partitions=1)


def test_what_holds_no_numbers() -> None:
    columns: dict[str, tuple[Any, tuple[str, ...]]] = {
        "text of polars": (pl.Series(["31415"]), ("not text",)),
        "timestamps": (pa.array([SECRET], pa.timestamp("s")), ("not dates or times",)),
        "lists": (pa.array([[SECRET]]), ("not lists",)),
        "short decimals": (pa.array([SECRET], pa.decimal32(9, 0)), ("not decimals of 32",)),
        "long integers": (duckdb.sql(f"select {SECRET}::uhugeint as a"), ("not UHUGEINT",)),
        "sparse": (pd.DataFrame({"a": pd.arrays.SparseArray([SECRET])}), ("Arrow can express",)),
        "periods": (
            pd.Series(pd.period_range("1970", periods=2, freq="M")),
            ("not an extension type",),
        ),
        "a span of years": ([np.timedelta64(3, "Y")], ("timedelta64",)),
        "an expression": (pl.col("a"), ("a list, an array or a column", "not Expr")),
        "a lazy frame": (pl.LazyFrame(TWO), ("computed first", "collect()")),
        "a dataset": (dataset(pa.table(TWO)), ("read first", "to_table()")),
        "objects with a mask": (np.ma.array([1], mask=[0], dtype=object), ("not objects",)),
        "lists of two lengths": ([[1], [1, 2]], ("different lengths",)),
    }
    calls: dict[str, Callable[[Any], object]] = {
        "histogram": lambda x: exact.histogram(x, 2, (0, 1)),
        "clamped_sum": lambda x: exact.clamped_sum(x, (0, 1)),
    }
    check_refusals(
        {
            f"{name}, {function}": (lambda x=x, call=call: call(x), TypeError, ("x must", *words))
            for name, (x, words) in columns.items()
            for function, call in calls.items()
        },
        never=(str(SECRET),),
    )
    more = np.ma.array([1, 2], mask=[False, True], dtype=object)
    accumulator = HistogramAccumulator(2, (0, 2), dtype="int64")
    released: Call = lambda: cydp.histogram(more, 2, (0, 2), epsilon=1)  # noqa: E731
    nan: Call = lambda: exact.histogram([0.5, float("nan")], 2)  # noqa: E731
    check_refusals({
        "a release of objects": (released, TypeError, ("x must hold numbers",)),
        "an accumulator": (lambda: accumulator.update(more), TypeError, ("x must hold",)),
        "a NaN without a range": (nan, ValueError, ("x must be finite if range is None",)),
    })  # fmt: skip


def test_what_is_no_identity() -> None:
    columns: dict[str, Any] = {
        "lists of polars": pl.Series([[1.0]]),
        "lists of pyarrow": pa.array([[1.0]]),
        "complex numbers": np.array([1j]),
        "months": np.array([1], "m8[M]"),
        "a list of DuckDB": duckdb.sql("select [31415] as a"),
    }
    numbered: dict[str, Refusal] = {
        "wide": (lambda: exact.bincount([2**64 + SECRET]), TypeError, ("codes", "64 bits")),
        "signed and wide": (lambda: exact.bincount([-1, 2**63]), TypeError, ("codes must hold",)),
        "text": (lambda: exact.bincount(["31415", None]), TypeError, ("codes must hold",)),
        "floats": (lambda: exact.bincount([0.5]), TypeError, ("codes", "integers or bool")),
        "group codes": (lambda: read_group_codes([0.5, None]), TypeError, ("codes", "not float")),
        "two dimensions": (lambda: exact.bincount(np.ones((1, 1), int)), ValueError, ("codes",)),
        "no list": (lambda: exact.bincount([[1]]), ValueError, ("codes", "one integer")),
    }
    for name, x in columns.items():
        numbered[f"{name}, values"] = (
            lambda x=x: exact.match_keys(x, [1]), TypeError, ("x must hold labels",)
        )  # fmt: skip
        numbered[f"{name}, users"] = (lambda x=x: bound(x), TypeError, ("users must hold",))
    check_refusals(numbered, never=(str(SECRET),))


def test_what_is_lazy_or_no_column_says_so_everywhere() -> None:
    functions: dict[str, Callable[[Any], object]] = {
        "columns": lambda x: exact.histogramdd(x, 2),
        "codes": exact.bincount,
        "keys": lambda x: exact.match_keys([1], x),
        "users": bound,
        "table": exact.GroupedAccumulator.from_arrow,
        "x": lambda x: cydp.histogram(x, 2, (0, 1), epsilon=1),
    }
    lazy, expected = pl.LazyFrame({"a": [1]}), ("must be computed first: call its collect()",)
    others = [pl.col("a"), dataset(pa.table(TWO)), duckdb.ColumnExpression("a"), None]
    refused: dict[str, Refusal] = {}
    for name, call in functions.items():
        says = ("must be one column, not a table",) if name == "x" else expected
        refused[name] = (lambda call=call: call(lazy), TypeError, (name, *says))
        for i, other in enumerate(others):
            refused[f"{name} {i}"] = (lambda call=call, x=other: call(x), TypeError, (f"{name} ",))
    check_refusals(refused)


def test_keys_of_match_keys() -> None:
    text, integers = np.array(["a"]), np.array([1])
    table = memoryview(np.array([[0.5, 1.0], [1.5, 3.0]]))
    check_refusals({
        "bytes for text": (lambda: exact.match_keys(text, [b"a"]), TypeError, ("keys", "text")),
        "text for bytes": (
            lambda: exact.match_keys(text.astype("S1"), ["a"]), TypeError, ("keys", "bytes")
        ),
        "text for integers": (
            lambda: exact.match_keys(integers, ["a"]), TypeError, ("keys", "numbers")
        ),
        "a matrix": (lambda: exact.match_keys([2, 1], table), ValueError, ("one dimension",)),
        "none": (lambda: exact.Keys([]), ValueError, ("1 to 2**32 - 4", "not 0")),
        "twice": (lambda: exact.Keys([1, np.int8(1)]), ValueError, ("distinct",)),
    })  # fmt: skip


def test_columns_that_hold_no_labels() -> None:
    never: dict[str, tuple[Any, type[Exception], str]] = {
        "two dimensions": (np.zeros((2, 2)), ValueError, "one dimension"),
        "complex": (np.zeros(2, complex), TypeError, "complex numbers"),
        "lists of pyarrow": (pa.array([[1]]), TypeError, "lists"),
        "lists of polars": (pl.Series([[1]]), TypeError, "lists"),
        "structs": (pa.array([{"a": 1, "b": 1}]), TypeError, "a table of 2"),
        "lists of DuckDB": (duckdb.sql("select [1]"), TypeError, "LIST"),
        "two columns of DuckDB": (duckdb.sql("select 1, 2"), TypeError, "a table of 2"),
        "intervals of DuckDB": (duckdb.sql("select interval 1 day"), TypeError, "INTERVAL"),
        "a number": (7, TypeError, "not int"),
        "a text": ("abc", TypeError, "not text"),
        "nothing": (None, TypeError, "not NoneType"),
        "a lazy frame": (pl.LazyFrame({"a": [1]}), TypeError, "collect()"),
        "two columns": (pd.DataFrame({"a": [1], "b": [1]}), TypeError, "a table of 2"),
        "UUIDs": (pa.array([bytes(16)], pa.uuid()), TypeError, "x.cast(x.type.storage_type)"),
    }
    refused: dict[str, Refusal] = {
        name: (lambda x=x: Labels(x), error, ("by must", word))
        for name, (x, error, word) in never.items()
    }
    for dtype in ("M8[Y]", "M8[M]", "m8[Y]"):  # whether there are rows or not
        for rows in (0, 2):
            x, words = np.zeros(rows, dtype), ("no fixed length: take days",)
            refused[f"{dtype}, {rows}"] = (lambda x=x: Labels(x), TypeError, words)
        refused[f"keys of {dtype}"] = (lambda x=x: Keys(x), ValueError, words)
    check_refusals(refused)


def test_keys_of_labels() -> None:
    never: dict[str, tuple[Any, type[Exception], str]] = {
        "none": ([], ValueError, "1 to"),
        "twice": ([1, True], ValueError, "distinct"),
        "None": ([1, None], ValueError, "missing"),
        "NaN": ([float("nan")], ValueError, "missing"),
        "NaN of pandas": (pd.Series([1.5, None]), ValueError, "missing"),
        "a list": ([[1]], TypeError, "hashable"),
        "a set": ({1, 2}, TypeError, "order"),
        "a dict": ({"a": 1}, TypeError, "must be a list, not a dict: group_by("),
        "a text": ("abc", TypeError, "a list"),
        "a number": (7, TypeError, "a list"),
        "two dimensions": (np.zeros((2, 2)), ValueError, "one dimension"),
    }
    together: dict[str, tuple[Any, type[Exception], str]] = {
        "twice": ([(1, 2), (1, 2.0)], ValueError, "distinct"),
        "not aligned": ({"a": [0, 0], "b": [1, 2]}, ValueError, "the labels of each column"),
        "lists": ([[1, 2]], TypeError, "must be tuples"),
        "three": ([(1, 2, 3)], ValueError, "tuples of 2 labels"),
        "no tuples": ([1, 2], TypeError, "must be tuples"),
        "no column": ({"a": [1]}, ValueError, "of the columns a, b, not a"),
        "no column of a frame": (
            pd.DataFrame({"a": [1]}),
            ValueError,
            "of the columns a, b, not a",
        ),
        "two lengths": (open_table({"a": [1, 2], "b": iter([1])}), ValueError, "one length"),
        "no labels": ({"a": [1], "b": []}, ValueError, "1 to"),
        "too many": (dict.fromkeys("ab", range(2**16)), ValueError, "not 4294967296"),
        "none": ([], ValueError, "1 to"),
        "None": ([(1, None)], ValueError, "missing"),
        "a list": ([(1, [])], TypeError, "hashable"),
    }
    of_another_kind: dict[str, tuple[Any, list[Any], str]] = {
        "numbers": (np.array([1]), ["a"], "numbers, as the entries of by are"),
        "text": (pd.Series([], dtype="str"), [1], "text"),
        "dates": (pl.Series([DAY]), ["2024-2-29"], "dates"),
        "periods": (pd.Series([], dtype="period[M]"), ["2024-01"], "periods of pandas"),
        "intervals": (pd.Series([], dtype="interval[int64]"), [1], "intervals of pandas"),
        "bytes": (relation(pa.array([b"x"])), ["x"], "bytes"),
        "times": (pa.array([HOUR]), [HOUR.replace(tzinfo=dt.UTC)], "without a zone"),
    }
    refused: dict[str, Refusal] = {
        name: (lambda keys=keys: Keys(keys), error, (word,))
        for name, (keys, error, word) in never.items()
    }
    for name, (keys, error, word) in together.items():
        call: Call = lambda keys=keys: Keys(keys, by=("a", "b"))  # noqa: E731
        refused[f"{name}, of two columns"] = (call, error, (word,))
    for name, (x, keys, word) in of_another_kind.items():  # before a value is read
        call = lambda x=x, keys=keys: Keys(keys).check([Labels(x)])  # noqa: E731
        refused[f"no {name}"] = (call, TypeError, ("keys must be", word))
    refused["one of two"] = (
        lambda: Keys([1]).check([Labels([1]), Labels([1])]), ValueError, ("each of 2 columns",)
    )  # fmt: skip
    check_refusals(refused)
    Keys(["a", 1]).check([Labels(["a", 1])])


def test_tables() -> None:
    visits = {"age": [SECRET], "sex": ["f"]}
    tables: dict[str, Any] = {
        "dict": visits,
        "pandas": pd.DataFrame(visits),
        "polars": pl.DataFrame(visits),
        "pyarrow": pa.table(visits),
        "DuckDB": duckdb.from_arrow(pa.table(visits)),
        "array": np.array([(SECRET, "f")], [("age", int), ("sex", "U1")]),
    }
    twice: dict[str, Any] = {
        "pandas": pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "pyarrow": pa.table([[1], [2]], names=["a", "a"]),
        "DuckDB": duckdb.sql("select 1 as a, 2 as a"),
    }
    never: dict[str, tuple[Any, type[Exception], str]] = {
        "a lazy frame": (pl.LazyFrame(visits), TypeError, "computed first: call its collect"),
        "two lengths": ({"a": [1, 2], "b": [1]}, ValueError, "columns of one length"),
        "one dimension": (np.arange(3), ValueError, "two dimensions"),
        "records": ([{"a": 1}], TypeError, "a frame of pandas or polars"),
        "nothing": (None, TypeError, "not None"),
        "a column of polars": (pl.Series([1]), TypeError, "not Series"),
        "a column of pandas": (pd.Series([1]), TypeError, "not Series"),
        "a reader": (pa.table(visits).to_reader(), TypeError, "read_all"),
    }
    refused: dict[str, Refusal] = {
        name: (lambda x=x: open_table(x), error, ("table must", word))
        for name, (x, error, word) in never.items()
    }
    for name, x in tables.items():
        for given in ("Age", 0):  # it may be a label, and is not shown
            refused[f"{given} of {name}"] = (
                lambda x=x, given=given: open_table(x, "visits").column(given, "by"), ValueError,
                ("by must be a column of visits, which has 'age', 'sex'",),
            )  # fmt: skip
    for name, x in twice.items():
        refused[f"a name that {name} has twice"] = (
            lambda x=x: open_table(x).column("a", "by"), ValueError, ("'a'", "more than once")
        )  # fmt: skip
    refused["no column"] = (
        lambda: open_table({}).column("a", "by"), ValueError, ("which has none",)
    )  # fmt: skip
    check_refusals(refused, never=("Age", str(SECRET)))


def relation_of(failing: str) -> Any:
    return duckdb.sql(f"select {failing} as a from (values ('secret')) of_(s)")


@pytest.mark.parametrize("kind", ["query", "conversion"])
def test_a_relation_that_fails_shows_no_record(kind: str) -> None:
    failing = {"query": "error('secret')", "conversion": "s::int"}[kind]
    labels = Labels(open_table(relation_of(failing)).column("a", "by"))
    in_pieces = Labels(open_table(relation_of(failing)).column("a", "by"))
    refused: dict[str, Refusal] = {
        "at once": (labels.read, ValueError, ("could not be read",)),
        "in pieces": (
            lambda: add_pieces(lambda: [len(in_pieces.read())], [in_pieces]), ValueError,
            ("could not be read",),
        ),
    }  # fmt: skip
    check_refusals(refused, never=("secret",))


def test_objects_of_polars_are_refused() -> None:
    """Arrow has their addresses: equal users would be many, and each row a user of its own."""

    class Own:
        pass

    series = pl.Series("u", [Own(), Own()], dtype=pl.Object)
    table = pl.DataFrame({"x": [1, 1]}).with_columns(series)
    never = cydp.PrivacyFilter(cydp.PureDP(1))
    refused: dict[str, Refusal] = {
        "users": (lambda: cydp.count(table, user="u", max_rows=1, epsilon=1, budget=never),
                  TypeError, ("user must not be a polars column of Object",)),
        "entries": (lambda: cydp.count(series, epsilon=1, budget=never), TypeError, ("Object",)),
        "a frame": (lambda: exact.match_keys(table[["u"]], [1]), TypeError, ("Object",)),
        "keys": (lambda: exact.Keys(series), TypeError, ("keys must not be",)),
        "partitions": (lambda: exact.bound_contributions([1, 1], series, max_partitions=1),
                       TypeError, ("partitions must not be",)),
        "by": (lambda: cydp.group_by(table, "u", epsilon=1, delta=1e-5, budget=never), TypeError,
               ("by must not be",)),
    }  # fmt: skip
    check_refusals(refused)
    assert never.spent == cydp.PureDP(0)
