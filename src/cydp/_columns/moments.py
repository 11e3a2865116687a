# SPDX-License-Identifier: MIT
"""Times that callers write, such as edges and bounds, and widths of time: read exactly.

docs/columns.md, "Times".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from cydp._columns.canonical import INSTANTS, SPANS, canonical
from cydp._columns.entries import null_types
from cydp._columns.label_types import NANOSECONDS

__all__ = [
    "MOST_BINS",
    "WIDTHS",
    "Moment",
    "are_times",
    "coarsest_unit",
    "is_time",
    "read_moment",
    "read_width",
    "read_zone",
    "same_zone",
    "zone_text",
]

MOST_BINS = 2**20
"""Of times: each edge is an exact integer of Python's."""

WIDTHS = (
    "a width of time in ns, us, ms, s, m (minutes), h, d, w, mo (months), q or y, such as '6h', "
    "'1d' or '1mo'"
)
"""What bins of dates and times may be, besides a number and edges."""

_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?", re.ASCII)
_TEXT = re.compile(
    r"(\d{4}-\d\d)(?:(-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?(Z|[+-]\d\d:\d\d)?)?"
    r"(?:\[([A-Za-z0-9_+/-]+)\])?",
    re.ASCII,
)
_WRITTEN = (
    "a date or time: text such as '2024-01-31', '2024-01-31T12:00', "
    "'2024-01-31T12:00+01:00' or '2024-01-31[Europe/Vienna]', a date, a datetime or a datetime64"
)
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
_WIDTH = re.compile(r"(\d{1,18})([A-Za-z]+)", re.ASCII)
_FIXED = {
    "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "min": 60 * 10**9,
    "h": 3600 * 10**9,
}  # fmt: skip
_DAYS = {"d": 1, "D": 1, "w": 7, "W": 7}
_MONTHS = {"mo": 1, "q": 3, "y": 12}
_DAY = NANOSECONDS["D"]
_YEAR_2, _YEAR_9999 = -718_797 * _DAY, 2_932_532 * _DAY  # every zone has a clock between these
_EPOCH, _EPOCH_UTC = datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a caller has written.

    Attributes
    ----------
    nanoseconds : int
        From 1970 on: in UTC if there is a zone, else by the clock of the column.
    zone : tzinfo or None
    is_day : bool
        Whether a date was written, without a time of day and a zone.

    """

    nanoseconds: int
    zone: tzinfo | None = None
    is_day: bool = False

    @property
    def is_midnight(self) -> bool:
        """Whether a day begins at this time, by the clock of its zone or of the column."""
        if self.zone is None or self.nanoseconds % 1000:
            return self.nanoseconds % _DAY == 0
        instant = _EPOCH_UTC + timedelta(microseconds=self.nanoseconds // 1000)
        return instant.astimezone(self.zone).time() == time(0)


@dataclass(frozen=True, slots=True)
class Width:
    """A width of time: some nanoseconds, days or months. Only one of them is not 0."""

    nanoseconds: int = 0
    days: int = 0
    months: int = 0

    def edges(self, lower: Moment, upper: Moment) -> list[int] | range:
        """Return the ends of steps of this width, in nanoseconds.

        Days and months follow the calendar and the clocks of the zone.

        Raises
        ------
        ValueError
            If the steps do not end at `upper`, or a month does not have the day they begin on.

        """
        if self.nanoseconds:
            last = upper.nanoseconds
            found: list[int] | range = range(lower.nanoseconds, last + 1, self.nanoseconds)
        else:
            found = self._calendar(lower, upper)
        if len(found) > MOST_BINS:
            raise ValueError("bins of a width of time must be at most 2**20")
        if len(found) < 2 or found[-1] != upper.nanoseconds:
            raise ValueError(
                "range=(lo, hi) must be a whole number of bins of this width, at least one: "
                f"another end would cut the last bin{self._next_end(lower, upper, found)}"
            )
        return found

    def _next_end(self, lower: Moment, upper: Moment, found: Sequence[int]) -> str:
        """Return the end that the cut bin would have, in words, or nothing."""
        if not found:
            return ""
        end = found[-1] + (self.nanoseconds if found[-1] <= upper.nanoseconds else 0)
        if end <= upper.nanoseconds or (lower.zone is not None and end >= _YEAR_9999):
            return ""
        clock = _on_clock(Moment(end, lower.zone))
        is_day = clock % _DAY == 0
        words = np.datetime64(
            clock // (_DAY if is_day else NANOSECONDS["s"]), "D" if is_day else "s"
        )
        return f", and {words} is the next end"

    def _calendar(self, lower: Moment, upper: Moment) -> list[int]:
        first, of_day = divmod(_on_clock(lower), _DAY)
        start = np.datetime64(first, "D")
        month = start.astype("M8[M]")
        day = start - month.astype("M8[D]")
        if self.months and day > np.timedelta64(27, "D"):
            raise ValueError("range must begin on a day that every month has, from 1 to 28")
        found, i = [lower.nanoseconds], 1
        while found[-1] < upper.nanoseconds and i <= MOST_BINS:
            if self.months:
                begin = (month + np.timedelta64(i * self.months, "M")).astype("M8[D]") + day
                days = int(begin.astype(np.int64))
            else:
                days = first + i * self.days
            found.append(_instant_of(days * _DAY + of_day, lower.zone))
            i += 1
        return found


def is_time(value: Any) -> bool:
    """Whether a parameter is a date or a time, by its type, or as text that begins like a date."""
    if isinstance(value, str):
        return _DATE.match(value) is not None
    return isinstance(value, date | np.datetime64)


def are_times(values: Iterable[Any]) -> bool:
    """Whether any of these parameters is a date or a time."""
    return any(map(is_time, values))


def read_moment(value: Any, name: str) -> Moment:
    """Return a date or a time as it was written.

    Raises
    ------
    TypeError, ValueError
        For anything else, and for NaT and times that are not there.

    Examples
    --------
    >>> read_moment("1970-01-02", "lo")
    Moment(nanoseconds=86400000000000, zone=None, is_day=True)

    """
    if isinstance(value, str):
        return _read_text(value, name)
    if not isinstance(value, date | np.datetime64) or null_types([type(value)]):
        raise TypeError(f"{name} must be {_WRITTEN}, not {type(value).__name__}")
    is_day = not isinstance(value, datetime)
    if isinstance(value, np.datetime64):
        is_day = np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
        value = value.astype("M8[D]") if is_day else value
    label = canonical(value)
    if not isinstance(label, tuple):
        raise ValueError(f"{name} must be {_WRITTEN}, not NaT or a datetime64 without a unit")
    kind, nanoseconds = label
    if kind != INSTANTS:
        return Moment(nanoseconds, is_day=is_day)
    if not _YEAR_2 <= nanoseconds < _YEAR_9999:
        raise ValueError(f"{name} must be in the years 2 to 9998, as it has a time zone")
    # Zones of other libraries than zoneinfo compute otherwise with what a clock shows.
    return Moment(nanoseconds, read_zone(zone_text(value.tzinfo, name), name))


def _read_text(text: str, name: str) -> Moment:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"{name} must be {_WRITTEN}, not {text[:40]!r}")
    month, day, clock, offset, zone = match.groups("")
    midnight = "T00:00" if offset else ""
    try:
        found = datetime.fromisoformat(f"{month}{day or '-01'}{clock or midnight}{offset}")
    except ValueError:
        raise ValueError(f"{name} must be a date of the calendar, not {text[:40]!r}") from None
    if zone:
        if offset:
            raise ValueError(f"{name} must have an offset or a zone, not both, as {text[:40]!r}")
        found = found.replace(tzinfo=read_zone(zone, name))
    is_day = _DATE.fullmatch(text) is not None
    return read_moment(found.date() if is_day else found, name)


def read_zone(zone: str, name: str) -> tzinfo:
    """Return a time zone by its name, or by an offset such as "+01:00".

    Raises
    ------
    ValueError
        For a zone that this system does not know.

    """
    if (offset := _OFFSET.fullmatch(zone)) is not None:
        sign, hours, minutes = offset.groups()
        return datetime.fromisoformat(f"1970-01-01T00:00{sign}{hours}:{minutes}").tzinfo or UTC
    try:
        return ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        raise ValueError(
            f"{name} must have a zone that is known here, such as 'Europe/Vienna', not "
            f"{zone[:40]!r}"
        ) from None


def zone_text(zone: tzinfo, name: str) -> str:
    """Return the name of a zone, or its offset, as `read_zone` takes it.

    Raises
    ------
    ValueError
        For a zone that has neither.

    >>> zone_text(ZoneInfo("Europe/Vienna"), "lo"), zone_text(UTC, "lo")
    ('Europe/Vienna', 'UTC')
    """
    known = getattr(zone, "key", None) or getattr(zone, "zone", None)  # zoneinfo; pytz
    if isinstance(known, str):
        return known
    offset = zone.utcoffset(None)
    if offset is None or offset % timedelta(minutes=1):
        raise ValueError(
            f"{name} must have a time zone with a name, such as zoneinfo.ZoneInfo('Europe/Vienna')"
        )
    if not offset:
        return "UTC"
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{'-' if offset < timedelta(0) else '+'}{minutes // 60:02}:{minutes % 60:02}"


def same_zone(moments: Iterable[Moment], name: str) -> tzinfo | None:
    """Return the zone of times that are given together.

    Raises
    ------
    ValueError
        If some have a zone, and others have none or another one.

    """
    zones = {
        "no zone" if each.zone is None else zone_text(each.zone, name): each.zone
        for each in moments
    }
    if len(zones) > 1:
        raise ValueError(f"{name} must have times of one zone, not of {', '.join(sorted(zones))}")
    (zone,) = zones.values()
    return zone


def read_width(given: str | timedelta | np.timedelta64) -> Width | None:
    """Return a width of time; None for other text.

    A time span of whole days is days of the calendar, as "1d".

    Raises
    ------
    ValueError
        For a width of 0 or less, for "M", which is a month in some libraries and a minute in
        others, and for a time span of no whole nanoseconds.

    Examples
    --------
    >>> read_width("1w"), read_width("auto")
    (Width(nanoseconds=0, days=7, months=0), None)

    """
    if not isinstance(given, str):
        return _width_of(given)
    match = _WIDTH.fullmatch(given)
    if match is None:
        return None
    count, unit = int(match[1]), match[2]
    if unit not in _FIXED and unit not in _DAYS and unit not in _MONTHS:
        raise ValueError(f"bins must be a number, edges or {WIDTHS}, not {given[:40]!r}")
    if not count:
        raise ValueError(f"bins must have a width above 0, not {given!r}")
    return Width(
        count * _FIXED.get(unit, 0), count * _DAYS.get(unit, 0), count * _MONTHS.get(unit, 0)
    )


def _width_of(span: timedelta | np.timedelta64) -> Width:
    unit, count = np.datetime_data(span.dtype) if isinstance(span, np.timedelta64) else ("", 1)
    number = int(span.astype(np.int64)) if isinstance(span, np.timedelta64) else 0
    label = canonical(span)
    if unit in ("M", "Y") and number != -(2**63):
        found = Width(months=number * count * (12 if unit == "Y" else 1))
    elif isinstance(label, tuple) and label[0] == SPANS:
        days, rest = divmod(label[1], _DAY)
        found = Width(nanoseconds=label[1]) if rest else Width(days=days)
    else:
        raise ValueError("bins must have a width of whole nanoseconds, and a unit, not NaT")
    if max(found.nanoseconds, found.days, found.months) <= 0:
        raise ValueError(f"bins must have a width above 0, not {span!r}")
    return found


def coarsest_unit(nanoseconds: Iterable[int], *, are_days: bool) -> str:
    """Return the unit that shows times: "D" for dates, else the coarsest of s, ms, us and ns.

    >>> coarsest_unit([2 * 10**6], are_days=False), coarsest_unit([0], are_days=True)
    ('ms', 'D')
    """
    times = list(nanoseconds)
    units = ("D", "s", "ms", "us", "ns") if are_days else ("s", "ms", "us", "ns")
    return next(unit for unit in units if all(each % NANOSECONDS[unit] == 0 for each in times))


def _instant_of(on_clock: int, zone: tzinfo | None) -> int:
    """Return when a clock of a zone shows a time; the first time, if it does so twice.

    A time that the clock skips is as far behind the change as it would have been without it.

    Raises
    ------
    ValueError
        For a time in a zone that is outside the years 1 to 9999.

    """
    if zone is None:
        return on_clock
    microseconds, rest = divmod(on_clock, 1000)
    try:
        local = (_EPOCH + timedelta(microseconds=microseconds)).replace(tzinfo=zone)
        since = datetime.__sub__(local, _EPOCH_UTC)
    except OverflowError:
        raise ValueError("times with a zone must be in the years 2 to 9998") from None
    return since // timedelta(microseconds=1) * 1000 + rest


def _on_clock(moment: Moment) -> int:
    """Return what the clock of a time's own zone shows."""
    if moment.zone is None:
        return moment.nanoseconds
    microseconds, rest = divmod(moment.nanoseconds, 1000)
    instant = _EPOCH_UTC + timedelta(microseconds=microseconds)
    local = instant.astimezone(moment.zone).replace(tzinfo=None)
    return (local - _EPOCH) // timedelta(microseconds=1) * 1000 + rest
