# SPDX-License-Identifier: MIT
"""A result as a table, from which every output is made. docs/releases/output.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Axis",
    "Numbers",
    "Sheet",
    "are_times",
    "bins_of",
    "cut",
    "floats_of",
    "keys_of",
    "time_words",
]


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """A dimension of the cells: bins of a column, or keys of one or several columns.

    Attributes
    ----------
    names : tuple of str
        The name of each column of keys, or of the column that was binned; "" where it is not known.
    keys : tuple of ndarrays, shape (length,) each
        The keys by column; empty for bins.
    edges : ndarray, shape (length + 1,), or None
        The edges of the bins; None for keys.
    what : str
        The name of a place on the axis: "bin", "key", or what keys stand for.
    are_found : bool
        Whether the keys were selected from the data, so that their order says nothing.

    """

    names: tuple[str, ...]
    keys: tuple[NDArray[Any], ...] = ()
    edges: NDArray[Any] | None = None
    what: str = "key"
    are_found: bool = False

    def __len__(self) -> int:
        return len(self.keys[0]) if self.edges is None else len(self.edges) - 1


def bins_of(edges: NDArray[Any], name: str = "") -> Axis:
    """Return an axis of bins."""
    return Axis((name,), edges=edges, what="bin")


def keys_of(keys: tuple[NDArray[Any], ...], names: tuple[Any, ...] = (), what: str = "key") -> Axis:
    """Return an axis of keys, with the names of their columns where they are known."""
    known = names or (None,) * len(keys)
    return Axis(tuple("" if name is None else str(name) for name in known), keys, what=what)


def are_times(values: NDArray[Any]) -> bool:
    """Whether edges or released numbers are times: datetime64, or datetimes with a zone."""
    kind = values.dtype.kind
    return kind == "M" or (kind == "O" and values.size > 0 and isinstance(values.flat[0], datetime))


def floats_of(edges: NDArray[Any]) -> NDArray[np.float64]:
    """Return edges as floats; times in seconds from 1970 on, in UTC if they have a zone.

    >>> floats_of(np.array(["1970-01-01", "1970-01-02"], "M8[D]"))
    array([    0., 86400.])
    """
    if edges.dtype.kind == "M":
        seconds: NDArray[np.float64] = (edges - np.datetime64(0, "s")) / np.timedelta64(1, "s")
        return seconds
    if edges.dtype.kind == "O":
        return np.array([edge.timestamp() for edge in edges.flat], np.float64).reshape(edges.shape)
    return np.array(edges, np.float64)


def time_words(label: Any) -> str:
    """Return a label as text: a time as ISO 8601 has it.

    >>> time_words(datetime(2024, 1, 31, 12)), time_words(np.datetime64("2024-01-31"))
    ('2024-01-31T12:00:00', '2024-01-31')
    """
    return label.isoformat() if isinstance(label, datetime) else str(label)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Numbers:
    """A column of released numbers, one for each cell, and how far they are from the exact ones.

    Attributes
    ----------
    name : str
        Such as "count" or "sum_income".
    values : ndarray of int64 or float64, of the shape of the sheet
    unit : str
        What the numbers count, such as "rows"; "" in the unit of the data.
    singular : str
        The unit of 1, and of a bound of 1 that has another unit. Default: without its s.
    bound : int, float, ndarray of the shape of values, or None
        The error bound of each cell, at the confidence of the sheet, for each or for all together.
        None where there is none.
    bound_unit : str
        The unit of the bound if it is not the unit of the values, such as "ranks".
    lower, upper : ndarray of the shape of values, or None
        The ends of intervals that hold the exact numbers; None where there are none.
    rounded_to : str
        Of times, what they are rounded down to before an interval holds them, such as "days".
    why_none : str
        If bound is None, why, as a clause: "a post-processed number has no bound of its own".

    """

    name: str
    values: NDArray[Any]
    unit: str = ""
    singular: str = ""
    bound: Any = None
    bound_unit: str = ""
    lower: NDArray[Any] | None = None
    upper: NDArray[Any] | None = None
    rounded_to: str = ""
    why_none: str = ""

    @property
    def error_name(self) -> str:
        """What tables call a column of bounds, which stands where there are no intervals."""
        unit = self.bound_unit.partition(" of ")[0].replace(" ", "_")
        return f"{self.name}_error" + (f"_{unit}" if unit else "")


_LONGEST_NOTE = 400  # letters, in texts


def cut(text: str, longest: int) -> str:
    """Return a text, or its beginning.

    >>> cut("a > 1 and b > 2", 6), cut("a > 1", 6)
    ('a > 1  ...', 'a > 1')
    """
    return text if len(text) <= longest else f"{text[:longest]} ..."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sheet:
    """A result as a table: what it is, its cells and their labels, and its numbers.

    Attributes
    ----------
    title : str
        The name of the result, such as "histogram" or "histogram, nonnegative".
    cost : str
        The privacy cost as parameters, such as "epsilon=1".
    relation : str
    protects : str
        What is protected, in words.
    noise : str
        The mechanisms and their scales, in words.
    axes : tuple of Axis
        One for each dimension of the cells; empty for a single number.
    columns : tuple of Numbers
        Empty where only labels are released.
    confidence : Fraction
        The confidence of the bounds.
    simultaneous : bool
        Whether the bounds of a column hold for all its cells together.
    notes : tuple of str
        Sentences about the result, such as that it is biased.
    further_notes : tuple of str
        Sentences on how the result was got, for texts alone: a certificate is of what JSON has,
        which is the same each time.
    parameters : mapping of str
        Public parameters that tables have as columns, before the numbers.

    """

    title: str
    cost: str
    relation: str
    protects: str
    noise: str
    axes: tuple[Axis, ...]
    columns: tuple[Numbers, ...]
    confidence: Fraction
    simultaneous: bool
    notes: tuple[str, ...] = ()
    further_notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown_notes(self) -> tuple[str, ...]:
        """The notes of texts, in which a long condition is cut; JSON has all of it."""
        notes = *self.notes, *self.further_notes, *self._notes_on_names
        return tuple(cut(note, _LONGEST_NOTE) for note in notes)

    @property
    def _notes_on_names(self) -> list[str]:
        """Return what columns of keys are called that have the name of a column of numbers."""
        return [
            f"keys of {name!r} are in the column {found!r}, as a column of numbers has its name"
            for axis, labels in zip(self.axes, self.label_names_by_axis, strict=True)
            for name, found in zip(axis.names, labels, strict=False)
            if axis.edges is None and name not in ("", found)
        ]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(map(len, self.axes))

    @property
    def cells(self) -> int:
        """The number of cells, which are the rows of the table: 1 for a single number."""
        return math.prod(self.shape)

    def with_column(self, name: str) -> Sheet:
        """Return the sheet with one of its columns of numbers alone.

        Raises
        ------
        ValueError
            If it has no such column.

        """
        found = [column for column in self.columns if column.name == name]
        if not found:
            names = ", ".join(column.name for column in self.columns)
            raise ValueError(f"column must be one of {names}, not {name!r}")
        return replace(self, columns=tuple(found))

    def labels(self, rows: NDArray[np.intp] | None = None) -> dict[str, NDArray[Any]]:
        """Return the columns of labels by their names: for bins, the left and the right edges.

        Parameters
        ----------
        rows : ndarray of int, optional
            Which rows, in the order of `values.ravel()`. Default: all.

        """
        wanted = np.arange(self.cells) if rows is None else rows
        places = np.unravel_index(wanted, self.shape) if self.axes else ()
        found = [
            column[place]
            for axis, place in zip(self.axes, places, strict=True)
            for column in _columns_of(axis)
        ]
        return dict(zip(self.label_names, found, strict=True))

    @property
    def label_names(self) -> list[str]:
        """The names of the columns of labels, different in SQL too, also from those of numbers."""
        return [name for names in self.label_names_by_axis for name in names]

    @property
    def label_names_by_axis(self) -> list[list[str]]:
        """`label_names` for each axis."""
        taken = {f"{column.name}{end}".casefold() for column in self.columns for end in _ENDS}
        taken |= {column.error_name.casefold() for column in self.columns}
        nameless = sum(axis.edges is not None and not axis.names[0] for axis in self.axes)
        found, unnamed_bins = [], 0
        for axis in self.axes:
            if axis.edges is None:
                several = sum(not name for name in axis.names) > 1
                wanted = [
                    name or (f"key{i}" if several else "key") for i, name in enumerate(axis.names)
                ]
            else:
                name = axis.names[0]
                if not name and nameless > 1:
                    name, unnamed_bins = f"x{unnamed_bins}", unnamed_bins + 1
                wanted = [f"{name}_left", f"{name}_right"] if name else ["left", "right"]
            found.append([_not_in(taken, name) for name in wanted])
        return found


_ENDS = ("", "_lower", "_upper")


def _columns_of(axis: Axis) -> tuple[NDArray[Any], ...]:
    return axis.keys if axis.edges is None else (axis.edges[:-1], axis.edges[1:])


def _not_in(taken: set[str], name: str) -> str:
    """Return a name that is not taken, and take it; SQL tells names by more than their case."""
    while name.casefold() in taken:
        name += "_"
    taken.add(name.casefold())
    return name
