"""Decimals of every table are read as the nearest floats, whatever the other rows hold."""

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp._columns.declared import Records
from cydp._columns.stored_tables import open_data_table

FORMS = [(4, 2), (18, 2), (38, 10), (38, 0), (38, 38), (76, 0), (76, 76), (60, 25)]


def stored(units: list[int | None], precision: int, scale: int) -> Any:
    """Return a column of pyarrow from its units, whatever the decimal context is."""
    of = pa.decimal128 if precision <= 38 else pa.decimal256
    width = 16 if precision <= 38 else 32
    held = b"".join((unit or 0).to_bytes(width, "little", signed=True) for unit in units)
    present = pa.array([unit is not None for unit in units], pa.bool_())
    buffers = [present.buffers()[1], pa.py_buffer(held)]
    return pa.Array.from_buffers(of(precision, scale), len(units), buffers)


def shapes(column: Any, precision: int) -> dict[str, Any]:
    """Return the same decimals in each library that holds so many digits."""
    made = {
        "pyarrow": column,
        "chunks": pa.chunked_array([column[:3], column[3:]]),
        "a table": pa.table({"a": column}),
        "pandas": pd.Series(column, dtype=pd.ArrowDtype(column.type)),
    }
    if precision <= 38:
        made["polars"] = pl.Series(column)
        made["DuckDB"] = duckdb.from_arrow(pa.table({"a": column}))
    return made


@pytest.mark.parametrize(("precision", "scale"), FORMS)
def test_each_is_the_nearest_float(precision: int, scale: int) -> None:
    """Beside 2**53 and powers of ten above 10**22 a quotient of floats is rounded twice."""
    rng = random.Random(f"{precision}, {scale}")
    units = [rng.randrange(-(10**n), 10**n) for n in range(1, precision + 1) for _ in range(9)]
    if precision >= 18:
        units += [2**53, 2**53 + 1, -(2**53), -(2**53) - 1]
    column = stored([None, *units, None], precision, scale)
    nearest = [None, *(float(Fraction(unit, 10**scale)) for unit in units), None]
    for name, shape in shapes(column, precision).items():
        records = Records(shape)
        assert (records.dtype, records.has_integers) == (float, False)
        assert records.read().tolist() == nearest, name
        assert Records(column[5:].dictionary_encode()).read().tolist() == nearest[5:]


def test_files_and_queries_read_them_as_columns_are(tmp_path: Path) -> None:
    column = stored([10**37 // 3, 10**17 // 7, -5, None], 38, 10)
    relation = duckdb.from_arrow(pa.table({"a": column}))
    relation.write_parquet(str(tmp_path / "t.parquet"))
    wide = duckdb.sql("select a::hugeint as a from (values (2::hugeint**120 - 1), (-5)) t(a)")
    for table in (tmp_path / "t.parquet", pl.scan_parquet(tmp_path / "t.parquet")):
        read = Records(open_data_table(table).column("a", "x")).read()
        assert read.tolist() == Records(column).read().tolist()
    assert Records(wide).read().tolist() == [2.0**120, -5]


@pytest.mark.parametrize("name", ["pyarrow", "chunks", "pandas", "polars", "DuckDB"])
def test_what_a_record_holds_changes_its_own_entry_alone(name: str) -> None:
    """Neither its size, nor that it is missing or last, changes a dtype or another entry."""
    rest: list[int | None] = [150, -1, 10**30 + 1]
    alone = Records(shapes(stored(rest, 38, 2), 38)[name]).read().tolist()
    for one in (7, None, 2**53 + 1, 10**37, -(10**37)):
        records = Records(shapes(stored([*rest, one], 38, 2), 38)[name])
        assert records.dtype == float
        assert records.read().tolist()[:3] == alone
    for few in ([], [None]):
        records = Records(shapes(stored([*few], 38, 2), 38)[name])
        assert (records.dtype, len(records.read())) == (float, len(few))


@pytest.mark.parametrize(
    "table",
    [
        lambda a: duckdb.from_arrow(pa.table({"a": a})),
        lambda a: pl.DataFrame({"a": pl.Series(a)}),
        lambda a: pl.LazyFrame({"a": pl.Series(a)}),
        lambda a: pa.table({"a": a}),
    ],
)
def test_money_is_released(table: Callable[[Any], Any]) -> None:
    euros = table(stored([150] * 1000, 18, 2))
    assert abs(cydp.mean(euros, (0, 10), column="a", epsilon=10).value - 1.5) < 0.1
    counts = cydp.histogram(euros, [0, 1, 2], column="a", epsilon=10).counts
    assert abs(counts[1] - 1000) < 10
