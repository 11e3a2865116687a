# SPDX-License-Identifier: MIT
"""How many entries one unit can change."""

from __future__ import annotations

from fractions import Fraction

from cydp._arguments import Integer
from cydp._numbers.rational import format_number, read_integer

__all__ = ["coordinates_of"]


def coordinates_of(coordinates: Integer | None) -> int | None:
    """Return a number of entries, or None for all; TypeError or ValueError for anything else."""
    if coordinates is None:
        return None
    count = read_integer(coordinates, "coordinates")
    if not 1 <= count < 2**60:
        raise ValueError(
            f"coordinates must be from 1 to 2**60 - 1, not {format_number(Fraction(count))}"
        )
    return count
