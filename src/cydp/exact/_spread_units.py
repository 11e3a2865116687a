# SPDX-License-Identifier: MIT
"""Sorted units on a finer grid, where units that are equal have places of their own.

docs/mechanisms/quantile_lists.md, "Ties".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.exact._sorted_units import SortedUnits

__all__ = ["SPREAD_BITS", "count_up_to", "spread_units"]

SPREAD_BITS = 31  # each unit has 2**31 places; no more than 2**32 numbers are ranked


def spread_units(records: SortedUnits) -> NDArray[np.int64]:
    """Return a place for each number, in order, counted from the grid's lowest unit. NOT private.

    Numbers that share a unit take places of it in turn: its first one, the middle, then the middles
    between these from left to right, and so on. So one number more takes one place more, and moves
    no other.

    Examples
    --------
    >>> from cydp.exact._grid import Grid
    >>> four = SortedUnits(Grid(0, 4, 9), np.array([4, 6, 6, 6], np.int32), np.array([0, 4]))
    >>> (spread_units(four) / 2**SPREAD_BITS).tolist()
    [0.0, 2.0, 2.25, 2.5]

    """
    units, n = records.units, len(records.units)
    begins = np.zeros(n + 1, np.bool_)  # a run of equal units of a group; and behind all of them
    begins[records.offsets] = True
    begins[1:-1] |= units[1:] != units[:-1]
    # Arrays are reused: new ones would take longer than all else.
    within = np.arange(n)
    first = np.maximum.accumulate(within * begins[:-1])
    size = np.where(begins[1:], within + 1, n)[::-1]
    np.minimum.accumulate(size, out=size)
    size = np.subtract(size[::-1], first, out=size[::-1])
    within -= first
    power = np.frexp(size)[1] - 1  # so many halvings are done, and those of `halved` parts more
    halved = np.subtract(size, 1 << power, out=size)
    is_halved = within < np.multiply(halved, 2, out=first)
    np.subtract(within, halved, out=within, where=~is_halved)
    power += is_halved
    within <<= SPREAD_BITS
    within >>= power
    places: NDArray[np.int64] = units.astype(np.int64)
    places -= records.grid.lowest
    places <<= SPREAD_BITS
    places |= within
    return places


def count_up_to(
    places: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    points: NDArray[Any],
) -> NDArray[np.int64]:
    """Return where each range of sorted places is cut: behind all that are at most its point.

    Parameters
    ----------
    places : ndarray of int64, shape (n,)
    first, last : ndarray of int64, any shape
        Where each range begins and ends.
    points : ndarray of int64, the shape of first

    Examples
    --------
    >>> ranges = np.array([0, 2, 1]), np.array([4, 4, 1])
    >>> count_up_to(np.array([3, 5, 5, 8]), *ranges, np.array([5, 9, 0]))
    array([3, 4, 1])

    """
    if len(places) == 0:
        return first
    low, high = first, last
    for _ in range(len(places).bit_length()):  # the same work, wherever the cuts are
        middle = (low + high) // 2
        is_below = (low < high) & (places[np.minimum(middle, len(places) - 1)] <= points)
        low, high = np.where(is_below, middle + 1, low), np.where(is_below, high, middle)
    return low
