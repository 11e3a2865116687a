"""What a column declares is known before a charge; no value is read for it."""

import sys
from array import array
from collections import UserList, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp._columns.reading import read_numbers
from cydp._columns.sources import open_source

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64"]  # fmt: skip
NULLABLE = {"bool": "boolean", "int8": "Int8", "uint64": "UInt64", "float32": "Float32"}
ENTRIES: list[list[Any]] = [[1, 0, 1], [1, None, 1], [None, 0, 1], [None] * 3, [0], []]


def declared_dtype(x: Any) -> np.dtype[Any]:
    return open_source(x, "x").dtype()


def declared_length(x: Any) -> int | None:
    return open_source(x, "x").length


def arrow_columns(dtype: str, entries: list[Any]) -> dict[str, Any]:
    """A column of one type in every shape that is read through Arrow."""
    kind = pa.from_numpy_dtype(np.dtype(dtype))
    typed = [None if entry is None else np.dtype(dtype).type(entry).item() for entry in entries]
    arrow = pa.array(typed, kind)
    table = pa.table({"x": arrow})
    return {
        "pyarrow": arrow,
        "pyarrow chunks": pa.chunked_array([arrow[:1], arrow[1:]], kind),
        "pyarrow dictionary": arrow.dictionary_encode(),
        "pyarrow table": table,
        "pyarrow record batch": pa.record_batch({"x": arrow}),
        "pyarrow reader": table.to_reader(),
        "nanoarrow": na.Array(arrow),
        "nanoarrow stream": na.ArrayStream(arrow),
        "polars": pl.Series(arrow),
        "polars frame": pl.DataFrame({"x": arrow}),
        "pandas of Arrow": pd.Series(arrow.to_pandas(), dtype=pd.ArrowDtype(kind)),
        "DuckDB": duckdb.from_arrow(table),
    }


@pytest.mark.parametrize("entries", ENTRIES, ids=str)
def test_the_dtype_that_is_declared_is_the_one_that_is_read(entries: list[Any]) -> None:
    for dtype in DTYPES:
        for name, x in arrow_columns(dtype, entries).items():
            streams = name in ("DuckDB", "pyarrow reader", "nanoarrow stream")
            declared = declared_dtype(x), declared_length(x)
            assert declared == (np.dtype(dtype), None if streams else len(entries)), (dtype, name)
            assert read_numbers(x).dtype == np.dtype(dtype), (dtype, name)
        nullable = pd.Series(entries, dtype=NULLABLE.get(dtype, "Int64"))
        plain = np.ones(len(entries), dtype)
        masked = np.ma.array(plain, mask=[entry is None for entry in entries])
        for x, kind in (
            *((x, nullable.dtype.numpy_dtype) for x in (
                nullable, nullable.array, nullable.to_frame(), pd.Index(nullable))),
            *((x, np.dtype(dtype)) for x in (
                plain, pd.Series(plain), pd.Index(plain), pd.DataFrame({"x": plain}), masked)),
        ):  # fmt: skip
            assert declared_dtype(x) == read_numbers(x).dtype == kind, (dtype, type(x))
            assert declared_length(x) == len(entries)


def test_a_list_declares_nothing() -> None:
    rationals, nulls = [Fraction(1, 3), Decimal(1)], [pd.NA, np.ma.masked, None, 1]
    for x in ([], [1, 2], (1, 2.5), [True], [np.int8(1), None], [2**70], rationals, nulls,
              range(3), deque([1]), UserList([1, None])):  # fmt: skip
        assert declared_dtype(x) == np.float64
        assert declared_length(x) == len(x)
    assert declared_dtype(array("i", [1])) == declared_dtype(memoryview(array("i", [1]))) == np.intc


