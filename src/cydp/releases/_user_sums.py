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
from cydp._numbers.rational import format_binary, format_number, read_positive, round_near
from cydp.exact._clamped_sum import sum_groups
from cydp.exact._contributions import PairNumbers
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import group_blocks
from cydp.releases._cells import count_codes
from cydp.releases._missing import is_absent
from cydp.releases._unit import Unit

__all__ = [
    "add_exactly",
    "bounded_sums",
    "clamped_sums",
    "ends_of_sum",
    "largest_sum_words",
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


def largest_sum_words(most: int, grid: Grid) -> str:
    """Return the largest sum of a user that counts as it was given, near its steps."""
    return format_binary(round_near(most * grid.step, grid.step))


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
            f"max_sum_per_user must be at least a step of the grid, {format_binary(grid.step)}, "
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


def bounded_sums(
    pairs: PairNumbers, values: NDArray[Any], grid: Grid, most: int
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """Return sums of the numbers of users above the lowest number, and of how many rows they are.

    The sum of more than `most` rows is that of so many with the same mean, to the nearest integer:
    it lies between 0 and `most` times the distance of the bounds.

    Parameters
    ----------
    pairs : PairNumbers
        A number of each row's user, or of its user and key.
    values : ndarray, shape (n,)
        NaN and masked numbers do not count.
    grid : Grid
    most : int

    Returns
    -------
    ndarrays, shape (users,)
        The number of each user with numbers, the sum, and how many rows.

    Examples
    --------
    >>> from cydp.exact._grid import Grid
    >>> pairs = PairNumbers(4)
    >>> pairs.numbers[:], pairs.count = [0, 1, 1, 1], 2
    >>> bounded_sums(pairs, np.array([7, 5, 6, 9]), Grid(0, 5, 9), 2)
    (array([0, 1]), array([2, 3]), array([1, 2]))

    """
    values = values.copy()  # which is read twice
    absent, numbers, count = is_absent(values), pairs.numbers, pairs.count
    present = np.where(absent, np.uint32(count), numbers) if absent.any() else numbers
    every = count_codes(present, count)
    places = np.flatnonzero(every)
    rows = every[places]
    sums = sum_groups(numbers, values, grid, count)[places] - grid.lowest * rows
    many = rows > most
    if many.any():
        kind = np.int64 if most * int(sums.max()) < _SAFE // 4 else object
        sums[many] = worth_of(sums[many].astype(kind), rows[many], most, nearest=True)
    return places, sums, np.minimum(rows, most)


def add_exactly(x: NDArray[Any]) -> int:
    """Return the sum of integers, which may be beyond int64.

    >>> add_exactly(np.array([2**62, 2**62, -1]))
    9223372036854775807
    """
    return (int((x >> 32).sum()) << 32) + int((x & (2**32 - 1)).sum())


def moments_of_users(
    pairs: PairNumbers, values: NDArray[Any], grid: Grid, most: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the moments of the numbers of each user.

    They are the sums of the squares of distances to the lowest number, and of the distances, and
    how many rows: of dtype object if int64 may have no room for them and for `worth_of`.

    Parameters
    ----------
    pairs, values
        As in `bounded_sums`.
    grid : Grid
        It has 2**22 points or fewer.
    most : int
        How many rows those of a user are worth at most.

    Returns
    -------
    ndarrays of int64 or object, shape (users,)

    Examples
    --------
    >>> from cydp.exact._grid import Grid
    >>> pairs, values = PairNumbers(4), np.array([7, 5, 6, 9])
    >>> pairs.numbers[:], pairs.count = [0, 1, 1, 1], 2
    >>> moments_of_users(pairs, values, Grid(0, 5, 9), 2)
    (array([ 4, 17]), array([2, 5]), array([1, 3]))

    """
    n, numbers = pairs.count, pairs.numbers
    blocks = [(users, units.copy()) for users, units in group_blocks(numbers, values, n, grid)]
    users = np.concatenate([np.zeros(0, np.uint32), *(users for users, _ in blocks)])
    steps = np.concatenate([np.zeros(0, np.int64), *(units for _, units in blocks)]) - grid.lowest
    every = count_codes(users, n)
    places = np.flatnonzero(every)
    squares, half = steps**2, Grid(0, 0, 1 << _LOW_BITS)

    def total(x: NDArray[np.int64]) -> NDArray[np.int64]:
        return sum_groups(users, x, half, n)[places]

    low, high = total(squares & ((1 << _LOW_BITS) - 1)), total(squares >> _LOW_BITS)
    rows = every[places]
    largest = (grid.highest - grid.lowest) ** 2 * int(rows.max(initial=0))
    kind = np.int64 if most * largest < _SAFE // 4 else object
    high, low, sums, rows = (
        each.astype(kind, copy=False) for each in (high, low, total(steps), rows)
    )
    return (high << _LOW_BITS) + low, sums, rows
