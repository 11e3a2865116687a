# SPDX-License-Identifier: MIT
"""What a missing number counts as."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cydp._arguments import Number
from cydp._numbers.rational import format_number, read_binary
from cydp.exact._grid import Grid

__all__ = ["Missing", "read_missing"]

Missing: TypeAlias = Literal["drop"] | Number


def read_missing(missing: Missing, grid: Grid) -> int | None:
    """Return what a missing number counts as, in steps of a grid; None: it does not count.

    Raises
    ------
    TypeError, ValueError
        Unless it is "drop" or a number within the bounds of the grid.

    Examples
    --------
    >>> from cydp.exact._grid import public_grid
    >>> read_missing(2, public_grid((0, 4), 0.5)), read_missing("drop", public_grid((0, 4), 1))
    (4, None)

    """
    if isinstance(missing, str) and missing == "drop":
        return None
    number = read_binary(missing, "missing")
    lower, upper = grid.bounds
    if not lower <= number <= upper:
        raise ValueError(
            f"missing must be 'drop' or within the bounds, from {format_number(lower)} to "
            f"{format_number(upper)}, not {format_number(number)}"
        )
    return round(number / grid.step)