TEXT = ["31415", "9"]
WRONG: dict[str, Callable[[], Any]] = {
    "list of text": lambda: TEXT,
    "list with a text": lambda: [31415, "9"],
    "bytes": lambda: b"31415",
    "list of dates": lambda: [np.datetime64("1970-01-01")],
    "nested list": lambda: [[31415], [9]],
    "ragged list": lambda: [[31415, 1], [9]],
    "list of arrays": lambda: [np.array([31415])],
    "dict": lambda: {"a": [31415]},
    "iterator": lambda: iter([31415]),
    "numpy objects": lambda: np.array([31415], object),
    "numpy table": lambda: np.array([[31415]]),
    "pandas text": lambda: pd.Series(TEXT),
    "pandas text of Arrow": lambda: pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string())),
    "pandas text category": lambda: pd.Series(TEXT, dtype="category"),
    "pandas dates": lambda: pd.Series(pd.to_datetime(["1970-01-01"])),
    "pandas sparse": lambda: pd.Series(pd.arrays.SparseArray([31415])),
    "pandas frame of text": lambda: pd.DataFrame({"a": TEXT}),
    "pandas frame of two": lambda: pd.DataFrame({"a": [31415], "b": [9]}),
    "pandas frame of none": lambda: pd.DataFrame(index=[31415, 9]),
    "polars wide integers": lambda: pl.Series([31415], dtype=pl.Int128),
    "polars objects": lambda: pl.Series([object()]),
    "polars lazy": lambda: pl.LazyFrame({"a": [31415]}),
    "polars frame of text": lambda: pl.DataFrame({"a": TEXT}),
    "polars frame of two": lambda: pl.DataFrame({"a": [31415], "b": [9]}),
    "pyarrow no text": lambda: pa.array([], pa.string()),
    "pyarrow dictionary": lambda: pa.array(TEXT).dictionary_encode(),
    "pyarrow short decimals": lambda: pa.array([31415], pa.decimal32(9, 2)),
    "pyarrow decimals of a negative scale": lambda: pa.array([None], pa.decimal128(9, -2)),
    "pyarrow dates": lambda: pa.array([31415], pa.timestamp("s")),
    "pyarrow truths that are extensions": lambda: pa.ExtensionArray.from_storage(
        pa.bool8(), pa.array([1], pa.int8())
    ),
    "pyarrow table of text": lambda: pa.table({"a": TEXT}),
    "pyarrow table of two": lambda: pa.table({"a": [31415], "b": [9]}),
    "pyarrow reader of text": lambda: pa.table({"a": TEXT}).to_reader(),
    "DuckDB text": lambda: duckdb.sql("select '31415' as a"),
    "DuckDB wide integers": lambda: duckdb.sql("select 31415::uhugeint as a"),
    "DuckDB lists": lambda: duckdb.sql("select [31415] as a"),
    "DuckDB two": lambda: duckdb.sql("select 31415 as a, 9 as b"),
    "an expression": lambda: pl.col("a"),
    "a stream that says no type": lambda: Stream(),
}  # fmt: skip


class Stream:
    """Speaks Arrow and says nothing before it is read."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise AssertionError("the data was read")


def test_what_the_type_forbids_costs_nothing_and_shows_nothing() -> None:
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    allowed = []
    for name, make in WRONG.items():
        try:
            cydp.histogram(make(), 2, (0, 1), epsilon=1, budget=budget)
        except (TypeError, ValueError) as error:
            refused = str(error).startswith("x ") and "31415" not in str(error)
        else:
            refused = False
        if not refused or budget.remaining != cydp.PureDP(1):
            allowed.append(name)
    assert allowed == []


def test_no_value_is_read_for_the_dtype() -> None:
    failing = duckdb.sql("select error('read')::int as a")
    assert declared_dtype(failing) == np.int32
    with pytest.raises(ValueError, match="x could not be read"):
        read_numbers(failing)
    reader = pa.table({"x": [1, 2]}).to_reader()
    assert declared_dtype(reader) == declared_dtype(reader) == np.int64
    assert read_numbers(reader).tolist() == [1, 2]
    names = duckdb.sql("select 1 as slice")  # a relation has its columns as attributes
    assert declared_dtype(names) == np.int32


def test_without_nanoarrow_a_column_is_refused_by_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoarrow", None)
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    said = set()
    for entries in ENTRIES:
        for x in arrow_columns("int64", entries).values():
            with pytest.raises(ImportError) as info:
                cydp.histogram(x, 2, (0, 1), epsilon=1, budget=budget)
            said.add(str(info.value))
            with pytest.raises(ImportError) as info:
                read_numbers(x)
            said.add(str(info.value))
    assert said == {"x is read through Arrow, which needs nanoarrow: pip install nanoarrow"}
    assert budget.remaining == cydp.PureDP(1)
    for x in ([1, None], np.ones(1), pd.Series([1, None]), pd.DataFrame({"x": [1]})):
        assert cydp.histogram(x, 1, (0, 2), epsilon=1000).counts.tolist() == [1]
