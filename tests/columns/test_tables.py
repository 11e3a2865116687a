"""Tables of every library: columns by their names, before anything is read."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cydp._columns.declared import Labels, Records
from cydp._columns.tables import open_table
from cydp.exact._label_sets import find_labels

COLUMNS = {"age": [31, 64, 31], "sex": ["f", "m", "f"]}
RECORDS = np.array(list(zip(*COLUMNS.values(), strict=True)), [("age", int), ("sex", "U1")])
SHAPES: dict[str, Callable[[], Any]] = {
    "dict": lambda: dict(COLUMNS),
    "pandas": lambda: pd.DataFrame(COLUMNS, index=[7, 7, 7]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "batch": lambda: pa.record_batch(COLUMNS),
    "DuckDB": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
    "structured array": lambda: RECORDS,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_columns_by_their_names(shape: str) -> None:
    table = open_table(SHAPES[shape]())
    assert table.names == ("age", "sex")
    assert table.length == (None if shape == "DuckDB" else 3)
    ages, sexes = Records(table.column("age", "by")), Labels(table.column("sex", "by"))
    assert sexes.length == table.length
    found = find_labels([sexes])
    assert found.arrays[0].tolist() == ["f", "m"]
    assert found.codes.tolist() == [0, 1, 0]
    assert ages.read().tolist() == [31, 64, 31]


def test_columns_of_an_array_by_their_numbers() -> None:
    table = open_table(np.arange(6).reshape(3, 2))
    assert table.names == (0, 1)
    assert table.column(1, "by").x.tolist() == [1, 3, 5]
    assert table.column(np.int64(0), "by").x.tolist() == [0, 2, 4]
    for given in (2, -1, True, "0"):  # True is not the column at 1
        with pytest.raises(ValueError, match="which has 0, 1"):
            table.column(given, "by")


def test_a_column_instead_of_a_name() -> None:
    table = open_table(COLUMNS)
    for given in ([1, 2, 3], np.arange(3), pd.Series([1, 2, 3]), pl.Series([1, 2, 3]),
                  pd.Index([1, 2, 3]), pa.array([1, 2, 3])):  # fmt: skip
        assert table.column(given, "user").length == 3
        with pytest.raises(ValueError, match="user must have an entry for each row of table"):
            table.column(given[:2], "user")


def test_a_relation_runs_once_and_only_when_it_is_read() -> None:
    """The rows of two executions need not fit together: here the table changes between them."""
    connection = duckdb.connect()
    connection.execute("create table visits as select i, 10 * i as tens from range(100) t(i)")
    table = open_table(connection.sql("from visits"))
    first, second = Records(table.column("i", "x")), Labels(table.column("tens", "by"))
    again = Labels(table.column("i", "by"))
    assert table.length is None
    connection.execute("insert into visits values (100, 1000)")
    read = first.read().tolist()
    assert sorted(read) == list(range(101))
    connection.execute("delete from visits where i < 50")
    assert second.read().values.tolist() == [10 * i for i in read]  # type: ignore[union-attr]
    assert again.read().values.tolist() == read  # type: ignore[union-attr]
    other = open_table(connection.sql("from visits"))
    Labels(other.column("i", "by")).read()
    with pytest.raises(ValueError, match="chosen before one of them is read"):
        other.column("tens", "by")


def test_names_in_quotes_and_no_rows() -> None:
    table = open_table(duckdb.sql("""select 1 as "a""b", 'x' as "select" where false"""))
    assert Labels(table.column('a"b', "by")).read().values.tolist() == []  # type: ignore[union-attr]
    assert (len(open_table({}).names), open_table({}).count_rows()) == (0, 0)
