# SPDX-License-Identifier: MIT
"""Numbers of rows."""

from __future__ import annotations

from cydp._arguments import Integer
from cydp._numbers.rational import read_integer

__all__ = ["read_rows"]


def read_rows(n: Integer, name: str) -> int:
    """Return a number of rows; a TypeError or a ValueError unless it is an integer >= 1."""
    rows = read_integer(n, name)
    if rows < 1:
        raise ValueError(f"{name} must be at least 1, not {rows}")
    return rows
