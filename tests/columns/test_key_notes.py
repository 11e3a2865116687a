"""Notes on keys that suit a column by its type: the same for neighbouring tables, and no noise."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp._columns.csv_uses import DAYS, NOTES, OBJECTS
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys

VIENNA = "Europe/Vienna"
OF_OBJECTS, OF_TIMES = NOTES[OBJECTS], NOTES[DAYS]
# Tables that may be neighbours: the entries differ, and whether there is one.
ENTRIES: list[list[Any]] = [
    [], [None], [dt.date(2024, 1, 1)], ["2024-01-01"], [dt.date(2024, 1, 1), "12"], [1, None],
]  # fmt: skip
TIMES: list[list[Any]] = [[], [None], [dt.datetime(2024, 1, 1)], [dt.datetime(2024, 1, 2), None]]


def released(x: Any, keys: Any) -> list[Any]:
    """Return what all releases of keys of one column make."""
    table = pd.DataFrame({"x": x, "n": np.zeros(len(x))})
    return [
        cydp.value_counts(x, keys, epsilon=1),
        cydp.group_by(table, "x", keys=keys, epsilon=1),
        cydp.top_k(table, 1, keys, column="x", epsilon=1),
        cydp.group_by(table, ["x", "n"], keys={"x": keys, "n": [0]}, epsilon=1),
        cydp.histogram(table, 1, (0, 1), column="n", by="x", by_keys=keys, epsilon=1),
    ]


@pytest.mark.parametrize("entries", ENTRIES)
def test_keys_that_objects_may_miss_have_a_note_whatever_they_are(entries: list[Any]) -> None:
    for keys in (["2024-01-01"], ["AT", "12"], [dt.date(2024, 1, 1)]):
        for made in released(pd.Series(entries, dtype=object), keys):
            assert OF_OBJECTS in made.to_dict()["notes"], (keys, made)
        assert OF_OBJECTS in cydp.value_counts(entries, keys, epsilon=1).to_dict()["notes"]
    for keys in (["AT"], [1]):
        for made in released(pd.Series(entries, dtype=object), keys):
            assert OF_OBJECTS not in made.to_dict()["notes"], (keys, made)


@pytest.mark.parametrize("entries", TIMES)
def test_days_as_keys_of_times_have_a_note_whatever_they_are(entries: list[Any]) -> None:
    days: list[Any] = [
        ["2024-01-01"], ["2024-01"], [dt.date(2024, 1, 1)], np.array(["2024-01-01"], "M8[D]")
    ]  # fmt: skip
    for keys in days:
        for made in released(pd.Series(entries, dtype="M8[us]"), keys):
            assert OF_TIMES in made.to_dict()["notes"], (keys, made)
    for keys in (["2024-01-01T05:00"], [dt.datetime(2024, 1, 1, 5)]):
        for made in released(pd.Series(entries, dtype="M8[us]"), keys):
            assert OF_TIMES not in made.to_dict()["notes"], (keys, made)


CONTAINERS: dict[str, Callable[[str], Any]] = {
    "pandas": lambda zone: pd.Series([], dtype=f"datetime64[ns{zone and ', ' + zone}]"),
    "polars": lambda zone: pl.Series([], dtype=pl.Datetime("us", zone or None)),
    "pyarrow": lambda zone: pa.array([], pa.timestamp("us", zone or None)),
    "DuckDB": lambda zone: duckdb.sql(f"select null::timestamp{'tz' if zone else ''} as x"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_days_of_a_zone_begin_on_its_clock(name: str) -> None:
    for zone, key, is_day in (
        ("", "2024-01-01", True),
        ("", "2024-01-01T00:01", False),
        (VIENNA, f"2024-07-01[{VIENNA}]", True),
        (VIENNA, "2024-07-01+02:00", True),
        (VIENNA, f"2024-07-01T02:00[{VIENNA}]", False),  # midnight of UTC
    ):
        made = cydp.value_counts(CONTAINERS[name](zone), [key], epsilon=1)
        assert (OF_TIMES in made.to_dict()["notes"]) == is_day, (zone, key)


def test_days_of_a_column_of_days_have_no_note(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"t": [dt.datetime(2024, 1, 1)], "d": [dt.date(2024, 1, 1)]}).write_parquet(path)
    for column, has_note in (("t", True), ("d", False), (cydp.date_trunc("day", "t"), False)):
        made = cydp.group_by(path, column, keys=["2024-01-01"], epsilon=1)
        assert (OF_TIMES in made.to_dict()["notes"]) == has_note, column
        assert OF_OBJECTS not in made.to_dict()["notes"], column


def test_a_key_of_another_kind_is_refused_beside_others() -> None:
    for shape in (np.array([1]), pl.Series([1]), pa.array([1]), duckdb.sql("select 1 as x")):
        with pytest.raises(TypeError, match=r"^keys must be numbers, as the entries of by are$"):
            Keys([1, "2"]).check([Labels(shape)])
    table = pd.DataFrame({"c": ["AT"], "n": [1]})
    with pytest.raises(TypeError, match=r"^keys of 'n' must be numbers, as its entries are$"):
        cydp.group_by(table, ["c", "n"], keys=[("AT", 1), ("DE", "2")], epsilon=1)
