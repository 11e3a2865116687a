# SPDX-License-Identifier: MIT
"""Cells of CSV, which are text, read as a type: SQL that fails on no cell.

A time is read only from text that is one, with a zone or without as it is wanted: DuckDB's own cast
would drop a zone, or take the one of this machine. docs/columns.md, "Times".
"""

from __future__ import annotations

import re
from datetime import date

__all__ = ["cells_as", "day_of", "sql_text"]

_DAY = r"\d{4}-\d{1,2}-\d{1,2}"
_TIME = rf"{_DAY}[T ]\d{{1,2}}:\d\d(?::\d\d(?:\.\d+)?)?"
_OFFSET = r"(?:Z|\+00|[+-]\d\d:?\d\d)"
_NAIVE = rf"^\s*(?:{_DAY}|{_TIME})\s*$"


def cells_as(column: str, sql_type: str) -> str:
    """Return the cells of a column as a type of DuckDB, without rounding; null where they are none.

    >>> print(cells_as("c0", "DOUBLE"))
    TRY_CAST(NULLIF(c0, '') AS DOUBLE)
    """
    if sql_type.startswith("TIMESTAMP"):
        shape = f"^\\s*{_TIME}{_OFFSET}\\s*$" if sql_type == "TIMESTAMPTZ" else _NAIVE
        column = f"CASE WHEN regexp_matches({column}, {sql_text(shape)}) THEN {column} END"
    if sql_type in ("BIGINT", "DECIMAL(38, 0)"):
        column = f"regexp_extract({column}, '^\\s*([+-]?[0-9]+)(?:\\.0*)?\\s*$', 1)"
    return f"TRY_CAST(NULLIF({column}, '') AS {sql_type})"


def day_of(text: str) -> str | None:
    """Return the day that a cell is read as, as a block of a ledger is written; None for others.

    >>> day_of("2024-1-1"), day_of("2024-01-01T00:00"), day_of("01.01.2024")
    ('2024-01-01', '2024-01-01', None)
    """
    if re.match(_NAIVE, text, re.ASCII) is None:
        return None
    try:
        return date(*map(int, re.findall("[0-9]+", text)[:3])).isoformat()
    except ValueError:
        return None


def sql_text(text: str) -> str:
    """Return text as SQL writes it.

    >>> print(sql_text("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"
