"""The type of labels is what a column declares, whatever it holds."""

import datetime as dt
import uuid
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from columns.labelled import DAY, HOUR, codes_of, found_in

from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp.exact._label_sets import find_labels
from cydp.exact._lookup import match_labels


def test_one_record_changes_no_dtype() -> None:
    """A record is null, large, or absent."""
    for dtype, entries in (("int64", [1, 2**62]), ("float64", [1.5, np.nan]), ("U5", ["a", "z"])):
        for rows in ([], entries[:1], entries):
            labels = Labels(np.array(rows, dtype))
            assert find_labels([labels]).arrays[0].dtype == Labels(np.zeros(3, dtype)).dtype
    for rows in ([1, 2], [1, None], [1, 2**70], [True, None], [1.5], [1, "a"], [None], []):
        (labels,) = find_labels([Labels(rows)]).arrays
        assert labels.dtype == object
        assert labels.tolist() == [entry for entry in rows if entry is not None]


DUCKDB_TYPES = ["boolean", "tinyint", "utinyint", "bigint", "ubigint", "float", "double", "hugeint",
                "uhugeint", "decimal(5, 2)", "decimal(30, 2)", "varchar", "blob", "uuid", "date",
                "time", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz",
                "enum('1', '2')", "bit"]  # fmt: skip
ARROW_TYPES: list[Any] = [
    pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.string(),
    pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(),
    pa.binary(3), pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"),
    pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ns", "Asia/Kolkata"), pa.duration("ms"),
    pa.decimal128(5, 2), pa.decimal256(50, 3), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.date32()), pa.dictionary(pa.int16(), pa.int64()),
]  # fmt: skip
PANDAS_TYPES = ["float32", "object", "boolean", "Int8", "UInt64", "Float32", "str", "category",
                "datetime64[s]", "datetime64[ns, Asia/Kolkata]", "timedelta64[ms]", "period[D]",
                "interval[float64]", "date32[pyarrow]"]  # fmt: skip
POLARS_TYPES = [pl.Boolean, pl.Int8, pl.UInt64, pl.Float32, pl.String, pl.Binary, pl.Date, pl.Time,
                pl.Datetime("ms"), pl.Datetime("us", "UTC"), pl.Duration("ns"), pl.Decimal(9, 3),
                pl.Categorical, pl.Enum(["1"]), pl.Null]  # fmt: skip


def null_columns(rows: int) -> Iterator[tuple[Any, Any]]:
    """Columns of every type, in which all is null."""
    for kind in DUCKDB_TYPES:
        yield kind, duckdb.sql(f"select null::{kind} as a from range({rows})")
    for kind in ARROW_TYPES:
        nulls = pa.nulls(rows, kind)
        yield kind, nulls
        yield kind, pa.chunked_array([nulls[:1], nulls[1:]] if rows else [], kind)
    for kind in POLARS_TYPES:
        yield kind, pl.Series([None] * rows, dtype=kind)
    for kind in PANDAS_TYPES:
        yield kind, pd.Series([None] * rows, dtype=kind)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_nulls_and_no_rows_have_the_declared_dtype(rows: int) -> None:
    keys = Keys(["a", 1, b"a", DAY])
    for kind, x in null_columns(rows):
        labels = Labels(x)
        found = find_labels([labels])
        assert (found.arrays[0].dtype, len(found)) == (labels.dtype, 0), kind
        assert found.codes.tolist() == [0] * rows, kind
        assert match_labels([labels], keys).tolist() == [4] * rows, kind


def test_types_of_duckdb() -> None:
    kinds: dict[str, tuple[str, list[Any]]] = {
        "hugeint": ("3", [3]), "decimal(5, 2)": ("1.5", [1.5]), "enum('x')": ("'x'", ["x"]),
        "uuid": (f"'{uuid.UUID(int=1)}'", [str(uuid.UUID(int=1))]),
        "time": ("'10:00'", [dt.time(10)]),
        "timestamp_s": ("'2024-02-29'", [DAY]), "timestamp_ns": ("'2024-02-29'", [DAY]),
        "timestamptz": ("'2024-02-29 10:30:00+00'", [HOUR.replace(tzinfo=dt.UTC)]),
        "blob": ("'x'", [b"x"]), "decimal(30, 2)": ("-1.5", [-1.5]),
    }  # fmt: skip
    for kind, (text, keys) in kinds.items():
        x = duckdb.sql(f"select unnest([{text}, null])::{kind} as a")
        assert codes_of(x, keys) == [0, 1], kind
        assert found_in(x)[1] == [0, 1]


def test_types_of_pandas() -> None:
    days = pd.Series(pd.to_datetime(["2024-02-29", None, "2024-03-01"]))
    for x, keys in (
        (days, [dt.date(2024, 3, 1), DAY]),
        (days.dt.tz_localize("Asia/Kolkata"), [days[2].tz_localize("Asia/Kolkata"),
                                               days[0].tz_localize("Asia/Kolkata").tz_convert("UTC")]),
        (days.dt.to_period("D"), [pd.Period("2024-03-01", "D"), pd.Period(DAY, "D")]),
        (pd.cut(pd.Series([1, None, 5]), [0, 3, 6]), [pd.Interval(3, 6), pd.Interval(0, 3)]),
        (pd.Series(["b", None, "c"], dtype=pd.StringDtype("python")), ["c", "b"]),
        (pd.Series(["b", None, "c"], dtype="category"), ["c", "b"]),
        (pd.Index(["b", None, "c"]), ["c", "b"]),
    ):  # fmt: skip
        assert codes_of(x, keys) == [1, 2, 0], x.dtype
        assert found_in(x)[1] == [0, 2, 1], x.dtype
