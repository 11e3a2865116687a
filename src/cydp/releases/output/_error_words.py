# SPDX-License-Identifier: MIT
"""How errors are said, in text, HTML and plots. docs/releases/output.md."""

from __future__ import annotations

import numpy as np

from cydp._numbers.rounding import percent_of
from cydp.releases.output._number_words import bound_words
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["bars_words", "error_lines", "shows_bounds", "shows_intervals"]


def error_lines(sheet: Sheet) -> list[str]:
    """Return a line for the error of each column, such as "error: each within 3, with ..."."""
    if not sheet.cells:
        return []
    lines = []
    for column in sheet.columns:
        head = "error" if len(sheet.columns) == 1 else f"error of {column.name}"
        if words := _within(sheet, column):
            lines.append(f"{head}: {words}, with {percent_of(sheet.confidence)} confidence")
        elif column.why_none:
            lines.append(f"{head}: not stated, since {column.why_none}")
    return lines


def shows_bounds(column: Numbers) -> bool:
    """Return whether each row has a bound of its own."""
    bound = column.bound
    return isinstance(bound, np.ndarray) and bound.size > 0 and bool((bound != bound.flat[0]).any())


def shows_intervals(column: Numbers) -> bool:
    """Return whether rows have intervals, but no bounds."""
    return column.bound is None and column.lower is not None


def bars_words(sheet: Sheet) -> str:
    """Return what error bars show.

    >>> from fractions import Fraction
    >>> bars_words(Sheet(title="", cost="", relation="", protects="", noise="", axes=(), columns=(),
    ...     confidence=Fraction(19, 20), simultaneous=False))
    'bars: 95 % confidence'
    """
    if not sheet.axes:
        cells = ""
    elif sheet.simultaneous:
        cells = f" for all {sheet.cells:,} cells together"
    else:
        cells = " for each cell"
    return f"bars: {percent_of(sheet.confidence)} confidence{cells}"


def _within(sheet: Sheet, column: Numbers) -> str:
    """Return how far the numbers of a column are from the exact ones, or an empty text."""
    together = sheet.simultaneous and bool(sheet.axes)
    if shows_intervals(column):  # a post-processed number may be outside
        if together:
            return f"all {sheet.cells:,} true numbers together within the intervals beside them"
        return f"{'each' if sheet.axes else 'the'} true number within the interval beside it"
    if shows_bounds(column):
        if together:
            return f"all {sheet.cells:,} together within the bounds beside them"
        return "each within the bound beside it"
    if column.bound is None:
        return ""
    bound = bound_words(column.bound)
    unit = f" {_unit_of(column.bound_unit, bound)}" if column.bound_unit else ""
    if together:
        return f"all {sheet.cells:,} together within {bound}{unit}"
    return f"{'each ' if sheet.axes else ''}within {bound}{unit}"


def _unit_of(unit: str, bound: str) -> str:
    """Return the unit of a bound, of which there may be one.

    >>> _unit_of("ranks", "1"), _unit_of("rows of the table", "1"), _unit_of("ranks", "1.1")
    ('rank', 'row of the table', 'ranks')
    """
    first, *further = unit.split(" ")
    return " ".join([first.removesuffix("s") if bound == "1" else first, *further])
