# SPDX-License-Identifier: MIT
"""Times rounded down to a day, a month or another part: columns that `date_trunc` makes.

docs/columns.md, "Times".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cydp._columns.dtypes import TIMES, not_numbers
from cydp._columns.label_types import NANOSECONDS, LabelType, type_of_dtype
from cydp._columns.moments import read_zone
from cydp._columns.shared import SharedColumn
from cydp._columns.source import Source
from cydp._columns.times import Times, in_units, sql_type_of_times

__all__ = ["DAYS", "PARTS", "DateTrunc", "TruncatedSource"]

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
DAYS = ("day", "week", "month", "quarter", "year")
"""Parts that a date has."""

PARTS = (*_SECONDS, *DAYS)
"""What times are rounded down to, from short to long."""

_BEGINS = {
    "week": "Mondays, such as 2024-01-01", "month": "first days of months, such as 2024-02-01",
    "quarter": "first days of quarters, such as 2024-04-01",
    "year": "first days of years, such as 2024-01-01", "day": "days, such as 2024-01-31",
}  # fmt: skip
_MICROSECOND = 1000  # in which the times of a list are counted
_MOST_DAYS = 2**40  # from 1970: numpy's calendar is exact so far
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY, _LAST_DAY = -719_161, 2_932_894  # whole days of UTC that have a clock in every zone


class DateTrunc(str):
    """The name of a column whose times are to be rounded down. It prints as SQL writes it.

    Attributes
    ----------
    part : str
        One of `PARTS`.
    column : hashable
        The name of the column of times.
    zone : str or None
        The zone whose days they are.

    """

    part: str
    column: Hashable
    zone: str | None

    def __new__(cls, part: str, column: Hashable, zone: str | None) -> Self:
        """Return the name; the parameters were checked."""
        shown = "" if zone is None else f", '{zone}'"
        made = super().__new__(cls, f"date_trunc('{part}', {column}{shown})")
        made.part, made.column, made.zone = part, column, zone
        return made

    @property
    def begins(self) -> str:
        """What is left of times that are rounded down, in words."""
        return _begins(self.part)

    def __getnewargs__(self) -> Any:
        return self.part, self.column, self.zone


class TruncatedSource(Source):
    """A column of times that are rounded down when it is read.

    Attributes
    ----------
    x : Source
        The column of times.
    part, zone
        As in `DateTrunc`.
    times_called : str or None
        What to call the column of times in an error. Default: as this column.

    """

    __slots__ = ("part", "times_called", "zone")

    def __init__(
        self, x: Source, name: str, part: str, zone: str | None, times_called: str | None = None
    ) -> None:
        self.part, self.zone, self.times_called = part, zone, times_called
        super().__init__(x, name)

    def _length(self) -> int | None:
        length: int | None = self.x.length
        return length

    def named(self, name: str) -> Self:
        """Return the column with another name in errors."""
        return type(self)(self.x.named(name), name, self.part, self.zone, self.times_called)

    def kept(self) -> Self:
        """Return the column as it is until it is read."""
        times = self.x.as_labels(sql_type_of_times(has_zone=self.zone is not None)).kept()
        return type(self)(times, self.name, self.part, self.zone, self.times_called)

    @property
    def shared(self) -> SharedColumn | None:
        """The column of times, if it is one of a query."""
        shared: SharedColumn | None = self.x.shared
        return shared

    def dtype(self) -> np.dtype[Any]:
        """Refuse: dates are no numbers."""
        raise not_numbers(self.name, TIMES)

    def label_type(self) -> LabelType:
        """Return the type of dates, or of times in seconds, without a zone."""
        self._times()
        return type_of_dtype(np.dtype(f"M8[{'D' if self.part in DAYS else 's'}]"), self.name)

    def times_wanted(self, nanoseconds: Sequence[int]) -> str:
        """Return what is left of times that are rounded down, if one of these is not."""
        step = NANOSECONDS["D"] if self.part in DAYS else _SECONDS[self.part] * NANOSECONDS["s"]
        for each in nanoseconds:
            days = each // NANOSECONDS["D"]
            is_one = each % step == 0
            if is_one and self.part in DAYS and abs(days) < _MOST_DAYS:
                is_one = int(_begin_of(np.array([days]), self.part).view(np.int64)[0]) == days
            if not is_one:
                return f"{_begins(self.part)}, since times are rounded down to the {self.part}"
        return ""

    def held(self) -> NDArray[Any]:
        """Return the times, rounded down, masked where they are missing."""
        column = self._times()
        times = column.read()
        found, present = _truncate(
            np.ma.getdata(times),
            column.nanoseconds,
            self.part,
            None if self.zone is None else read_zone(self.zone, "zone"),
        )
        mask = np.ma.getmaskarray(times) | ~present
        return np.ma.MaskedArray(found, mask) if mask.any() else found

    def _times(self) -> Times:
        kind, name = self.x.label_type().kind, self.times_called or self.name
        if kind == "instants" and self.zone is None:
            part = self.part if self.part in DAYS else "day"
            raise TypeError(
                f"{name} has a time zone: say whose days they are, as "
                f"date_trunc('{part}', ..., 'Europe/Vienna')"
            )
        if kind == "times" and self.zone is not None:
            raise TypeError(f"{name} has no time zone: date_trunc must have no zone for it")
        has_zone = self.zone is not None
        return Times(self.x, name, has_zone=has_zone, nanoseconds=_MICROSECOND)


def _begins(part: str) -> str:
    return _BEGINS.get(part, f"whole {part}s")


def _truncate(
    times: NDArray[np.int64], nanoseconds: int, part: str, zone: tzinfo | None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return times rounded down, as datetime64, and which of them a clock of the zone shows."""
    present = np.ones(len(times), np.bool_)
    if zone is None:
        seconds = in_units(times, nanoseconds, NANOSECONDS["s"]) if part in _SECONDS else None
        days = in_units(times, nanoseconds, NANOSECONDS["D"])
    else:
        seconds, present = _on_clock(in_units(times, nanoseconds, NANOSECONDS["s"]), zone)
        days = seconds // 86_400
    if part in _SECONDS:
        assert seconds is not None
        seconds = seconds.clip(-(2**62), 2**62)
        return (seconds - seconds % _SECONDS[part]).view("M8[s]"), present
    days = days.clip(-_MOST_DAYS, _MOST_DAYS)
    least, most = int(days.min(initial=0)), int(days.max(initial=0))
    if most - least < len(days):  # each day once, since numpy's calendar is slow
        return _begin_of(np.arange(least, most + 1), part)[days - least], present
    return _begin_of(days, part), present


