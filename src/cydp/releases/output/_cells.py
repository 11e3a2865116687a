# SPDX-License-Identifier: MIT
"""The words of a sheet that text and HTML share: its head, its header and its rows."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.releases.output._error_words import shows_bounds, shows_intervals
from cydp.releases.output._number_words import (
    bin_words,
    bound_words,
    digits_of,
    end_words,
    key_words,
    value_words,
)
from cydp.releases.output._sheet import Axis, Numbers, Sheet

__all__ = ["axis_labels", "head_of", "header_of", "rows_of"]

_LONGEST_NOISE = 400  # letters, for many columns; `explain` says all of it


def head_of(sheet: Sheet) -> list[str]:
    """Return what the result is and cost, what it protects, and its noise: a line each."""
    first = sheet.protects.partition(". ")[0]
    lines = [
        f"{sheet.title}: {_size_or_value(sheet)}; {sheet.cost}, relation={sheet.relation!r}",
        f"protects: {first}",
    ]
    if sheet.noise:
        lines.append(textwrap.shorten(f"noise: {sheet.noise}", _LONGEST_NOISE, placeholder=" ..."))
    return lines


def _size_or_value(sheet: Sheet) -> str:
    """Return how many cells there are, or the numbers where there is no table."""
    if not sheet.axes:
        values = [_value_words(column, 0) for column in sheet.columns]
        if len(values) == 1:
            unit = sheet.columns[0].unit
            return f"{values[0]} {unit if values[0] != '1' else unit.removesuffix('s')}".rstrip()
        return ", ".join(
            f"{column.name} {value}" for column, value in zip(sheet.columns, values, strict=True)
        )
    sizes = [f"{len(axis):,} {_what(axis)}" for axis in sheet.axes]
    if len(sizes) > 1 and all(axis.edges is not None for axis in sheet.axes):
        return " x ".join(f"{len(axis):,}" for axis in sheet.axes) + " bins"
    return " x ".join(sizes)


def _what(axis: Axis) -> str:
    return axis.what if len(axis) == 1 else f"{axis.what}s"


def header_of(sheet: Sheet) -> list[str]:
    """Return the names of the columns of `rows_of`."""
    found = []
    for axis in sheet.axes:
        default = "key" if axis.edges is None else "bin"
        found += [key_words(name) if name else default for name in axis.names]
    for column in sheet.columns:
        found.append(key_words(column.name))
        if shows_bounds(column):
            found.append(f"+- {column.bound_unit}".rstrip())
        elif shows_intervals(column):
            found += ["from", "to"]
    return found


def rows_of(sheet: Sheet, rows: NDArray[np.intp]) -> list[list[str]]:
    """Return cells as words: labels, and numbers with the bounds that differ by row."""
    places = np.unravel_index(rows, sheet.shape)
    labels = [
        column
        for axis, each in zip(sheet.axes, places, strict=True)
        for column in axis_labels(axis, each)
    ]
    return [
        [*row_labels, *_numbers_of(sheet, row)]
        for row_labels, row in zip(zip(*labels, strict=True), rows.tolist(), strict=True)
    ]


def axis_labels(axis: Axis, places: NDArray[np.intp]) -> list[list[str]]:
    """Return the labels of some places of an axis: bins, or the keys of each column."""
    if axis.edges is None:
        return [[key_words(_plain(key)) for key in column[places]] for column in axis.keys]
    digits = digits_of(axis.edges)
    return [[bin_words(axis.edges, place, digits) for place in places.tolist()]]


def _numbers_of(sheet: Sheet, row: int) -> list[str]:
    """Return the numbers of a row, each followed by its own bound or interval, if it has one."""
    found = []
    for column in sheet.columns:
        found.append(_value_words(column, row))
        if shows_bounds(column):
            found.append(bound_words(column.bound.flat[row].item()))
        elif shows_intervals(column):
            for end, is_upper in ((column.lower, False), (column.upper, True)):
                found.append(end_words(np.asarray(end).flat[row], upper=is_upper))
    return found


def _value_words(column: Numbers, row: int) -> str:
    value, bound = np.asarray(column.values).flat[row], column.bound
    if column.bound_unit:
        bound = None  # it is not in the unit of the value
    elif isinstance(bound, np.ndarray):
        bound = bound.flat[row]
    return value_words(value, bound)


def _plain(key: Any) -> Any:
    """Return a number as Python's own; times stay numpy's, whose text is shorter."""
    is_time = isinstance(key, np.datetime64 | np.timedelta64)
    return key.item() if isinstance(key, np.generic) and not is_time else key
