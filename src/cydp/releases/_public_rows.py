# SPDX-License-Identifier: MIT
"""How a public number of rows is read."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Integer
from cydp._numbers.rational import format_number, read_integer

__all__ = ["read_rows"]


def read_rows(rows: Integer, name: str) -> int:
    """Read a public number of rows, from 1 to 2**62; else TypeError, ValueError."""
    number = read_integer(rows, name)
    if not 1 <= number <= 2**62:
        raise ValueError(f"{name} must be from 1 to 2**62, not {format_number(Fraction(number))}")
    return number
