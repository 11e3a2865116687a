# SPDX-License-Identifier: MIT
"""How cells, numbers and errors are said, in text, HTML and plots. docs/releases/output.md."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rounding import percent_of
from cydp.releases.output._sheet import Axis, Numbers, Sheet, are_times, time_words
from cydp.releases.output._short_times import with_short_times

__all__ = [
    "axis_labels",
    "bars_words",
    "bound_words",
    "end_words",
    "error_lines",
    "head_of",
    "header_of",
    "rows_of",
    "shows_bounds",
    "shows_intervals",
    "value_words",
]


_LONGEST_KEY = 40
_MOST_PLAIN = 1e15  # beyond which floats are written with an exponent
_MOST_SIX_DIGITS = 999999.5  # from which six digits would need an exponent
_MOST_DECIMALS = 12
_DIGITS = 6


_LONGEST_NOISE = 400  # letters, for many columns; `explain` says all of it


def bound_words(bound: Any) -> str:
    """Return an error bound; a float is rounded up to two digits.

    >>> bound_words(1234), bound_words(599146.5), bound_words(0.0121), bound_words(4.0)
    ('1,234', '600,000', '0.013', '4')
    """
    if isinstance(bound, np.ndarray):
        bound = bound.flat[0].item()
    if isinstance(bound, int):
        return f"{bound:,}"
    if not 0 < bound < math.inf:
        return f"{bound:g}"
    decimals = _decimals_of(bound)
    up = math.ceil(bound * 10.0**decimals) / 10.0**decimals if abs(decimals) < 300 else bound
    return _plain(max(up, bound) if math.isinf(up) else up, decimals).removesuffix(".0")


def value_words(value: Any, bound: Any = None) -> str:
    """Return a number: an integer with all its digits, a float to two digits of its bound.

    >>> value_words(-12345), value_words(31188540.25, 599146.5), value_words(0.123456, 0.0123)
    ('-12,345', '31,190,000', '0.123')
    >>> value_words(19174.12345), value_words(1234567.25), value_words(1e300, 1e299)
    ('19,174.1', '1,234,567', '1e+300')
    """
    if isinstance(value, datetime | np.datetime64):
        return time_words(value)
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    number = float(value)
    if bound is None or not 0 < bound < math.inf or not math.isfinite(number):
        whole = _MOST_SIX_DIGITS <= abs(number) < _MOST_PLAIN
        return f"{number:,.0f}" if whole else f"{number:,.6g}"
    decimals = _decimals_of(float(bound))
    return _plain(round(number, decimals) if abs(decimals) < 300 else number, decimals)


def end_words(end: Any, *, upper: bool) -> str:
    """Return an end of an interval; a float is rounded outwards, to six digits or to an integer.

    >>> end_words(0.12345678, upper=False), end_words(0.12345612, upper=True)
    ('0.123456', '0.123457')
    """
    is_time = isinstance(end, datetime | np.datetime64)
    if is_time or isinstance(end, int | np.integer) or not math.isfinite(end):
        return value_words(end)
    exact = Decimal(repr(float(end)))
    whole = exact.adjusted() + 1 if abs(end) < _MOST_PLAIN else 0
    rounding = ROUND_CEILING if upper else ROUND_FLOOR
    return value_words(float(Context(max(whole, _DIGITS), rounding).plus(exact)))


def _bin_words(edges: NDArray[Any], place: int, digits: int) -> str:
    """Return a bin, with as many digits as `digits_of`; the last one of numbers ends in a "]".

    >>> _bin_words(np.array([0.0, 33.333333, 100]), 0, 6), _bin_words(np.array([0, 1]), 0, 0)
    ('[0, 33.3333)', '[0, 1]')
    >>> _bin_words(np.array(["2024-01-01", "2024-01-02"], "M8[D]"), 0, 0)
    '[2024-01-01, 2024-01-02)'
    """
    left, right = (_edge_words(edges[i], digits) for i in (place, place + 1))
    is_closed = place == len(edges) - 2 and not are_times(edges)
    return f"[{left}, {right}" + ("]" if is_closed else ")")


def _key_words(key: Any) -> str:
    r"""Return a key in one line; a long one is cut.

    >>> _key_words("a"), _key_words(None), _key_words("a\nb"), _key_words("x" * 50)[-5:]
    ('a', 'None', 'a\\nb', 'xx...')
    """
    text = time_words(key)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= _LONGEST_KEY else f"{text[: _LONGEST_KEY - 3]}..."


def _decimals_of(bound: float) -> int:
    """Return after how many decimals the second digit of a bound is."""
    return 1 - math.floor(math.log10(bound))


def _plain(number: float, decimals: int) -> str:
    if abs(number) >= _MOST_PLAIN or decimals > _MOST_DECIMALS:
        return f"{number:.6g}"
    return f"{number + 0.0:,.{max(decimals, 0)}f}"


def _digits_of(edges: NDArray[Any]) -> int:
    """Return how many digits tell edges apart, at least 6; 0 for other edges than floats."""
    if edges.dtype.kind != "f":
        return 0
    finite = edges[np.isfinite(edges)].astype(np.float64)
    widths = np.diff(finite)
    if not len(widths) or not widths.min() > 0:
        return 6
    ratio = float(np.abs(finite).max()) / float(widths.min())
    return min(max(math.ceil(math.log10(ratio)) + 2, 6), 17) if 0 < ratio < math.inf else 17


def _edge_words(edge: Any, digits: int) -> str:
    return f"{float(edge) + 0.0:.{digits}g}" if digits else time_words(edge)


def error_lines(sheet: Sheet) -> list[str]:
    """Return a line for the error of each column, such as "error: each within 3, with ..."."""
    if not sheet.cells:
        return []
    lines = []
    for column in sheet.columns:
        head = "error" if len(sheet.columns) == 1 else f"error of {column.name}"
        sure = f"with {percent_of(sheet.confidence)} confidence"
        if words := _within(sheet, column):
            lines.append(f"{head}: {words}, {sure}")
        elif column.why_none:
            lines.append(f"{head}: not stated, since {column.why_none}")
        if column.bound_unit and shows_intervals(column):
            lines.append(f"{head.replace('error', 'interval', 1)}: {_held(sheet, column)}, {sure}")
    return lines


def shows_bounds(column: Numbers) -> bool:
    """Return whether each row has a bound of its own."""
    bound = column.bound
    return isinstance(bound, np.ndarray) and bound.size > 0 and bool((bound != bound.flat[0]).any())


def shows_intervals(column: Numbers) -> bool:
    """Return whether rows have intervals, but no bounds in the unit of the numbers."""
    return column.lower is not None and (column.bound is None or bool(column.bound_unit))


def bars_words(sheet: Sheet) -> str:
    """Return what error bars show.

    >>> from fractions import Fraction
    >>> bars_words(Sheet(title="", cost="", relation="", protects="", noise="", axes=(), columns=(),
    ...     confidence=Fraction(19, 20), simultaneous=False))
    'bars: 95 % confidence, noise alone'
    """
    if not sheet.axes:
        cells = ""
    elif sheet.simultaneous:
        cells = f" for all {sheet.cells:,} cells together"
    else:
        cells = " for each cell"
    return f"bars: {percent_of(sheet.confidence)} confidence{cells}, noise alone"


def _within(sheet: Sheet, column: Numbers) -> str:
    """Return how far the numbers of a column are from the exact ones, or an empty text."""
    together = sheet.simultaneous and bool(sheet.axes)
    if column.bound is None and column.lower is not None:
        return _held(sheet, column)
    if shows_bounds(column):
        if together:
            return f"all {sheet.cells:,} together within the bounds beside them"
        return "each within the bound beside it"
    if column.bound is None:
        return ""
    bound = bound_words(column.bound)
    unit = f" {_unit_of(column, column.bound_unit, bound)}" if column.bound_unit else ""
    if bound == "0":
        return f"none{f' in all {sheet.cells:,} together' if together else ''}"
    if together:
        return f"all {sheet.cells:,} together within {bound}{unit}"
    return f"{'each ' if sheet.axes else ''}within {bound}{unit}"


def _held(sheet: Sheet, column: Numbers) -> str:
    """Return that intervals hold the exact numbers; a released number may be outside."""
    rounded = f", rounded down to {column.rounded_to}," if column.rounded_to else ""
    one, many = ("time", "times") if rounded else ("number", "numbers")
    if not sheet.axes:
        ends = (column.lower, False), (column.upper, True)
        shown = (end_words(np.asarray(end).flat[0], upper=is_upper) for end, is_upper in ends)
        return f"the {one} without noise{rounded} is from {' to '.join(shown)}"
    if sheet.simultaneous:
        all_many = f"all {sheet.cells:,} {many} without noise{rounded}"
        return f"{all_many} together within the intervals beside them"
    return f"each {one} without noise{rounded} within the interval beside it"


def _unit_of(column: Numbers, unit: str, number: str) -> str:
    """Return the unit of a number or a bound of a column: in the singular, if it is 1.

    >>> days = Numbers(name="n", values=np.zeros(1), unit="days")
    >>> _unit_of(days, "days", "1"), _unit_of(days, "days", "1.1")
    ('day', 'days')
    """
    return (column.singular or unit.removesuffix("s")) if number == "1" else unit


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
            column = sheet.columns[0]
            unit = _unit_of(column, column.unit, values[0]) if column.unit else ""
            return f"{values[0]} {unit}".rstrip()
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
    short = replace(sheet, axes=tuple(map(with_short_times, sheet.axes)))
    for axis, labels in zip(short.axes, short.label_names_by_axis, strict=True):
        default, known = ("key", labels) if axis.edges is None else ("bin", axis.names)
        found += [
            _key_words(label) if name else default
            for name, label in zip(axis.names, known, strict=True)
        ]
    for column in sheet.columns:
        found.append(_key_words(column.name))
        if shows_bounds(column):
            found.append(f"+- {column.bound_unit}".rstrip())
        if shows_intervals(column):
            found += ["from", "to"]
    return found


def rows_of(sheet: Sheet, rows: NDArray[np.intp]) -> list[list[str]]:
    """Return cells as words: labels, and numbers with the bounds that differ by row."""
    places = np.unravel_index(rows, sheet.shape)
    labels = [
        column
        for axis, each in zip(sheet.axes, places, strict=True)
        for column in axis_labels(with_short_times(axis), each)
    ]
    return [
        [*row_labels, *_numbers_of(sheet, row)]
        for row_labels, row in zip(zip(*labels, strict=True), rows.tolist(), strict=True)
    ]


def axis_labels(axis: Axis, places: NDArray[np.intp]) -> list[list[str]]:
    """Return the labels of some places of an axis: bins, or the keys of each column."""
    if axis.edges is None:
        return [[_key_words(_native(key)) for key in column[places]] for column in axis.keys]
    digits = _digits_of(axis.edges)
    return [[_bin_words(axis.edges, place, digits) for place in places.tolist()]]


def _numbers_of(sheet: Sheet, row: int) -> list[str]:
    """Return the numbers of a row, each followed by its own bound or interval, if it has one."""
    found = []
    for column in sheet.columns:
        found.append(_value_words(column, row))
        if shows_bounds(column):
            found.append(bound_words(column.bound.flat[row].item()))
        if shows_intervals(column):
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


def _native(key: Any) -> Any:
    """Return a number as Python's own; times stay numpy's, as their text is shorter."""
    is_time = isinstance(key, np.datetime64 | np.timedelta64)
    return key.item() if isinstance(key, np.generic) and not is_time else key
