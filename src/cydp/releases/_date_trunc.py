# SPDX-License-Identifier: MIT
"""`date_trunc`: a column of times by day, month or another part. docs/columns.md, "Times"."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import tzinfo
from typing import Any, cast

from cydp._arguments import Column
from cydp._call_errors import explain_arguments
from cydp._columns.moments import read_zone, zone_text
from cydp._columns.sources import open_source
from cydp._columns.table import is_column
from cydp._columns.truncated import DAYS, PARTS, DateTrunc, TruncatedSource

__all__ = ["date_trunc"]


@explain_arguments
def date_trunc(part: str, column: Hashable | Column, zone: str | tzinfo | None = None) -> Any:
    """Return a column of times rounded down to a part, as `date_trunc` of SQL does.

    Releases take it wherever they take a column of labels, or its name: ``by=``, ``column=``, the
    domain of a marginal. Nothing is read here.

    Parameters
    ----------
    part : {"second", "minute", "hour", "day", "week", "month", "quarter", "year"}
        A week begins on a Monday.
    column : name of a column, or column
        The name in the table of a release; or a list, an array or a column of dates and times.
    zone : str or tzinfo, optional
        Required for a column with a time zone: the zone whose clock counts, such as
        "Europe/Vienna". A column without one takes none. The part is then a day or longer.

    Returns
    -------
    object
        Its labels are dates, or times in seconds for a part below a day. They have no zone: they
        are what the clock shows. Public keys are dates, ``datetime64[D]``, or timestamps.

    Raises
    ------
    TypeError, ValueError
        For another part, and for a zone that is not known here.

    References
    ----------
    .. [1] PostgreSQL, "date_trunc",
       https://www.postgresql.org/docs/current/functions-datetime.html.

    Examples
    --------
    >>> import cydp, numpy as np
    >>> visits = {"ts": np.array(["2024-01-01T09:30", "2024-01-02T17:00"], "datetime64[s]")}
    >>> days = np.arange("2024-01-01", "2024-01-04", dtype="datetime64[D]")
    >>> table = cydp.group_by(visits, cydp.date_trunc("day", "ts"), keys=days, epsilon=100)
    >>> table["n"]
    array([1, 1, 0])

    """
    if not isinstance(part, str) or part not in PARTS:
        raise ValueError(
            f"part must be one of {', '.join(PARTS)}, and come first: date_trunc('day', 'ts')"
        )
    known = None
    if zone is not None:
        if not isinstance(zone, str | tzinfo):
            raise TypeError(f"zone must be the name of a time zone, not {type(zone).__name__}")
        known = zone if isinstance(zone, str) else zone_text(zone, "zone")
        read_zone(known, "zone")  # raises for a zone that is not known
        if part not in DAYS:
            raise ValueError(
                "part must be a day or longer with a zone: a clock that is put back shows an hour "
                "twice"
            )
    if is_column(column):
        return TruncatedSource(open_source(column, "column"), "column", part, known)
    return DateTrunc(part, cast("Hashable", column), known)
