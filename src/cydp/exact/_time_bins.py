# SPDX-License-Identifier: MIT
"""Bins of dates and times: widths, edges, or equal bins of a range. docs/exact/bins.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.label_types import NANOSECONDS
from cydp._columns.moments import (
    MOST_BINS,
    WIDTHS,
    Moment,
    are_times,
    coarsest_unit,
    is_time,
    read_moment,
    read_width,
    same_zone,
)
from cydp._columns.sources import open_source
from cydp._columns.table import is_column
from cydp._columns.times import NAT, Times
from cydp._numbers.rational import is_written_number
from cydp.exact._bins import Bins, read_bin_count

__all__ = ["read_time_edges", "refuse_other_text", "shown_times"]

_I64 = np.dtype(np.int64)
_CALENDAR = (np.dtype("M8[Y]"), np.dtype("M8[M]"))
_NUMBERS = frozenset({int, float, np.float64, np.int64})


@dataclass(frozen=True, slots=True, eq=False)
class TimeEdges:
    """The edges of bins of dates or times, from public parameters alone.

    A bin holds its left edge and not its right one, the last bin too.

    Attributes
    ----------
    nanoseconds : tuple of int
        The edges, from 1970 on.
    unit : str
        The unit of numpy in which they are shown.
    zone : tzinfo or None
        The zone in which they are shown; None for times without a zone.

    """

    nanoseconds: tuple[int, ...]
    unit: str
    zone: tzinfo | None

    @property
    def shown(self) -> NDArray[Any]:
        """The edges as datetime64, or with a zone as objects of datetime."""
        step = NANOSECONDS[self.unit]
        units = [each // step for each in self.nanoseconds]
        if not units[0] > NAT or not units[-1] < 2**63:
            raise ValueError(f"bins must have edges in the range of {self.unit}: {_span(step)}")
        return shown_times(np.array(units, np.int64), self.unit, self.zone)

    def bins(self, nanoseconds: int, name: str = "x") -> Bins:
        """Return the bins of a column that counts in so many nanoseconds.

        Raises
        ------
        ValueError
            If two edges are equal for such a column, or one is beyond its range.

        """
        shown = self.shown
        # x is at an edge or behind it if and only if it is so in whole units, rounded up.
        units = [-(-each // nanoseconds) for each in self.nanoseconds]
        if not _increase(units):
            raise ValueError(
                f"bins must be at least as wide as the unit of {name}, in which their edges must "
                "differ"
            )
        if units[0] <= NAT or units[-1] >= 2**63:
            raise ValueError(
                f"bins must have edges that {name} could hold, in the range of its unit: "
                f"{_span(nanoseconds)}"
            )
        units[-1] -= 1  # kernels include the last edge
        return Bins(shown, _core.Bins(np.array(units, np.int64)), (_I64,))

    def open(self, x: Any, name: str = "x") -> tuple[Times, Bins]:
        """Return a column, declared, and its bins.

        Raises
        ------
        TypeError, ValueError
            For a column that holds no such times, by its type.

        """
        step = NANOSECONDS[self.unit]
        column = Times(x, name, has_zone=self.zone is not None, nanoseconds=step)
        return column, self.bins(column.nanoseconds, name)


def read_time_edges(bins: Any, range: Any) -> TimeEdges | None:
    """Return the edges of bins of dates or times; None if bins and range are numbers.

    Parameters
    ----------
    bins : int, str, timedelta, or sequence of dates or times
        A number of equal bins over `range`, a width such as "1d" or "1mo", or edges.
    range : (lo, hi) or None

    Raises
    ------
    TypeError, ValueError
        For bins or a range of times that are not allowed.

    Examples
    --------
    >>> edges = read_time_edges("1mo", ("2024-01-01", "2024-04-01"))
    >>> edges.shown.astype(str).tolist()
    ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01']
    >>> read_time_edges(10, (0, 100)) is None
    True

    """
    if type(bins) is int and type(range) is tuple and _NUMBERS.issuperset(map(type, range)):
        return None  # most often, and the quickest way
    width = read_width(bins) if isinstance(bins, str | timedelta | np.timedelta64) else None
    ends = _ends_of(range)
    if ends is None:
        if width is not None:
            raise ValueError(
                "range=(lo, hi) must be two dates or times, such as '2024-01-31', if bins is a "
                f"width, {bins!r}"
            )
        if isinstance(range, list | tuple) and len(range) == 2:
            refuse_other_text(range, "range=(lo, hi)")
        return _given_edges(bins) if not isinstance(bins, str) else None
    if isinstance(bins, str) and width is None:
        raise ValueError(f"bins must be a number, edges or {WIDTHS}, not {bins[:40]!r}")
    if width is None and read_bin_count(bins) is None:
        raise ValueError("range must be None if bins are edges")
    lower, upper = (read_moment(end, f"{which} of range") for which, end in ends.items())
    zone = same_zone((lower, upper), "range")
    if lower.nanoseconds >= upper.nanoseconds:
        raise ValueError("range=(lo, hi) of times must have lo before hi")
    days = lower.is_day and upper.is_day
    if width is not None:
        found = tuple(width.edges(lower, upper))
        return TimeEdges(found, coarsest_unit(found, are_days=days), zone)
    return _of_count(int(bins), lower, upper, zone, days=days)


def are_other_text(values: Sequence[Any]) -> bool:
    """Whether all of some values are text that is written neither as a number nor as a time.

    >>> are_other_text(["31.01.2024", "x"]), are_other_text(["31.01.2024", "1/3"])
    (True, False)
    """
    return len(values) > 0 and all(
        isinstance(each, str) and not is_time(each) and not is_written_number(each)
        for each in values
    )


def refuse_other_text(ends: Sequence[Any], name: str) -> None:
    """Raise a ValueError if both ends are text that is neither a number nor a date or time."""
    if are_other_text(ends):
        raise ValueError(
            f"{name} must be numbers, or dates or times such as '2024-01-31', not {ends[0][:40]!r}"
        )


def _ends_of(range: Any) -> dict[str, Any] | None:
    """Return the ends of a range of times by their names; None for another range, or none."""
    if not isinstance(range, Sequence | np.ndarray) or isinstance(range, str | bytes):
        return None
    if not are_times(range) or len(range) != 2:
        return None
    return dict(zip(("lo", "hi"), range, strict=True))


def _of_count(
    count: int, lower: Moment, upper: Moment, zone: tzinfo | None, *, days: bool
) -> TimeEdges:
    """Return equal bins; where they are of no whole number of units, edges are rounded down."""
    if count > MOST_BINS:
        raise ValueError(f"bins of a range of times must be at most 2**20, not {count}")
    first, span = lower.nanoseconds, upper.nanoseconds - lower.nanoseconds
    unit = coarsest_unit((first, upper.nanoseconds), are_days=days)
    for finer in ("D", "s", "ms", "us", "ns"):
        if NANOSECONDS[finer] <= NANOSECONDS[unit] and span % (count * NANOSECONDS[finer]) == 0:
            unit = finer
            break
    else:
        unit = min(unit, "us", key=NANOSECONDS.__getitem__)
    step = NANOSECONDS[unit]
    edges = tuple(first + span * i // (count * step) * step for i in range(count + 1))
    if not _increase(edges):
        raise ValueError(f"bins must be at least 1 {unit} wide: give fewer of them")
    return TimeEdges(edges, unit, zone)


def _given_edges(bins: Any) -> TimeEdges | None:
    is_objects = isinstance(bins, np.ndarray) and bins.dtype.kind == "O" and bins.ndim == 1
    if isinstance(bins, list | tuple) or is_objects:
        if not are_times(bins):
            if are_other_text(bins):  # not shown: records may stand here by mistake
                raise TypeError(
                    "bins must hold numbers, or dates or times such as '2024-01-31', not text of "
                    "another form"
                )
            return None
        moments = [read_moment(each, "each edge in bins") for each in bins]
        zone = same_zone(moments, "bins")
        found = [each.nanoseconds for each in moments]
        return _increasing(found, zone, days=all(each.is_day for each in moments))
    if isinstance(bins, np.ndarray) and bins.dtype.kind in "biuf":
        return None
    if not is_column(bins):
        return None
    if getattr(bins, "dtype", None) in _CALENDAR:
        bins = bins.astype("M8[D]")
    column = open_source(bins, "bins")
    declared = column.label_type()
    if declared.kind not in ("times", "instants"):
        return None
    has_zone = declared.kind == "instants"
    held = Times(column, "bins", has_zone=has_zone, nanoseconds=1).read()
    if isinstance(held, np.ma.MaskedArray):
        raise ValueError("edges in bins must be times, not missing")
    found = [each * declared.nanoseconds for each in held.tolist()]
    zone = read_moment(column.entries()[0], "bins").zone if has_zone and found else None
    return _increasing(found, zone, days=declared.nanoseconds % NANOSECONDS["D"] == 0)


def _increasing(found: list[int], zone: tzinfo | None, *, days: bool) -> TimeEdges:
    if len(found) < 2:
        raise ValueError("bins must be at least 2 edges in one list")
    if not _increase(found):
        raise ValueError("edges of times in bins must increase: sort them, and give each once")
    return TimeEdges(tuple(found), coarsest_unit(found, are_days=days), zone)


def _increase(edges: Sequence[int]) -> bool:
    return all(left < right for left, right in pairwise(edges))


def shown_times(units: NDArray[np.int64], unit: str, zone: tzinfo | None) -> NDArray[Any]:
    """Return times that count in a unit as datetime64, or with a zone as objects of datetime.

    Raises
    ------
    ValueError
        For times with a zone and nanoseconds.

    Examples
    --------
    >>> shown_times(np.array([0, 1]), "D", None)
    array(['1970-01-01', '1970-01-02'], dtype='datetime64[D]')

    """
    if zone is None:
        return units.view(f"M8[{unit}]")
    if unit == "ns":
        raise ValueError("times with a zone must be whole microseconds")
    step, found = NANOSECONDS[unit] // 1000, np.empty(units.shape, object)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    found.reshape(-1)[:] = [
        (epoch + timedelta(microseconds=each * step)).astimezone(zone)
        for each in units.ravel().tolist()
    ]
    return found


def _span(nanoseconds: int) -> str:
    """Return which years a column of 64 bits can hold."""
    years = 2**63 * nanoseconds // (365_2425 * NANOSECONDS["D"] // 10**4)
    return f"the years {1970 - years:,} to {1970 + years:,}"
