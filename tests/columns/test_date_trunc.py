"""`date_trunc`: the same days, weeks and months as other libraries have, in every container."""

from __future__ import annotations

import datetime as dt
import pickle
import zoneinfo
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from columns.timed import DATES, INSTANTS, TIMES
from hypothesis import given
from hypothesis import strategies as st
from refusals import Refusal, check_refusals

import cydp
from cydp._columns.declared import Labels
from cydp._columns.truncated import PARTS
from cydp.exact._label_sets import find_labels
from cydp.testing import SeededGenerator

POLARS = {"second": "1s", "minute": "1m", "hour": "1h", "day": "1d", "week": "1w", "month": "1mo",
          "quarter": "1q", "year": "1y"}  # fmt: skip
ZONES = ("Europe/Vienna", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia", "America/Havana")
TIMES_OF_TEST = [
    dt.datetime(2024, 2, 29, 23, 59, 59), dt.datetime(1969, 12, 31, 12), dt.datetime(1970, 1, 1),
    dt.datetime(1, 1, 3, 1), dt.datetime(9998, 12, 31, 23), dt.datetime(2023, 12, 31), None,
]  # fmt: skip


def truncated(part: str, x: Any, zone: str | None = None) -> list[Any]:
    """Return each row's label; None for a row without one."""
    found = find_labels([Labels(cydp.date_trunc(part, x, zone))])
    (labels,) = found.arrays
    assert labels.dtype == ("M8[s]" if part in PARTS[:3] else "M8[D]")
    known = [*labels.astype("M8[us]").tolist(), None]
    return [known[code] for code in found.codes.tolist()]


@pytest.mark.parametrize("part", PARTS)
def test_times_are_rounded_down_as_polars_does(part: str) -> None:
    expected = pl.Series(TIMES_OF_TEST, dtype=pl.Datetime("us")).dt.truncate(POLARS[part]).to_list()
    for name, shape in TIMES.items():
        far = [each for each in TIMES_OF_TEST if each is None or 1700 < each.year < 2200]
        given = far if "ns" in name or name in ("pandas", "polars frame") else TIMES_OF_TEST
        wanted = [each for each, time in zip(expected, TIMES_OF_TEST, strict=True) if time in given]
        assert truncated(part, shape(given)) == wanted, name


@pytest.mark.parametrize("part", PARTS)
def test_dates_are_rounded_down(part: str) -> None:
    dates = [each and each.date() for each in TIMES_OF_TEST]
    days = [each and dt.datetime(each.year, each.month, each.day) for each in dates]
    expected = pl.Series(days, dtype=pl.Datetime("us")).dt.truncate(POLARS[part]).to_list()
    for name, shape in DATES.items():
        if name != "tuple":  # which is a name
            assert truncated(part, shape(dates)) == expected, name


@given(st.lists(st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2037, 1, 1)), max_size=20),
       st.sampled_from(ZONES), st.sampled_from(PARTS[3:]))  # fmt: skip
def test_instants_have_the_days_of_a_zone(times: list[dt.datetime], zone: str, part: str) -> None:
    aware = [each.replace(tzinfo=dt.UTC) for each in times]
    local = [each.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None) for each in aware]
    expected = pl.Series(local, dtype=pl.Datetime("us")).dt.truncate(POLARS[part]).to_list()
    assert truncated(part, aware, zone) == expected
    assert truncated(part, pl.Series(aware, dtype=pl.Datetime("us", "UTC")), zone) == expected


def hours(zone: str, day: dt.date) -> Iterator[dt.datetime]:
    """Yield each 15 minutes around a day."""
    begin = dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC) - dt.timedelta(days=1)
    for i in range(3 * 96):
        yield (begin + dt.timedelta(minutes=15 * i)).astimezone(zoneinfo.ZoneInfo(zone))


def test_days_on_which_clocks_change() -> None:
    """They have 23, 25 or 24.5 hours, and Newfoundland's began twice, at midnight and after it."""
    for zone, day, quarters in (
        ("Europe/Vienna", dt.date(2024, 3, 31), 92),
        ("Europe/Vienna", dt.date(2024, 10, 27), 100),
        ("Australia/Lord_Howe", dt.date(2024, 4, 7), 98),
        ("America/St_Johns", dt.date(2010, 11, 7), 97),
        ("Pacific/Apia", dt.date(2011, 12, 30), 0),
    ):
        times = [*hours(zone, day)]
        labels = truncated("day", times, zone)
        assert labels == [dt.datetime(each.year, each.month, each.day) for each in times]
        assert sum(each.date() == day for each in labels) == quarters, zone


