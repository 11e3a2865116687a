"""Dates, times and widths that callers write: what they mean, exactly, and what is refused."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from cydp._columns.moments import (
    Moment,
    coarsest_unit,
    is_time,
    read_moment,
    read_width,
    read_zone,
    same_zone,
)

DAY = 86_400 * 10**9
NEW_YEAR = 19_723 * DAY  # 2024-01-01
VIENNA = ZoneInfo("Europe/Vienna")


class NoName(dt.tzinfo):
    """A zone without a name, and with offsets that depend on the time."""

    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta | None:
        return None if when is None else dt.timedelta(hours=1)


NAIVE: list[tuple[Any, int, bool]] = [
    ("2024-01-01", NEW_YEAR, True),
    ("2024-01", NEW_YEAR, True),
    ("2024-01-01T00:00", NEW_YEAR, False),
    ("2024-01-01 00:00:00.000001", NEW_YEAR + 1000, False),
    (dt.date(2024, 1, 1), NEW_YEAR, True),
    (dt.datetime(2024, 1, 1, 0, 0, 1), NEW_YEAR + 10**9, False),
    (np.datetime64("2024-01-01"), NEW_YEAR, True),
    (np.datetime64("2024"), NEW_YEAR, True),
    (np.datetime64("2024-01-01T00:00:00.000000001"), NEW_YEAR + 1, False),
    (np.datetime64("2024-01-01", "h"), NEW_YEAR, False),
    (pd.Timestamp("2024-01-01 00:00:00.000000002"), NEW_YEAR + 2, False),
    (dt.date(1, 1, 1), -719_162 * DAY, True),
]
HOUR = 3600 * 10**9
AWARE: dict[Any, tuple[int, str]] = {
    "2024-01-01[Europe/Vienna]": (NEW_YEAR - HOUR, "Europe/Vienna"),
    "2024-07-01T12:00[Europe/Vienna]": (NEW_YEAR + 182 * DAY + 10 * HOUR, "Europe/Vienna"),
    "2024-01-01T00:00Z": (NEW_YEAR, "UTC"),
    "2024-01-01Z": (NEW_YEAR, "UTC"),
    "2024-01-01+01:00": (NEW_YEAR - HOUR, "UTC+01:00"),
    "2024-01-01T00:00+05:45": (NEW_YEAR - 5 * HOUR - HOUR // 4 * 3, "UTC+05:45"),
    dt.datetime(2024, 1, 1, tzinfo=VIENNA): (NEW_YEAR - HOUR, "Europe/Vienna"),
    dt.datetime(2024, 1, 1, tzinfo=dt.UTC): (NEW_YEAR, "UTC"),
    pd.Timestamp("2024-01-01", tz="Europe/Vienna"): (NEW_YEAR - HOUR, "Europe/Vienna"),
}


def test_times_without_a_zone() -> None:
    for written, nanoseconds, is_day in NAIVE:
        assert read_moment(written, "lo") == Moment(nanoseconds, None, is_day), written


def test_times_with_a_zone() -> None:
    for written, (nanoseconds, zone) in AWARE.items():
        found = read_moment(written, "lo")
        assert (found.nanoseconds, str(found.zone), found.is_day) == (nanoseconds, zone, False)


def test_what_is_a_time_is_told_by_its_type() -> None:
    assert all(map(is_time, [*AWARE, *(each for each, *_ in NAIVE), "2024-99", pd.NaT]))
    assert not any(map(is_time, [2024, "2024", "20240101", "1/3", "1d", None, 2.5, dt.time(1)]))


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "no day of the calendar": ("2023-02-29", ValueError, "a date of the calendar"),
    "a letter": ("2024-01-01x", ValueError, "lo must be a date or time: text such as"),
    "nanoseconds as text": ("2024-01-01T00:00:00.1234567", ValueError, "such as"),
    "an offset and a zone": ("2024-01-01T00:00+01:00[Europe/Vienna]", ValueError, "not both"),
    "no zone of this world": ("2024-01-01[Mars/Base]", ValueError, "that is known here"),
    "a folder of zones": ("2024-01-01[America]", ValueError, "that is known here"),
    "NaT": (np.datetime64("NaT"), ValueError, "not NaT"),
    "pandas' NaT": (pd.NaT, TypeError, "not NaTType"),
    "no unit": (np.datetime64("NaT", "generic"), ValueError, "without a unit"),
    "a number": (5, TypeError, "not int"),
    "a zone without a name": (dt.datetime(2024, 1, 1, tzinfo=NoName()), ValueError, "with a name"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_time_is_refused(name: str) -> None:
    written, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        read_moment(written, "lo")


def test_times_that_are_given_together_have_one_zone() -> None:
    given = [read_moment(each, "lo") for each in ("2024-01-01", "2024-01-01T00:00Z")]
    with pytest.raises(ValueError, match="bins must have times of one zone, not of UTC, no zone"):
        same_zone(given, "bins")
    assert same_zone(given[:1] * 2, "bins") is None
    assert str(same_zone(given[1:], "bins")) == "UTC"


def test_zones_by_offset() -> None:
    when = dt.datetime(2024, 1, 1)
    assert read_zone("-03:30", "zone").utcoffset(when) == -dt.timedelta(hours=3, minutes=30)


def edges(width: str, lower: str, upper: str) -> list[str]:
    found = read_width(width)
    assert found is not None
    ends = [read_moment(each, "range") for each in (lower, upper)]
    zone = ends[0].zone
    return [
        str(np.datetime64(each, "ns").astype("M8[m]"))
        if zone is None
        else (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=each // 1000))
        .astimezone(zone)
        .isoformat(timespec="minutes")
        for each in found.edges(*ends)
    ]


def test_widths() -> None:
    assert edges("6h", "2024-01-01", "2024-01-02")[1:3] == ["2024-01-01T06:00", "2024-01-01T12:00"]
    for same in ("15m", "15min", "900s", "900000ms", "900000000us", "900000000000ns"):
        assert edges(same, "2024-01-01", "2024-01-02") == edges("15m", "2024-01-01", "2024-01-02")
    for week in ("1w", "7d", "1W", "7D", "168h"):
        assert edges(week, "2024-02-26", "2024-03-11") == [
            "2024-02-26T00:00", "2024-03-04T00:00", "2024-03-11T00:00"
        ]  # fmt: skip
    months = ["2023-12-28T06:00", "2024-01-28T06:00", "2024-02-28T06:00", "2024-03-28T06:00"]
    assert edges("1mo", "2023-12-28T06:00", "2024-03-28T06:00") == months
    assert edges("1q", "2024-01-01", "2025-01-01")[1] == "2024-04-01T00:00"
    assert edges("4y", "1996-02-28", "2004-02-28")[1] == "2000-02-28T00:00"


SPANS: list[tuple[Any, str]] = [
    (dt.timedelta(minutes=15), "15m"), (dt.timedelta(weeks=1), "7d"), (dt.timedelta(1), "1d"),
    (dt.timedelta(microseconds=1), "1us"), (pd.Timedelta("1D"), "1d"), (pd.Timedelta("7ns"), "7ns"),
    (np.timedelta64(1, "D"), "1d"), (np.timedelta64(2, "W"), "14d"),
    (np.timedelta64(25, "h"), "25h"),
    (np.timedelta64(3, "M"), "3mo"), (np.timedelta64(2, "Y"), "24mo"),
]  # fmt: skip


@pytest.mark.parametrize(("span", "text"), SPANS)
def test_time_spans_are_widths(span: Any, text: str) -> None:
    assert read_width(span) == read_width(text)


@pytest.mark.parametrize("span", [
    dt.timedelta(0), dt.timedelta(-1), np.timedelta64(0, "M"), np.timedelta64(-1, "s"),
    np.timedelta64("NaT", "D"), np.timedelta64("NaT", "M"), np.timedelta64(5),
    np.timedelta64(1500, "ps"),
])  # fmt: skip
def test_time_spans_that_are_refused(span: Any) -> None:
    with pytest.raises(ValueError, match="bins must have a width"):
        read_width(span)


def test_days_and_months_of_a_zone_follow_its_clock() -> None:
    """The day on which clocks are put forward has 23 hours, and the other one 25."""
    spring = edges("1d", "2024-03-30[Europe/Vienna]", "2024-04-01[Europe/Vienna]")
    assert spring == ["2024-03-30T00:00+01:00", "2024-03-31T00:00+01:00", "2024-04-01T00:00+02:00"]
    autumn = edges("1mo", "2024-10-01[Europe/Vienna]", "2024-12-01[Europe/Vienna]")
    assert autumn == ["2024-10-01T00:00+02:00", "2024-11-01T00:00+01:00", "2024-12-01T00:00+01:00"]
    for day, hours in (("2024-03-31", 23), ("2024-10-27", 25), ("2024-06-01", 24)):
        after = (dt.date.fromisoformat(day) + dt.timedelta(days=1)).isoformat()
        assert len(edges("1h", f"{day}[Europe/Vienna]", f"{after}[Europe/Vienna]")) == hours + 1


def test_a_day_begins_when_its_clock_first_shows_it() -> None:
    """Beirut's clocks skip midnight, Havana's show it twice, and Apia's skipped a day."""
    beirut = edges("1d", "2024-03-30[Asia/Beirut]", "2024-04-01[Asia/Beirut]")
    assert beirut[1] == "2024-03-31T01:00+03:00"
    havana = edges("1d", "2024-11-02[America/Havana]", "2024-11-04[America/Havana]")
    assert havana[1] == "2024-11-03T00:00-04:00"
    apia = edges("2d", "2011-12-29[Pacific/Apia]", "2012-01-02[Pacific/Apia]")
    assert apia[1] == "2011-12-31T00:00+14:00"


