# SPDX-License-Identifier: MIT
"""A column of dates or times, read as integers. docs/columns.md, "Times"."""

from __future__ import annotations

from datetime import date, datetime
from math import gcd

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.canonical import INSTANTS, TIMES, canonical_block
from cydp._columns.declared import Labels
from cydp._columns.entries import null_types
from cydp._columns.label_values import LabelValues
from cydp._columns.masks import both_present, mask_absent
from cydp._columns.shared import SharedColumn
from cydp._columns.source import ListSource, Source
from cydp._columns.sources import open_source

__all__ = ["NAT", "Times", "in_units", "sql_type_of_times"]

NAT = -(2**63)
"""The integer that numpy stores for NaT."""


class Times:
    """A column of dates or times, for a release with bins or bounds that are dates or times.

    Parameters
    ----------
    x : array_like or column
        A date or a time for each record.
    name : str
        What to call it in an error.
    has_zone : bool
        Whether the bins or bounds have a time zone; the column must have one, too, or none.
    nanoseconds : int
        In how many nanoseconds the times of a list are counted, which declares no unit.

    Attributes
    ----------
    nanoseconds : int
        In how many nanoseconds the times are counted.
    length : int or None
        See `Source`.

    Raises
    ------
    TypeError, ValueError, ImportError
        For a column that holds no such times, by its type.

    Examples
    --------
    >>> Times(np.array(["1970-01-03", "NaT"], "M8[D]"), "x", has_zone=False, nanoseconds=1).read()
    masked_array(data=[2, --],
                 mask=[False,  True],
           fill_value=999999)

    """

    __slots__ = ("_has_zone", "_labels", "nanoseconds")

    def __init__(self, x: Column | Source, name: str, *, has_zone: bool, nanoseconds: int) -> None:
        source = open_source(x, name).as_labels(sql_type_of_times(has_zone=has_zone)).kept()
        labels = Labels(source, name)
        self._labels, self._has_zone, self.nanoseconds = labels, has_zone, nanoseconds
        kind = labels.type.kind
        if isinstance(source, ListSource):
            self._check_types(set(map(type, source.x)))
        elif kind in ("times", "instants"):
            self.nanoseconds = labels.type.nanoseconds
            self._check_zone(column_has_zone=kind == "instants")
        elif kind != "nulls":
            self._refuse("objects: convert them to datetime64" if kind == "objects" else kind)

    @property
    def length(self) -> int | None:
        """How many rows there are; None for a relation of DuckDB."""
        return self._labels.length

    @property
    def declared(self) -> str:
        """The name and the type of the column, the same for all pieces of a table."""
        return self._labels.declared

    @property
    def shared(self) -> SharedColumn | None:
        """The column, if it is one of a query."""
        return self._labels.shared

    def read(self) -> NDArray[np.int64]:
        """Return the times as they are counted, masked where they are missing.

        Raises
        ------
        ValueError
            If the column has another type than it declared.

        """
        held = self._labels.read()
        if held.is_objects():
            return self._read_entries(held)
        times = held.integers().astype(np.int64, copy=False)
        present = times != NAT if held.present is None else held.present & (times != NAT)
        if held.rows is not None:  # categories; the code of a null is 0, also if there are none
            places = held.rows.astype(np.intp)
            times = np.append(times, 0)[places]
            present = both_present(np.append(present, True)[places], held.rows_present)
        return mask_absent(times, present)

    def _read_entries(self, held: LabelValues) -> NDArray[np.int64]:
        """Return the times of objects; what is no time, or of another kind, is missing."""
        wanted = INSTANTS if self._has_zone else TIMES
        times = np.zeros(len(held), np.int64)
        present = np.zeros(len(held), np.bool_)
        for rows, entries, types in held.entry_blocks():
            for i, label in enumerate(canonical_block(entries, types), rows.start):
                if isinstance(label, tuple) and label[0] == wanted:
                    times[i] = min(max(label[1] // self.nanoseconds, NAT + 1), 2**63 - 1)
                    present[i] = True
        return mask_absent(times, present)

    def _refuse(self, given: str) -> None:
        raise TypeError(
            f"{self._labels.name} must hold dates or times, for bins or bounds of dates, or "
            f"date_trunc, not {given}"
        )

    def _check_types(self, types: set[type]) -> None:
        types = types - null_types(types)
        refused = {kind for kind in types if not issubclass(kind, date | np.datetime64)}
        if refused:
            self._refuse(min(kind.__name__ for kind in refused))
        if any(not issubclass(kind, datetime) for kind in types):
            self._check_zone(column_has_zone=False)

    def _check_zone(self, *, column_has_zone: bool) -> None:
        name = self._labels.name
        if column_has_zone and not self._has_zone:
            raise TypeError(
                f"{name} has a time zone, so bins, range and bounds must have one, such as "
                "'2024-01-31[Europe/Vienna]' or a datetime with tzinfo"
            )
        if self._has_zone and not column_has_zone:
            raise TypeError(
                f"{name} has no time zone, so bins, range and bounds must have none, such as "
                "'2024-01-31'"
            )


def sql_type_of_times(*, has_zone: bool) -> str:
    """Return the type of DuckDB that a column without a type is read as.

    >>> sql_type_of_times(has_zone=False)
    'TIMESTAMP'
    """
    return "TIMESTAMPTZ" if has_zone else "TIMESTAMP"


def in_units(times: NDArray[np.int64], nanoseconds: int, unit: int) -> NDArray[np.int64]:
    """Return times that count in some nanoseconds in another unit of some, rounded down.

    What 64 bits cannot hold is the end of what they can.

    >>> in_units(np.array([-1, 86_400, 2**62]), 10**9, 86_400 * 10**9).tolist()
    [-1, 1, 53375995583650]
    >>> in_units(np.array([1, 2**62]), 86_400 * 10**9, 10**9).tolist()
    [86400, 9223372036854633600]
    """
    common = gcd(nanoseconds, unit)
    up, down = nanoseconds // common, unit // common
    if up == 1:
        return times if down == 1 else times // down
    whole, rest = np.divmod(times, down)
    most = (2**63 - 1) // up - 1
    found: NDArray[np.int64] = whole.clip(-most, most) * up + rest * up // down
    return found
