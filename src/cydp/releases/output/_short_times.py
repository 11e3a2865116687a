# SPDX-License-Identifier: MIT
"""Times on an axis as people read them: days as dates, with their zone said once.

For text, HTML and plots. Exports keep the times as they are: docs/releases/output.md.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.moments import zone_text
from cydp.releases.output._sheet import Axis

__all__ = ["with_short_times"]


def with_short_times(axis: Axis) -> Axis:
    """Return an axis with times in the coarsest unit that has all of a column, of D, s, ms and us.

    Days of a zone become dates, and the name of their column has the zone.

    Examples
    --------
    >>> from zoneinfo import ZoneInfo
    >>> days = [datetime(2024, 1, day, tzinfo=ZoneInfo("Europe/Vienna")) for day in (1, 2)]
    >>> axis = with_short_times(Axis(("ts",), edges=np.array(days), what="bin"))
    >>> axis.names, axis.edges.astype(str).tolist()
    (('ts (Europe/Vienna)',), ['2024-01-01', '2024-01-02'])

    """
    columns = axis.keys if axis.edges is None else (axis.edges,)
    short = [_shorter(column) for column in columns]
    names = tuple(
        f"{name or axis.what} ({zone})" if zone else name
        for name, (_, zone) in zip(axis.names, short, strict=True)
    )
    if axis.edges is None:
        return replace(axis, names=names, keys=tuple(column for column, _ in short))
    return replace(axis, names=names, edges=short[0][0])


def _shorter(times: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """Return times in a coarser unit, and the zone that they no longer say; others as they are."""
    if times.dtype.kind == "M":
        for unit in ("D", "s", "ms", "us"):
            coarse = times.astype(f"M8[{unit}]")
            if (coarse == times).all():
                return coarse, ""
    if times.dtype.kind != "O" or not all(map(_is_midnight, times.flat)):
        return times, ""
    zones = {each.tzinfo for each in times.flat}
    if len(zones) != 1:
        return times, ""
    (zone,) = zones
    try:
        words = "" if zone is None else zone_text(zone, "zone")
    except ValueError:  # a zone without a name
        return times, ""
    return np.array([each.date() for each in times.flat], "M8[D]"), words


def _is_midnight(label: Any) -> bool:
    if not isinstance(label, datetime):
        return False
    return (label.hour, label.minute, label.second, label.microsecond, label.fold) == (0,) * 5