WIDTHS = {
    "1M": "in ns, us, ms, s, m",
    "1month": "not '1month'",
    "0d": "a width above 0",
    "1Y": "not '1Y'",
}


@pytest.mark.parametrize("width", WIDTHS)
def test_widths_that_are_refused(width: str) -> None:
    with pytest.raises(ValueError, match=WIDTHS[width]):
        read_width(width)


def test_what_is_no_width() -> None:
    for text in ("auto", "", "d", "1 d", "-1d", "1.5h", "1d12h", "1e3s", "१d"):
        assert read_width(text) is None


RANGES = {
    ("1d", "2024-01-01T12:00", "2024-01-02"): "a whole number of bins",
    ("1w", "2024-01-01", "2024-02-01"): "a whole number of bins",
    ("1mo", "2024-01-31", "2024-03-31"): "from 1 to 28",
    ("1mo", "2024-01-01", "2024-01-15"): "a whole number of bins",
    ("1us", "2024-01-01", "2024-01-02"): r"at most 2\*\*20",
    ("1d", "0001-01-01", "9999-01-01"): r"at most 2\*\*20",
    ("9y", "9998-01-01[Asia/Tokyo]", "9998-01-03[Asia/Tokyo]"): "in the years 2 to 9998",
    ("1d", "0001-01-01[Asia/Tokyo]", "0001-01-03[Asia/Tokyo]"): "in the years 2 to 9998",
}


@pytest.mark.parametrize(("width", "lower", "upper"), RANGES)
def test_ranges_that_are_refused(width: str, lower: str, upper: str) -> None:
    with pytest.raises(ValueError, match=RANGES[width, lower, upper]):
        edges(width, lower, upper)


def test_units_that_show_times() -> None:
    assert coarsest_unit([0, DAY], are_days=False) == "s"
    assert coarsest_unit([0, HOUR], are_days=True) == "s"
    assert [coarsest_unit([each], are_days=True) for each in (10**6, 10**3, 1)] == [
        "ms",
        "us",
        "ns",
    ]
