"""Columns of dates and times: read alike from each library, and told by their types alone."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from columns.timed import DATES, INSTANTS, TIMES, Shape

import cydp
from cydp._columns.times import NAT, Times, in_units

SECOND, DAY = 10**9, 86_400 * 10**9
DAYS = [
    dt.date(2024, 2, 29),
    None,
    dt.date(1969, 12, 31),
    dt.date(2024, 2, 29),
    dt.date(1700, 1, 1),
]
HOURS = [dt.datetime(2024, 2, 29, 23, 59, 59), None, dt.datetime(1969, 12, 31, 1), None,
         dt.datetime(1700, 1, 1)]  # fmt: skip
EPOCH = dt.datetime(1970, 1, 1)


def nanoseconds_of(column: Times) -> list[int | None]:
    values = column.read()
    assert values.dtype == np.int64
    return [None if each is None else each * column.nanoseconds for each in values.tolist()]


def expected(entries: list[Any]) -> list[int | None]:
    found = []
    for each in entries:
        if each is not None and not isinstance(each, dt.datetime):
            each = dt.datetime(each.year, each.month, each.day)
        found.append(None if each is None else (each - EPOCH) // dt.timedelta(seconds=1) * SECOND)
    return found


@pytest.mark.parametrize("name", DATES)
def test_dates_are_read_alike(name: str) -> None:
    column = Times(DATES[name](DAYS), "x", has_zone=False, nanoseconds=DAY)
    assert nanoseconds_of(column) == expected(DAYS)
    assert column.length in (len(DAYS), None)


@pytest.mark.parametrize("name", TIMES)
def test_times_are_read_alike(name: str) -> None:
    column = Times(TIMES[name](HOURS), "x", has_zone=False, nanoseconds=SECOND)
    assert nanoseconds_of(column) == expected(HOURS)


@pytest.mark.parametrize("name", INSTANTS)
def test_instants_are_read_alike(name: str) -> None:
    column = Times(INSTANTS[name](HOURS), "x", has_zone=True, nanoseconds=SECOND)
    assert nanoseconds_of(column) == expected(HOURS)


@pytest.mark.parametrize("shape", [*INSTANTS.values()][1:])
def test_a_zone_is_never_dropped(shape: Shape) -> None:
    with pytest.raises(TypeError, match=r"x has a time zone, so bins, range and bounds must have"):
        Times(shape(HOURS), "x", has_zone=False, nanoseconds=1)


@pytest.mark.parametrize("shape", [*DATES.values(), *[*TIMES.values()][1:]])
def test_a_zone_is_never_made_up(shape: Shape) -> None:
    entries = DAYS if shape in DATES.values() else HOURS
    with pytest.raises(TypeError, match="x has no time zone, so bins, range and bounds must have"):
        Times(shape(entries), "x", has_zone=True, nanoseconds=1)


def test_an_entry_of_a_list_that_is_of_the_other_kind_is_missing() -> None:
    mixed = [dt.datetime(1970, 1, 2), dt.datetime(1970, 1, 3, tzinfo=dt.UTC)]
    naive = Times(mixed, "x", has_zone=False, nanoseconds=DAY).read()
    aware = Times(mixed, "x", has_zone=True, nanoseconds=DAY).read()
    assert (naive.tolist(), aware.tolist()) == ([1, None], [None, 2])


class HostileZone(dt.tzinfo):
    """A zone that shows a record when it is asked."""

    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
        raise RuntimeError(str(when))


FAR = {
    "DuckDB date": duckdb.sql("select unnest(['infinity'::date, '-infinity'::date, null, "
                              "'1970-01-02'::date, '290308-12-22 (BC)'::date]) as x"),
    "DuckDB timestamp": duckdb.sql("select unnest(['infinity'::timestamp, '-infinity', null, "
                                   "'1970-01-02', '294247-01-10']) as x"),
    "polars": pl.Series([2**63 - 1, -(2**63), None, DAY // 1000]).cast(pl.Datetime("us")),
    "pyarrow": pa.array([2**31 - 1, -(2**31), None, 1], pa.int32()).cast(pa.date32()),
    "numpy": np.array([2**63 - 1, -(2**63) + 1, NAT, DAY], np.int64).view("M8[ns]"),
    "list": [dt.datetime(9999, 12, 31, 23, 59, 59, 999_999), dt.datetime(1, 1, 1), None,
             dt.date(1970, 1, 2), np.datetime64(2**63 - 1, "h"), np.datetime64("NaT"),
             np.datetime64(1, "Y"), pd.NaT, dt.datetime(2024, 1, 1, tzinfo=HostileZone())],
}  # fmt: skip


@pytest.mark.parametrize("name", FAR)
def test_no_record_raises_or_warns(name: str) -> None:
    """Infinities, NaT and years that other types lack are numbers, or missing, as any record."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column = Times(FAR[name], "x", has_zone=False, nanoseconds=DAY)
        values = column.read()
    assert values.dtype == np.int64
    assert (np.ma.compressed(values) == DAY // column.nanoseconds).sum() == 1


def test_a_list_is_bounded_as_a_column_of_64_bits() -> None:
    far = [dt.datetime(9999, 12, 31), dt.datetime(1, 1, 1), dt.datetime(1970, 1, 1)]
    column = Times(far, "x", has_zone=False, nanoseconds=1)
    assert column.read().tolist() == [2**63 - 1, NAT + 1, 0]


REFUSED = {
    "numbers": (np.array([1.5]), "not numbers"),
    "a list of numbers": ([1, dt.date(2024, 1, 1)], "not int"),
    "text": (pl.Series(["2024-01-01"]), "not text"),
    "time spans": (np.array([1], "m8[s]"), "not time spans"),
    "objects": (np.array([dt.date(2024, 1, 1)], object), "objects: convert them to datetime64"),
    "periods": (pd.Series(pd.period_range("2024-01", periods=2, freq="M")), "not periods"),
    "months": (np.array(["2024-01"], "M8[M]"), "no fixed length: take days"),
    "times of day": (pa.array([1], pa.time64("us")), "not times of day"),
    "DuckDB text": (duckdb.sql("select '2024-01-01' as x"), "not text"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_times_is_refused_by_its_type(name: str) -> None:
    column, words = REFUSED[name]
    nothing = column[:0] if hasattr(column, "__getitem__") and name != "DuckDB text" else column
    if name == "a list of numbers":
        nothing = [1]
    for each in (column, nothing):
        with pytest.raises(TypeError, match=words):
            Times(each, "x", has_zone=False, nanoseconds=1)


def test_nulls_alone_are_missing_times() -> None:
    for nulls in (
        pa.nulls(2),
        pl.Series([None, None]),
        [None, pd.NaT],
        pd.Series([pd.NaT] * 2),
        pd.Series(pd.Categorical([None, None])),
        duckdb.sql("select null as x from range(2)"),
    ):
        assert Times(nulls, "x", has_zone=False, nanoseconds=1).read().tolist() == [None, None]


def test_units_are_rounded_down_and_end_where_64_bits_end() -> None:
    units = [1, 10**3, 10**6, 10**9, 7 * 10**9, 3600 * 10**9, DAY, 7 * DAY]
    times = np.array([0, 1, -1, 86_399, 10**17, -(10**17), 2**63 - 1, NAT + 1])
    for held in units:
        for wanted in units:
            found = in_units(times, held, wanted)
            for time, unit in zip(times.tolist(), found.tolist(), strict=True):
                exact = time * held // wanted
                if abs(exact) < 2**62:
                    assert unit == exact
                else:
                    assert abs(unit) >= 2**62 - 1
                    assert (unit > 0) == (exact > 0)


def test_a_time_that_duckdb_cannot_read_leaves_releases_of_other_columns_alone(
    tmp_path: Path,
) -> None:
    """Parquet in milliseconds, whose statistics DuckDB would read for every query."""
    path, milliseconds = str(tmp_path / "t.parquet"), pa.array([0, 2**62, -(2**62)], pa.int64())
    table = {"time": milliseconds.cast(pa.timestamp("ms")), "x": [1.0, 2, 3], "k": ["a", "b", "b"]}
    pyarrow.parquet.write_table(pa.table(table), path)
    many: dict[str, Any] = {"epsilon": 1000}
    assert cydp.count(path, **many).value == 3
    assert cydp.sum(path, (0, 4), column="x", **many).value == pytest.approx(6, abs=0.1)
    assert cydp.value_counts(path, ["a", "b"], column="k", **many).counts.tolist() == [1, 2]
    assert cydp.count(path, user="k", max_rows=1, **many).value == 2
    assert cydp.count(cydp.where(path, "x > 1 and k = 'b'"), **many).value == 2
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    with pytest.raises(ValueError, match="could not be read") as error:
        cydp.count(path, column="time", epsilon=1, budget=budget)
    assert "PureDP(epsilon=1) was charged" in error.value.__notes__[0]
