"""releases/output/_arrow.py: columns for other tools."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from releases.output.made import KEYS, MADE, failing, made, with_counts

import cydp
from cydp.releases._histogram_release import TableRelease
from cydp.testing import SeededGenerator


def check_every_release_is_a_table_in_four_tools(name: str) -> None:
    release = made(name)
    frame, table = release.to_pandas(), pa.table(release)
    assert table.num_rows == len(frame)
    assert table.column_names == list(frame)
    for column in frame:
        assert table[column].to_pylist() == [_as_date(entry) for entry in frame[column]]
    found = duckdb.sql("select * from release")
    assert found.columns == list(frame)
    assert found.fetchall() == list(zip(*table.to_pydict().values(), strict=True))
    if name not in ("bounds", "no bounds"):  # a pair of numbers, which polars makes a column
        assert pl.DataFrame(release).to_dict(as_series=False) == table.to_pydict()


def test_every_release_is_a_table_in_four_tools() -> None:
    assert failing(check_every_release_is_a_table_in_four_tools, MADE) == {}


def _as_date(entry: Any) -> Any:
    """pandas has dates as times."""
    return entry.date() if isinstance(entry, pd.Timestamp) else entry


def test_bins_and_keys_are_columns() -> None:
    for name, columns in (
        ("histogram", ["left", "right"]),
        ("two axes", ["x0_left", "x0_right", "x1_left", "x1_right"]),
        ("histogram by", ["key", "x_left", "x_right"]),
    ):
        frame = made(name).to_pandas()
        assert list(frame) == [*columns, "count", "count_lower", "count_upper"]
        assert list(made(name).to_pandas(confidence=None)) == [*columns, "count"]
        assert frame["count"].tolist() == made(name).counts.ravel().tolist()
        assert frame["count"].dtype == np.int64
    assert frame["key"].tolist() == [key for key in KEYS for _ in range(3)]
    assert pa.table(with_counts([2**53 + 1]))["count"].to_pylist() == [2**53 + 1]


def test_intervals_are_columns() -> None:
    release = made("group_by")
    for simultaneous, count in ((False, 1), (True, 2)):
        frame = release.to_pandas(confidence=0.9, simultaneous=simultaneous)
        for name in ("n", "sum_x", "mean_x"):
            lower, upper = release.interval(0.9, count=count, column=name)
            assert frame[f"{name}_lower"].tolist() == lower.tolist()
            assert frame[f"{name}_upper"].tolist() == upper.tolist()
        assert "median_x_lower" not in frame
    lower, upper = made("mean").interval(0.99)
    frame = made("mean").to_pandas(confidence=0.99)
    assert frame.iloc[0].tolist() == [made("mean").value, lower, upper]


def check_intervals_are_the_same_in_each_tool(name: str) -> None:
    release = made(name)
    for more in ({}, {"confidence": 0.9, "simultaneous": True}, {"confidence": None}):
        expected = release.to_pandas(**more)
        table = release.to_arrow(**more)
        assert table.column_names == list(expected)
        if name not in ("bounds", "no bounds"):
            assert release.to_polars(**more).to_dict(as_series=False) == table.to_pydict()
        for column in expected:
            assert table[column].to_pylist() == [_as_date(entry) for entry in expected[column]]


def test_intervals_are_the_same_in_each_tool() -> None:
    assert failing(check_intervals_are_the_same_in_each_tool, MADE) == {}
    assert pa.table(made("mean")).equals(made("mean").to_arrow(confidence=0.95))


def test_the_schema_says_what_the_numbers_are() -> None:
    release = cydp.count(
        {"v": [7, 9]}, column="v", user="v", max_rows=1, epsilon="1/8", delta=1e-6,
        noise="gaussian",
    )  # fmt: skip
    said = release.to_arrow(confidence=0.9, simultaneous=True).schema.metadata
    expected = release.to_dict()
    for name in ("title", "relation", "protects"):
        assert said[name.encode()].decode() == expected[name]
    assert said[b"notes"].decode().splitlines() == list(expected["notes"]) != []
    assert (said[b"epsilon"], said[b"delta"]) == (b"1/8", b"1/1000000")
    assert (said[b"confidence"], said[b"intervals"]) == (b"0.9", b"all cells together")
    assert pa.table(release).schema.metadata[b"intervals"] == b"each cell"
    none = release.to_arrow(confidence=None).schema.metadata
    assert not {b"confidence", b"intervals"} & set(none)
    odd = cydp.count({"\ud800": ["a"]}, column="\ud800", user="\ud800", max_rows=1, epsilon=1)
    assert rb"\ud800" in odd.to_arrow().schema.metadata[b"protects"]


def test_names_do_not_clash() -> None:
    table = {"n": ["a"], "n_lower": ["b"], "n_": [1]}
    release = cydp.group_by(table, ["n", "n_lower", "n_"], keys=[("a", "b", 1)], epsilon=1)
    names = list(release.to_pandas(confidence=0.9))
    assert len(set(names)) == len(names) == 6
    assert names[-3:] == ["n", "n_lower", "n_upper"]
    assert pa.table(release).num_columns == 6
    other = cydp.group_by({"N": ["a"], "a": [1], "A": [2]}, ["N", "a", "A"], keys=[("a", 1, 2)],
                          epsilon=1)  # fmt: skip
    assert duckdb.from_arrow(other).columns == list(other.to_pandas()) == [
        "N_", "a", "A_", "n", "n_lower", "n_upper",
    ]  # fmt: skip


def test_selected_keys_have_the_name_of_their_column() -> None:
    release = cydp.top_k({"educ": ["a", "b"]}, 1, ["a", "b"], column="educ", epsilon=1)
    assert list(release.to_pandas()) == pa.table(release).column_names
    assert list(release.to_pandas(confidence=None)) == ["educ", "rank"]
    assert list(release.to_pandas())[2:] == ["rank_error_rows"]
    assert repr(release).splitlines()[3].split() == ["educ", "rank"]
    assert list(made("top").to_pandas(confidence=None)) == ["key", "rank"]


def test_errors_in_another_unit_are_columns_where_there_are_no_intervals() -> None:
    table = {"user": [i // 3 for i in range(90)], "x": [float(i % 50) for i in range(90)]}
    bound = cydp.contribution_bound(table, user="user", max=9, share=0.9, epsilon=1)
    (row,) = bound.to_pandas().to_dict("records")
    assert row == {
        "share": 0.9, "of": "users", "unit": "rows", "bound": bound.value,
        "bound_error_users": bound.rank_error(),
    }  # fmt: skip
    chosen = cydp.quantile(table, [0.25, 0.5], (0, 50), column="x", epsilon=1)
    frame = pa.table(chosen).to_pydict()
    assert list(frame) == ["q", "quantile", "quantile_error_ranks"]
    assert frame["quantile_error_ranks"] == chosen.to_dict()["columns"]["quantile"]["error"]["each"]
    interval = cydp.median(table, (0, 50), column="x", epsilon=1, interval=0.9)
    ends = ["median", "median_lower", "median_upper"]
    assert list(interval.to_pandas(confidence=0.9)) == ends
    assert list(interval.to_pandas(confidence=0.99)) == ["median", "median_error_ranks"]


def test_halves_of_surrogate_pairs_are_escaped() -> None:
    keys = ["a", "\ud800", "\udfff", "\U00010000"]
    expected = ["a", r"\ud800", r"\udfff", "\U00010000"]
    release = cydp.value_counts({"\ud801": keys}, keys, column="\ud801", epsilon=1)
    frame, table = release.to_pandas(confidence=0.9), pa.table(release)
    assert next(iter(frame)) == table.column_names[0] == r"\ud801"
    assert frame[r"\ud801"].tolist() == table[r"\ud801"].to_pylist() == expected
    mixed = cydp.value_counts([], ["\ud800", 1, ("\ud801",)], epsilon=1)
    assert mixed.to_pandas()["key"].tolist() == [r"\ud800", 1, ("\ud801",)]
    assert pa.table(mixed)["key"].to_pylist() == [r"\ud800", "1", r"('\ud801',)"]


NAIVE, AWARE = datetime(2026, 1, 2, 3, 4, 5, 6), datetime(2026, 1, 2, tzinfo=UTC)

COLUMNS: dict[str, tuple[Any, Any, list[Any]]] = {
    **{
        dtype: (np.array([0, 1, 3], dtype), getattr(pa, dtype)(), [0, 1, 3])
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    "large uint64": (np.array([2**64 - 1], "uint64"), pa.uint64(), [2**64 - 1]),
    "swapped": (np.array([1, 2], ">i4"), pa.int32(), [1, 2]),
    "float32": (np.array([0.5, np.inf], "f4"), pa.float32(), [0.5, np.inf]),
    "float64": (np.array([0.5, -1]), pa.float64(), [0.5, -1.0]),
    "bool": (np.array([True, False] * 5), pa.bool_(), [True, False] * 5),
    "text": (np.array(["a", "é", ""]), pa.string(), ["a", "é", ""]),
    "bytes": (np.array([b"a", b""]), pa.binary(), [b"a", b""]),
    "days": (np.array(["2026-01-02", "NaT"], "M8[D]"), pa.date32(), [date(2026, 1, 2), None]),
    "years": (np.array(["2026"], "M8[Y]"), pa.date32(), [date(2026, 1, 1)]),
    "months": (np.array(["2026-03"], "M8[M]"), pa.date32(), [date(2026, 3, 1)]),
    "weeks": (np.array(["2026-01-01"], "M8[W]"), pa.date32(), [date(2026, 1, 1)]),
    "far years": (np.array(["99999999"], "M8[Y]"), pa.string(), ["99999999"]),
    "hours": (np.array(["2026-01-02T03"], "M8[h]"), pa.timestamp("s"), [datetime(2026, 1, 2, 3)]),
    "minutes": (np.array(["2026-01-02T03:04"], "M8[m]"), pa.timestamp("s"),
                [datetime(2026, 1, 2, 3, 4)]),
    "picoseconds": (np.array([1001], "M8[ps]"), pa.string(), ["1970-01-01T00:00:00.000000001001"]),
    **{
        f"instants in {unit}": (np.array([7, "NaT"], f"M8[{unit}]"), pa.timestamp(unit), [7, None])
        for unit in ("s", "ms", "us", "ns")
    },
    **{
        f"spans in {unit}": (np.array([7, "NaT"], f"m8[{unit}]"), pa.duration(unit), [7, None])
        for unit in ("s", "ms", "us", "ns")
    },
    "span in days": (np.array([2], "m8[D]"), pa.duration("s"), [2 * 86400]),
    "span in months": (np.array([2], "m8[M]"), pa.string(), ["2 months"]),
    "objects: text": (["a", None, "é"], pa.string(), ["a", None, "é"]),
    "objects: bytes": ([b"a", None], pa.binary(), [b"a", None]),
    "objects: bool": ([True, None], pa.bool_(), [True, None]),
    "objects: int": ([1, None, np.int8(-3)], pa.int64(), [1, None, -3]),
    "objects: large int": ([2**70, 1], pa.string(), [str(2**70), "1"]),
    "objects: float": ([0.5, None], pa.float64(), [0.5, None]),
    "objects: date": ([date(2026, 1, 2), None], pa.date32(), [date(2026, 1, 2), None]),
    "objects: datetime": ([NAIVE, None], pa.timestamp("us"), [NAIVE, None]),
    "objects: aware": ([AWARE], pa.timestamp("us", "UTC"), [1_767_312_000 * 10**6]),
    "objects: span": ([timedelta(1), None], pa.duration("us"), [timedelta(1), None]),
    "objects: decimal": ([Decimal("1.50")], pa.string(), ["1.50"]),
    "objects: mixed": ([1, "1", None, 0.5, True, (1, 2)], pa.string(),
                       ["1", "1", None, "0.5", "True", "(1, 2)"]),
    "objects: None": ([None, None], pa.string(), [None, None]),
    "nothing": (np.array([], object), pa.string(), []),
    "no days": (np.array([], "M8[D]"), pa.date32(), []),
}  # fmt: skip


def objects(entries: list[Any]) -> np.ndarray[Any, Any]:
    found = np.empty(len(entries), object)
    found[:] = entries
    return found


def table_of(keys: np.ndarray[Any, Any]) -> TableRelease:
    """A table with these keys."""
    counts = np.arange(len(keys))
    blank = cydp.value_counts([], list(range(max(len(keys), 1))), epsilon=1, rng=SeededGenerator(1))
    return TableRelease(query=blank.query, key_names=("k",), key_columns=(keys,), steps=(counts,))


def check_keys_of_every_kind(name: str) -> None:
    given, kind, expected = COLUMNS[name]
    keys = given if isinstance(given, np.ndarray) else objects(given)
    release = table_of(keys)
    table = pa.table(release)
    table.validate(full=True)
    column = table["k"]
    assert column.type == kind
    if expected and isinstance(expected[0], int) and (pa.types.is_temporal(kind)):
        column = column.cast(pa.int64())
    assert column.to_pylist() == expected
    assert pl.DataFrame(release)["k"].null_count() == expected.count(None)
    assert duckdb.sql("select count(*), count(k) from release").fetchall() == [
        (len(keys), len(keys) - expected.count(None))
    ]
    assert len(release.to_pandas()) == len(keys)
    assert len(release.to_text()) > 0
    assert "<table" in release.to_html() or not len(keys)
    assert release.to_json()


def test_keys_of_every_kind() -> None:
    assert failing(check_keys_of_every_kind, COLUMNS) == {}


PROGRAM = """
import sys
import cydp.releases
late = ("matplotlib", "pandas", "nanoarrow", "uhi", "boost_histogram", "polars")
assert not any(name in sys.modules for name in late)
found = {name for name in sys.modules if name.startswith("cydp.releases.output.")}
assert found == {f"cydp.releases.output.{n}" for n in ("_sheet", "_tabular", "_exportable")}, found
release = cydp.histogram([1], 2, (0, 2), epsilon=1)
repr(release), release.to_html(), release.to_json(), release.to_uhi()
assert not any(name in sys.modules for name in late)

