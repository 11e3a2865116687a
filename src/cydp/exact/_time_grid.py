# SPDX-License-Identifier: MIT
"""The grid that dates and times are clamped and rounded down to. docs/columns.md, "Times"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.label_types import NANOSECONDS
from cydp._columns.moments import (
    are_times,
    coarsest_unit,
    read_moment,
    read_zone,
    same_zone,
    zone_text,
)
from cydp._columns.shared import SharedColumn
from cydp._columns.times import Times, in_units
from cydp._numbers.bounds import check_pair
from cydp.exact._grid import MOST_STEPS, Grid
from cydp.exact._time_bins import refuse_other_text, shown_times

__all__ = ["SteppedTimes", "TimeGrid", "notes_on_days", "read_time_grid"]

_WORDS = {
    "D": "days", "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"
}  # fmt: skip


@dataclass(frozen=True)
class TimeGrid(Grid):
    """Dates or times, from a lower bound to an upper one, by the steps of a unit.

    Attributes
    ----------
    exponent, lowest : int
        0: steps are counted from the lower bound on.
    highest : int
        The upper bound.
    origin : int
        The lower bound, in units from 1970 on.
    unit : str
        The unit of numpy: "D" if both bounds are dates, else the coarsest of s, ms, us and ns that
        has them.
    zone : str or None
        The zone of the bounds, in which results are shown.

    """

    origin: int
    unit: str
    zone: str | None

    @property
    def nanoseconds(self) -> int:
        """How many nanoseconds a step has."""
        return NANOSECONDS[self.unit]

    @property
    def unit_words(self) -> str:
        """What times are rounded down to, such as "days"."""
        return _WORDS[self.unit]

    def values_of(self, steps: NDArray[np.int64]) -> NDArray[Any]:
        """Return steps as datetime64 of the unit, or with a zone as objects of datetime."""
        zone: tzinfo | None = None if self.zone is None else read_zone(self.zone, "bounds")
        return shown_times(np.asarray(steps + self.origin, np.int64), self.unit, zone)

    def read_missing(self, missing: Any) -> int:
        """Return a public date or time in steps, rounded down.

        Raises
        ------
        TypeError, ValueError
            For anything else, and for one beyond the bounds or of another zone.

        """
        given = read_moment(missing, "missing")
        if (given.zone is None) != (self.zone is None):
            raise ValueError("missing must have a time zone if the bounds have one, and only then")
        step = given.nanoseconds // self.nanoseconds - self.origin
        if not 0 <= step <= self.highest:
            raise ValueError("missing must be within the bounds")
        return step

    def open(self, x: Any, name: str = "x") -> SteppedTimes:
        """Return a column of times, declared, that is read in steps of this grid.

        Raises
        ------
        TypeError, ValueError
            For a column that holds no such times, by its type.

        """
        has_zone = self.zone is not None
        times = Times(x, name, has_zone=has_zone, nanoseconds=self.nanoseconds)
        return SteppedTimes(times, self)

    def __repr__(self) -> str:
        ends = self.values_of(np.array([0, self.highest]))
        lower, upper = (str(end) for end in ends)
        return f"TimeGrid(bounds=({lower!r}, {upper!r}), unit={self.unit!r})"


def read_time_grid(bounds: Any, name: str = "bounds") -> TimeGrid | None:
    """Return the grid of bounds that are dates or times; None for other bounds.

    Raises
    ------
    TypeError, ValueError
        For bounds that are not both such, or not of one zone, or not in order, and for more than
        2**51 steps.

    Examples
    --------
    >>> read_time_grid(("2024-01-01", "2024-12-31"))
    TimeGrid(bounds=('2024-01-01', '2024-12-31'), unit='D')
    >>> read_time_grid((0, 100)) is None
    True

    """
    ends = check_pair(bounds, name)
    if not are_times(ends):
        refuse_other_text(ends, name)
        return None
    words = f"lower in {name}", f"upper in {name}"
    lower, upper = (read_moment(end, word) for end, word in zip(ends, words, strict=True))
    zone = same_zone((lower, upper), name)
    if lower.nanoseconds > upper.nanoseconds:
        raise ValueError(f"{name}=(lower, upper) must have lower at or before upper")
    times = lower.nanoseconds, upper.nanoseconds
    unit = coarsest_unit(times, are_days=lower.is_day and upper.is_day)
    origin, last = (each // NANOSECONDS[unit] for each in times)
    if last - origin > MOST_STEPS:
        raise ValueError(
            f"{name} must be at most 2**51 {unit} from each other: give them in a coarser unit"
        )
    shown = None if zone is None else zone_text(zone, name)
    grid = TimeGrid(0, 0, last - origin, origin, unit, shown)
    grid.values_of(np.array([0, grid.highest]))  # raises for times that cannot be shown
    return grid


def notes_on_days(grids: Iterable[Grid]) -> tuple[str, ...]:
    """Return a note if times are rounded down to days, from the bounds alone; nothing otherwise.

    >>> notes_on_days([read_time_grid(("2024-01-01T00:00", "2024-12-31"))])
    ()
    """
    if not any(isinstance(grid, TimeGrid) and grid.unit == "D" for grid in grids):
        return ()
    return (
        "in whole days, as the bounds are dates: for times of day write a bound as "
        "'2024-01-31T00:00'",
    )


class SteppedTimes:
    """A column of times that is read in steps of a grid: rounded down, then clamped.

    Attributes
    ----------
    length : int or None
        See `Source`.

    Examples
    --------
    >>> grid = read_time_grid(("2024-01-01", "2024-01-31"))
    >>> grid.open(np.array(["2024-01-02T23:59", "1999-01-01T00:00"], "M8[s]")).read()
    array([1, 0])

    """

    __slots__ = ("_grid", "_times", "length")

    def __init__(self, times: Times, grid: TimeGrid) -> None:
        self._times, self._grid, self.length = times, grid, times.length

    @property
    def declared(self) -> str:
        """The name and the type of the column, the same for all pieces of a table."""
        return self._times.declared

    @property
    def shared(self) -> SharedColumn | None:
        """The column, if it is one of a query."""
        return self._times.shared

    def read(self) -> NDArray[np.int64]:
        """Return the times in steps, masked where they are missing."""
        times, grid = self._times.read(), self._grid
        units = in_units(np.ma.getdata(times), self._times.nanoseconds, grid.nanoseconds)
        steps = units.clip(grid.origin, grid.origin + grid.highest) - grid.origin
        return np.ma.MaskedArray(steps, times.mask) if np.ma.isMaskedArray(times) else steps