def test_no_zone_changes_its_offset_twice_a_day() -> None:
    """For an instant of a day with one offset at both of its ends, this offset is taken."""
    from zoneinfo import _common  # type: ignore[attr-defined]

    checked = 0
    for zone in zoneinfo.available_timezones() - {"localtime"}:
        with _common.load_tzdata(zone) as file:
            indices, times, offsets, *_ = _common.load_data(file)
        known = [offsets[index] for index in indices]
        changes = [times[i] for i in range(1, len(known)) if known[i] != known[i - 1]]
        assert all(one // 86_400 < other // 86_400 for one, other in pairwise(changes)), zone
        checked += 1
    assert checked > 300


@pytest.mark.parametrize("name", INSTANTS)
def test_instants_of_each_container(name: str) -> None:
    days = [dt.datetime(2024, 3, 31, 22, 30), None, dt.datetime(2024, 3, 31, 21, 59, 59)]
    found = truncated("day", INSTANTS[name](days), "Europe/Vienna")
    assert found == [dt.datetime(2024, 4, 1), None, dt.datetime(2024, 3, 31)]


EXTREMES: dict[str, Any] = {
    "DuckDB": duckdb.sql("select unnest(['infinity'::timestamptz, '-infinity', null, "
                         "'1970-01-02 12:00:00+00']) as x"),
    "polars": pl.Series([2**63 - 1, -(2**63), None, 36 * 3600 * 10**6]).cast(
        pl.Datetime("us", "UTC")),
    "pandas": pd.Series(np.array([2**63 - 1, -(2**63) + 1, -(2**63), 36 * 3600], np.int64)
                        .view("M8[s]")).dt.tz_localize("UTC"),
}  # fmt: skip


def test_many_rows_are_rounded_down_as_few() -> None:
    days = np.random.default_rng(2).integers(-900, 25_000, 30_000).view("M8[D]")
    for part in PARTS[3:]:
        many = Labels(cydp.date_trunc(part, days)).read().values
        few = [Labels(cydp.date_trunc(part, each)).read().values for each in days[:600, None]]
        assert np.array_equal(np.asarray(many)[:600], np.concatenate(few))


EPOCH_OF = {"week": "1969-12-29", "day": "1970-01-02"}


@pytest.mark.parametrize("part", PARTS)
def test_extremes_raise_nothing(part: str) -> None:
    for name, x in EXTREMES.items():
        zones = ["Europe/Vienna"] if part in PARTS[3:] else []
        for zone in zones:
            found = find_labels([Labels(cydp.date_trunc(part, x, zone))])
            day = np.datetime64(EPOCH_OF.get(part, "1970-01-01"))
            assert found.arrays[0].tolist() == [day.item()], name  # the others have no clock
    naive = np.array([2**63 - 1, -(2**63) + 1, 0], np.int64)
    for unit in ("W", "D", "h", "s", "us", "ns"):
        found = find_labels([Labels(cydp.date_trunc(part, naive.view(f"M8[{unit}]")))])
        assert len(found) == 3


BETWEEN = {
    "second": np.datetime64(1, "ms"), "minute": dt.datetime(1971, 1, 1, 0, 0, 1),
    "hour": dt.datetime(1971, 1, 1, 0, 1), "day": dt.datetime(1971, 1, 1, 1),
    "month": dt.date(1971, 1, 2), "quarter": dt.date(1971, 2, 1), "year": dt.date(1971, 4, 1),
}  # fmt: skip


def _between(part: str, key: Any) -> Refusal:
    """Return the refusal of a key that no time is rounded down to, beside one that some are."""
    times, keys = np.array([1], "M8[s]"), [dt.date(1971, 1, 1), key]
    return (
        lambda: cydp.value_counts(cydp.date_trunc(part, times), keys, epsilon=1),
        ValueError,
        ("keys must be ", f", since times are rounded down to the {part}"),
    )


REFUSED: dict[str, Refusal] = {
    "the order of another library": (lambda: cydp.date_trunc("ts", "day"), ValueError,
                                     ("part must be one of second, minute", "come first")),
    "another part": (lambda: cydp.date_trunc("decade", "ts"), ValueError, ("part must be one of",)),
    "no zone of this world": (lambda: cydp.date_trunc("day", "ts", "Mars"), ValueError,
                              ("known here",)),
    "a zone of a number": (lambda: cydp.date_trunc("day", "ts", cast(Any, 1)), TypeError,
                           ("zone must be the name of a time zone, not int",)),
    "numbers": (lambda: cydp.value_counts(cydp.date_trunc("day", [1.5]), [1], epsilon=1), TypeError,
                ("x must hold dates or times", "date_trunc", "not float")),
    "a zone that is not told": (
        lambda: cydp.value_counts(cydp.date_trunc("day", EXTREMES["polars"]), [1], epsilon=1),
        TypeError, ("x has a time zone: say whose days", "..., 'Europe/Vienna')")),
    "a zone that is made up": (
        lambda: cydp.value_counts(
            cydp.date_trunc("day", np.array([1], "M8[s]"), "Asia/Tokyo"), [1], epsilon=1),
        TypeError, ("x has no time zone: date_trunc must have no zone",)),
    "keys of numbers": (
        lambda: cydp.value_counts(cydp.date_trunc("day", np.array([1], "M8[s]")), [1], epsilon=1),
        TypeError, ("keys must be dates or times without a zone",)),
    **{f"keys between {part}s": _between(part, key) for part, key in BETWEEN.items()},
    "a week that begins on a Friday": (
        lambda: cydp.value_counts(
            cydp.date_trunc("week", np.array([1], "M8[s]")), [dt.date(1971, 1, 1)], epsilon=1),
        ValueError, ("keys must be Mondays",)),
    "keys of text": (
        lambda: cydp.value_counts(
            cydp.date_trunc("day", np.array([1], "M8[s]")), ["1971-1-1"], epsilon=1),
        TypeError, ("keys must be dates or times", "such as '2024-01-31'", "not '1971-1-1'")),
    "text of a day that begins no month": (
        lambda: cydp.value_counts(
            cydp.date_trunc("month", np.array([1], "M8[s]")), ["1971-01-02"], epsilon=1),
        ValueError, ("keys must be first days of months",)),
    "a column that is not there": (
        lambda: cydp.group_by({"a": [1]}, cydp.date_trunc("day", "ts"), keys=[1], epsilon=1),
        ValueError, ("by must be a column of table, which has 'a'",)),
    "users": (lambda: cydp.count({"ts": np.array([1], "M8[s]")}, column="ts", max_rows=1, epsilon=1,
                                 user=cydp.date_trunc("day", "ts")),
              TypeError, ("user must be a column of users, not date_trunc",)),
    "a sum": (lambda: cydp.sum(cydp.date_trunc("day", np.array([1], "M8[s]")), (0, 1), epsilon=1),
              TypeError, ("x must hold numbers", "not dates or times")),
    "hours of a zone": (
        lambda: cydp.value_counts(
            cydp.date_trunc("hour", EXTREMES["polars"], "Asia/Tokyo"), [1], epsilon=1),
        ValueError, ("a day or longer",)),
}  # fmt: skip


def test_what_is_refused() -> None:
    check_refusals(REFUSED, never=("1970",))


def test_the_name_is_as_sql_writes_it() -> None:
    name = cydp.date_trunc("day", "ts", zoneinfo.ZoneInfo("Asia/Tokyo"))
    assert name == "date_trunc('day', ts, 'Asia/Tokyo')"
    again = pickle.loads(pickle.dumps(name))
    assert (again, again.part, again.column, again.zone) == (name, "day", "ts", "Asia/Tokyo")


DAYS = np.arange("2024-01-01", "2024-01-04", dtype="M8[D]")


def test_releases_of_days() -> None:
    """Counts, sums, histograms and marginals by day equal those by a column of days."""
    generator = np.random.default_rng(5)
    seconds = generator.integers(0, 5 * 86_400, 300)
    times = (np.datetime64("2023-12-31", "s") + seconds).astype("M8[us]")
    users, values = generator.integers(0, 40, 300), generator.normal(size=300)
    day, frame = cydp.date_trunc("day", "ts"), {"ts": times, "user": users, "v": values}
    plain = {**frame, "day": times.astype("M8[D]")}
    bound: Any = {"user": "user", "max_partitions": 2, "max_rows_per_partition": 3}
    for table, other in (
        (frame, plain),
        (pd.DataFrame(frame), pd.DataFrame({**plain, "day": plain["day"].astype("M8[s]")})),
        (pl.DataFrame(frame), pl.DataFrame(plain)),
    ):
        for release in (
            lambda x, by, rng: cydp.group_by(x, by, keys=DAYS, sums={"v": (0, 1)}, epsilon=1,
                                             rng=rng, **bound).steps,
            lambda x, by, rng: cydp.group_by(x, by, epsilon=1, delta=1e-6, rng=rng, user="user",
                                             max_partitions=1).steps,
            lambda x, by, rng: cydp.value_counts(x, DAYS, column=by, epsilon=1, rng=rng).counts,
            lambda x, by, rng: cydp.top_k(x, 2, DAYS, column=by, epsilon=1, rng=rng).keys,
            lambda x, by, rng: cydp.histogram(x, 2, (-1, 1), column="v", by=by, by_keys=DAYS,
                                              epsilon=1, rng=rng).counts,
            lambda x, by, rng: cydp.count(x, column=by, epsilon=1, rng=rng).value,
            lambda x, by, rng: cydp.workloads.marginals(
                x, {by: DAYS, "user": [1, 2]}, [(by, "user")], epsilon=1, rng=rng)[by, "user"],
        ):  # fmt: skip
            mine = release(table, day, SeededGenerator(7))
            theirs = release(other, "day", SeededGenerator(7))
            assert np.array_equal(mine, theirs)
