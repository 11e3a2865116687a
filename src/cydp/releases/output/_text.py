# SPDX-License-Identifier: MIT
"""A result as a text for people."""

from __future__ import annotations

import textwrap
import unicodedata

import numpy as np

from cydp.releases.output._cells import head_of, header_of, rows_of
from cydp.releases.output._error_words import error_lines
from cydp.releases.output._sheet import Sheet

__all__ = ["text_of"]

_SHOWN_ROWS = 20
_WIDTH = 96  # a line of a docstring


def text_of(sheet: Sheet) -> str:
    """Return a sheet as text: three lines of head, then rows, then errors and notes."""
    lines = [
        *(_wrapped(line) for line in head_of(sheet)),
        *_table_of(sheet),
        *error_lines(sheet),
        *(_wrapped(f"note: {note}") for note in sheet.notes),
    ]
    return "\n".join(lines)


def _wrapped(line: str) -> str:
    return textwrap.fill(
        line, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _table_of(sheet: Sheet) -> list[str]:
    """Return the header and the rows, aligned: labels to the left, numbers to the right."""
    if not sheet.cells or not sheet.axes:
        return []
    half, n = _SHOWN_ROWS // 2, sheet.cells
    is_cut = n > _SHOWN_ROWS
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