def _begin_of(days: NDArray[np.int64], part: str) -> NDArray[Any]:
    """Return the first day of the week, month, quarter or year of each day, or the day itself."""
    if part == "week":
        days = (days + 3) // 7 * 7 - 3  # 1970 began on a Thursday, weeks on a Monday
    dates: NDArray[Any] = days.view("M8[D]")
    if part in ("month", "quarter"):
        months = dates.astype("M8[M]").view(np.int64)
        months = months // 3 * 3 if part == "quarter" else months
        dates = months.view("M8[M]").astype("M8[D]")
    if part == "year":
        dates = dates.astype("M8[Y]").astype("M8[D]")
    return dates


def _on_clock(
    seconds: NDArray[np.int64], zone: tzinfo
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return what a clock of a zone shows at instants, in seconds, and whether it shows them.

    The zone is asked at both ends of each day of UTC that occurs. Where its offset differs, each
    row of the day is asked for by itself: no zone changes its offset twice a day.
    """
    days = seconds // 86_400
    present = (days >= _FIRST_DAY) & (days <= _LAST_DAY)
    known = days[present]
    if not len(known):
        return seconds, present
    first = int(known.min())
    places = days.clip(first, int(known.max())) - first
    offsets = np.zeros(int(known.max()) - first + 1, np.int64)
    changes = np.zeros(len(offsets), np.bool_)
    is_used = np.zeros(len(offsets), np.bool_)
    is_used[places[present]] = True
    for place in np.flatnonzero(is_used).tolist():
        begin = (first + place) * 86_400
        offsets[place] = _offset_at(begin, zone)
        changes[place] = _offset_at(begin + 86_399, zone) != offsets[place]
    found = seconds + offsets[places]
    for row in np.flatnonzero(present & changes[places]).tolist():
        found[row] = seconds[row] + _offset_at(int(seconds[row]), zone)
    return found, present


def _offset_at(second: int, zone: tzinfo) -> int:
    offset = (_EPOCH + timedelta(seconds=second)).astimezone(zone).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())
