# SPDX-License-Identifier: MIT
"""Sorted units on a finer grid, where units that are equal have places of their own.

docs/mechanisms/quantile_lists.md, "Ties".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.exact._sorted_units import SortedUnits, sort_integers

__all__ = ["SPREAD_BITS", "count_up_to", "spread_units"]

SPREAD_BITS = 31  # each unit has 2**31 places; no more than 2**32 numbers are ranked


def spread_units(records: SortedUnits) -> NDArray[np.int64]:
    """Return a place for each number, in order, counted from the grid's lowest unit. NOT private.

    The k-th of the numbers that share a unit has place k of the unit in an order that is the same
    for all units: one number more takes one place more, and moves no other.

    Examples
    --------
    >>> from cydp.exact._grid import Grid
    >>> three = SortedUnits(Grid(0, 4, 9), np.array([4, 6, 6, 6], np.int32), np.array([0, 4]))
    >>> (spread_units(three) / 2**SPREAD_BITS).tolist()
    [0.0, 2.0, 2.25, 2.5]

    """
    units, n = records.units, len(records.units)
    begins = np.zeros(n, np.bool_)  # a run of equal units of a group
    begins[records.offsets[:-1][np.diff(records.offsets) > 0]] = True
    begins[1:] |= units[1:] != units[:-1]
    rows = np.arange(n)
    within = rows - np.maximum.accumulate(np.where(begins, rows, 0))
    # By run and by place in one integer: the runs keep their rows, and places are in order.
    keys = np.cumsum(begins) - 1 << SPREAD_BITS
    keys |= _reversed_bits(within)
    sort_integers(keys, 0, max(n << SPREAD_BITS, 1) - 1)
    keys &= (1 << SPREAD_BITS) - 1
    keys |= units.astype(np.int64) - records.grid.lowest << SPREAD_BITS
    return keys


def _reversed_bits(numbers: NDArray[np.int64]) -> NDArray[Any]:
    """Return the last bits of numbers, `SPREAD_BITS` of them, in reverse."""
    words: NDArray[Any] = (numbers << 32 - SPREAD_BITS).astype(np.uint32)
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F)):
        words = words >> shift & mask | (words & mask) << shift
    return words.byteswap()


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
