# SPDX-License-Identifier: MIT
"""The number of entries that one unit can change."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Integer
from cydp._numbers.rational import format_number, read_integer

__all__ = ["read_coordinates"]


def read_coordinates(coordinates: Integer | None) -> int | None:
    """Return the number of entries, or None for all; raise a TypeError or ValueError otherwise."""
    if coordinates is None:
        return None
    count = read_integer(coordinates, "coordinates")
    if not 1 <= count < 2**60:
        raise ValueError(
            f"coordinates must be from 1 to 2**60 - 1, not {format_number(Fraction(count))}"
        )
    return count
