# SPDX-License-Identifier: MIT
"""Sums of numbers over the rows of users, who have a bounded weight. NOT private.

All rows of a user count. If they are more than a bound, they are worth as many rows as the bound,
each of them the mean of all: docs/releases/units.md has the proof.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import format_number, read_positive
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits
from cydp.releases._unit import Unit

__all__ = [
    "bounded_sums",
    "clamped_sums",
    "ends_of_sum",
    "moments_of_users",
    "read_largest_sum",
    "worth_of",
]

_ENDS = np.iinfo(np.int64)
_SAFE = 2**62  # what int64 holds, twice
_LOW_BITS = 24  # of squares, so that sums of either half of their bits fit int64


def worth_of(totals: Any, rows: Any, most: int, *, nearest: bool = False) -> Any:
    """Return what totals over rows become if the rows are worth `most` rows: rounded down.

    Parameters
    ----------
    totals, rows : int, or ndarrays of int64 or object
    most : int
        Less than `rows`.
    nearest : bool
        Whether to round to the nearest integer instead.

    Examples
    --------
    >>> worth_of(17, 10, 3), worth_of(17, 10, 3, nearest=True), worth_of(20, 4, 3)
    (5, 5, 15)

    """
    return (2 * most * totals + rows) // (2 * rows) if nearest else most * totals // rows


def read_largest_sum(most: Number | None, grid: Grid, unit: Unit) -> int | None:
    """Return the largest sum of a user that counts, in steps, rounded down; None for None."""
    if most is None:
        return None
    if not unit.has_users:
        raise TypeError("max_sum_per_user bounds the sum of a user: give user= as well")
    size = read_positive(most, "max_sum_per_user")
    steps = math.floor(size / grid.step)
    if steps < 1:
        raise ValueError(
            f"max_sum_per_user must be at least a step of the grid, {format_number(grid.step)}, "
            f"not {format_number(size)}"
        )
    return steps


def ends_of_sum(grid: Grid, rows: int, most: int) -> tuple[int, int]:
    """Return the least and the largest sum of a user that counts, in steps.

    Parameters
    ----------
    grid : Grid
    rows : int
        How many rows the sum is of, at most.
    most : int
        The largest size of a sum.

    """
    return max(min(grid.lowest, 0) * rows, -most), min(max(grid.highest, 0) * rows, most)


def clamped_sums(sums: NDArray[np.int64], ends: tuple[int, int]) -> NDArray[np.int64]:
    """Return sums, each clamped to ends of any size."""
    return np.clip(sums, max(ends[0], _ENDS.min), min(ends[1], _ENDS.max))


def bounded_sums(found: SortedUnits, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, of each user, the sum of distances to the lowest number, and how many rows it is of.

    The sum of more than `most` rows is that of so many with the same mean, to the nearest integer:
    it lies between 0 and `most` times the distance of the bounds.

    Parameters
    ----------
    found : SortedUnits
        A group for each user.
    most : int

    Examples
    --------
    >>> from cydp.exact._grid import Grid
    >>> units = np.array([7, 5, 6, 9], np.int32)
    >>> bounded_sums(SortedUnits(Grid(0, 5, 9), units, np.array([0, 1, 4])), 2)
    (array([2, 3]), array([1, 2]))

    """
    rows, steps = np.diff(found.offsets), found.units.astype(np.int64) - found.grid.lowest
    sums = np.diff(np.append(0, np.cumsum(steps))[found.offsets])
    many = rows > most
    if many.any():
        kind = np.int64 if most * int(sums.max()) < _SAFE // 4 else object
        sums[many] = worth_of(sums[many].astype(kind), rows[many], most, nearest=True)
    return sums, np.minimum(rows, most)


def moments_of_users(found: SortedUnits, most: int) -> tuple[list[int], list[NDArray[Any]]]:
    """Return moments of the rows of users with few rows, and those of each user with more.

    Moments are the sums of the squares of distances to the lowest number, and of the distances, and
    the number of rows.

    Parameters
    ----------
    found : SortedUnits
        A group for each user, who has a row. The grid has 2**22 points or fewer.
    most : int
        More rows than this are many.

    Returns
    -------
    list of int, list of ndarrays of object

    Examples
    --------
    >>> from cydp.exact._grid import Grid
    >>> units = np.array([7, 5, 6, 9], np.int32)
    >>> moments_of_users(SortedUnits(Grid(0, 5, 9), units, np.array([0, 1, 4])), 2)
    ([4, 2, 1], [array([17], dtype=object), array([5], dtype=object), array([3], dtype=object)])

    """
    rows, steps = np.diff(found.offsets), found.units.astype(np.int64) - found.grid.lowest
    is_many = np.repeat(rows > most, rows)
    few, many = steps[~is_many], steps[is_many]
    ends = np.cumsum(rows[rows > most])
    light = [int(each[0]) if len(few) else 0 for each in _moments(few, np.array([len(few)]))]
    return light, _moments(many, ends)


def _moments(steps: NDArray[np.int64], ends: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Return the moments of each group, which ends at its place of `ends`."""
    if not len(steps):
        return [np.zeros(0, object)] * 3
    starts, squares = np.append(0, ends[:-1]), steps**2
    low = np.add.reduceat(squares & ((1 << _LOW_BITS) - 1), starts).astype(object)
    high = np.add.reduceat(squares >> _LOW_BITS, starts).astype(object)
    sums, rows = np.add.reduceat(steps, starts), ends - starts
    return [(high << _LOW_BITS) + low, sums.astype(object), rows.astype(object)]