def to_parquet():
    release.to_parquet("there_is_none.parquet")

missing = ("matplotlib", "pandas", "pyarrow", "polars", "duckdb")
for name in missing:  # as if they were not installed
    sys.modules[name] = None
release.to_csv()
for call, words in ((release.plot, "plot needs matplotlib: pip install 'cydp[plot]'"),
                    (release.to_pandas, "to_pandas needs pandas: pip install pandas"),
                    (release.to_polars, "to_polars needs polars: pip install polars"),
                    (release.to_arrow, "to_arrow needs pyarrow: pip install pyarrow"),
                    (to_parquet, "to_parquet needs duckdb: pip install 'cydp[files]'")):
    try:
        call()
    except ImportError as error:
        assert words == str(error), error
    else:
        raise AssertionError(words)
import os
assert not os.path.exists("there_is_none.parquet")
del sys.modules["duckdb"], sys.modules["polars"]
import duckdb, polars
release = cydp.value_counts(["a", "b", "a"], ["a", "b", "c"], epsilon=100)
expected = [("a", 2), ("b", 1), ("c", 0)]
assert polars.DataFrame(release)[:, :2].rows() == expected
if int(duckdb.__version__.split(".")[0]) >= 2:  # before, DuckDB itself needs pyarrow for any Arrow
    assert duckdb.sql("select key, n from release").fetchall() == expected
    assert duckdb.from_arrow(release).select("key", "n").fetchall() == expected
assert not any(name.startswith("pyarrow.") for name in sys.modules)
"""


def test_outputs_import_what_they_need_when_they_are_used_and_say_what_is_missing() -> None:
    source = Path(cydp.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(source)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_pandas_holds_the_times_that_it_can() -> None:
    frame = table_of(np.array(["2026-01-02", "NaT"], "M8[D]")).to_pandas()
    assert frame["k"].tolist()[0] == pd.Timestamp(2026, 1, 2)
    assert frame["k"].isna().tolist() == [False, True]
    assert table_of(np.array([1001], "M8[ps]")).to_pandas()["k"].tolist() == [
        "1970-01-01T00:00:00.000000001001"
    ]
