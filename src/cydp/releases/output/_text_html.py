# SPDX-License-Identifier: MIT
"""A result as text, and as a table in HTML with small bars. docs/releases/output.md."""

from __future__ import annotations

import textwrap
import unicodedata
from html import escape

import numpy as np
from numpy.typing import NDArray

from cydp._html_looks import BOX, CELL, HEADER, SMALL, TABLE
from cydp.releases.output._sheet import Numbers, Sheet
from cydp.releases.output._words import (
    error_lines,
    head_of,
    header_of,
    rows_of,
    shows_bounds,
    shows_intervals,
)

__all__ = ["html_of", "text_of", "wrapped"]


_HTML_ROWS = 60
_TEXT_ROWS = 20
_BAR_WIDTH, _NARROW = 8, 4  # em, of the longest bar, or of both sides of 0; beside other bars

_LABEL, _NUMBER = "text-align:left", "text-align:right;font-variant-numeric:tabular-nums"
_FULL = "background:currentColor;opacity:.4"
# What is below 0 is an outline with stripes: nobody needs to tell colours apart.
_BELOW = (
    "border:1px solid currentColor;box-sizing:border-box;opacity:.7;background:"
    "repeating-linear-gradient(45deg,transparent 0 3px,currentColor 3px 4px)"
)


_WIDTH = 96  # a line of a docstring


def html_of(sheet: Sheet) -> str:
    """Return a sheet as an element of HTML; every word in it is escaped."""
    first, *further = head_of(sheet)
    lines = [
        f'<div style="{BOX}">',
        f"<div><strong>{escape(first)}</strong></div>",
        *(f'<div style="{SMALL}">{escape(line)}</div>' for line in further),
        *_html_table(sheet),
        *(f"<div>{escape(line)}</div>" for line in error_lines(sheet)),
        *(f'<div style="{SMALL}">note: {escape(note)}</div>' for note in sheet.shown_notes),
        "</div>",
    ]
    return "\n".join(lines)


def _html_table(sheet: Sheet) -> list[str]:
    if not sheet.cells or not sheet.axes:
        return []
    shown = np.arange(min(sheet.cells, _HTML_ROWS))
    n_labels = sum(len(axis.names) for axis in sheet.axes)
    room = _BAR_WIDTH if len(sheet.columns) == 1 else _NARROW
    bars = {
        place: _bars_of(column, shown, room)
        for place, column in zip(_last_places(sheet, n_labels), sheet.columns, strict=True)
        if column.unit != "rank"
    }
    rows = rows_of(sheet, shown)
    header = "".join(
        f'<th style="{HEADER};{_LABEL if i < n_labels else _NUMBER}">{escape(word)}</th>'
        + (f'<th style="{HEADER}"></th>' if i in bars else "")
        for i, word in enumerate(header_of(sheet))
    )
    body = [
        "<tr>"
        + "".join(
            f'<td style="{CELL};{_LABEL if i < n_labels else _NUMBER}">{escape(word)}</td>'
            + (f'<td style="{CELL};{_LABEL}">{bars[i][j]}</td>' if i in bars else "")
            for i, word in enumerate(row)
        )
        + "</tr>"
        for j, row in enumerate(rows)
    ]
    more = sheet.cells - len(shown)
    return [
        f'<table style="{TABLE}">',
        f"<thead><tr>{header}</tr></thead>",
        "<tbody>",
        *body,
        "</tbody>",
        "</table>",
        *([f'<div style="{SMALL}">... {more:,} more rows</div>'] if more else []),
    ]


def _last_places(sheet: Sheet, n_labels: int) -> list[int]:
    """Return the place, in a row of words, of the last word of each column of numbers."""
    words = [1 + shows_bounds(column) + 2 * shows_intervals(column) for column in sheet.columns]
    return [n_labels - 1 + sum(words[: i + 1]) for i in range(len(words))]


def _bars_of(column: Numbers, shown: NDArray[np.intp], room: int) -> list[str]:
    """Return a bar for each shown row: to the right of 0, or striped and to the left."""
    values = np.ravel(column.values).astype(np.float64)
    finite = values[np.isfinite(values)]
    low, high = min(finite.min(initial=0), 0.0), max(finite.max(initial=0), 0.0)
    largest = max(high, -low) or 1.0
    ends = low / largest, high / largest  # a difference of the largest floats would be infinite
    width = (ends[1] - ends[0]) or 1.0
    zero = 0.0 - ends[0] / width  # and not -0.0
    return [_bar(value / largest / width, zero, room) for value in values[shown].tolist()]


def _bar(share: float, zero: float, room: int) -> str:
    """Return a bar over a share of the width, which begins at a zero."""
    if not np.isfinite(share):
        return ""
    start, look = (zero, _FULL) if share >= 0 else (zero + share, _BELOW)
    return (
        f'<span style="display:inline-block;height:.8em;width:{abs(share) * room:.2f}em;'
        f'margin-left:{start * room:.2f}em;{look}"></span>'
    )


def text_of(sheet: Sheet) -> str:
    """Return a sheet as text: three lines of head, then rows, then errors and notes."""
    lines = [
        *(wrapped(line) for line in head_of(sheet)),
        *_text_table(sheet),
        *error_lines(sheet),
        *(wrapped(f"note: {note}") for note in sheet.shown_notes),
    ]
    return "\n".join(lines)


def wrapped(line: str) -> str:
    """Return a line of a text as several, which begin with two blanks from the second on."""
    return textwrap.fill(
        line, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _text_table(sheet: Sheet) -> list[str]:
    """Return the header and the rows, aligned: labels to the left, numbers to the right."""
    if not sheet.cells or not sheet.axes:
        return []
    half, n = _TEXT_ROWS // 2, sheet.cells
    is_cut = n > _TEXT_ROWS
    shown = np.r_[0:half, n - half : n] if is_cut else np.arange(n)
    table = [header_of(sheet), *rows_of(sheet, shown)]
    n_labels = sum(len(axis.names) for axis in sheet.axes)
    widths = [max(map(_width_of, column)) for column in zip(*table, strict=True)]
    rows = [
        "  "
        + "  ".join(
            _padded(cell, width, to_the_left=i < n_labels)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return [*rows[: half + 1], "  ...", *rows[half + 1 :]] if is_cut else rows


def _padded(cell: str, width: int, *, to_the_left: bool) -> str:
    blanks = " " * (width - _width_of(cell))
    return cell + blanks if to_the_left else blanks + cell


def _width_of(cell: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> _width_of("abc"), _width_of("\u6771\u4eac"), _width_of("e\u0301")
    (3, 4, 1)
    """
    if cell.isascii():
        return len(cell)
    wide = sum(unicodedata.east_asian_width(letter) in ("W", "F") for letter in cell)
    return len(cell) + wide - sum(unicodedata.category(letter) == "Mn" for letter in cell)
